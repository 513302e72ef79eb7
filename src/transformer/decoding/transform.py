"""Transforming a user's text line by line, from a file or standard input to a file or standard output."""

import io
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

from transformer.common.files import atomic_writer
from transformer.common.notes import say
from transformer.common.parallel import blocks
from transformer.common.progress import Progress
from transformer.corpus.report import odd_notes
from transformer.corpus.text import STANDARD_INPUT, Odd, read_text

BLOCK = 10_000  # lines that are transformed together

# A Transform takes a block of lines, the number of its first line (from 1), and a progress function, which it calls
# with the number of lines done.  It returns one line for each line of the block.
Transform = Callable[[list[str], int, Callable[[int], None]], Iterable[str]]


def transform_lines(transform: Transform, input: Path | None, output: Path | None) -> None:
    """Write the transformed lines of ``input`` (see :func:`read_text`) to ``output``; None is standard input or output.

    At a terminal each line is transformed as soon as it is typed.  An output file appears only when it is complete;
    until then a progress bar is shown.
    """
    interactive = input is None and output is None and sys.stdin.isatty()
    # Lines that are transformed together can be sorted by length.
    size = 1 if interactive else BLOCK
    odd, total = Odd(), 0
    lines = read_text(input, odd)
    numbered = ((1 + n * size, block) for n, block in enumerate(blocks(lines, size)))
    if output is None:
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(encoding="utf-8")  # regardless of the locale, as for files
        for first, block in numbered:
            for line in transform(block, first, lambda count: None):
                print(line, flush=interactive)
            total += len(block)
    else:
        with atomic_writer(output) as file, Progress(None, "sentences") as progress:
            for first, block in numbered:
                file.writelines(line + "\n" for line in transform(block, first, progress.update))
                total += len(block)
    for note in odd_notes(odd, input or STANDARD_INPUT, total):
        say(note)
