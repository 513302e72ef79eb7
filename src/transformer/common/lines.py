"""Transforming text line by line, from a file or standard input to a file or standard output."""

import io
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from transformer.common.errors import UserError
from transformer.common.files import atomic_writer, lines_of, read_lines
from transformer.common.parallel import blocks
from transformer.common.progress import Progress

BLOCK = 10_000  # lines that are read together, so that they can be sorted by length
BYTE_ORDER_MARK = "\ufeff"  # which some programs write at the beginning of a file
# Neither belongs to a text.  NUL fills up the fields of some databases.
MARKS = re.compile(f"[{BYTE_ORDER_MARK}\0]")
# Control characters except for tab and U+0085 (a line break inside a sentence, like U+2028), the replacement character
# that results from wrong decoding, and code points that are not characters.
INVALID = re.compile("[\x00-\x08\x0a-\x1f\x7f-\x84\x86-\x9f\ufffd\ufffe\uffff]")
# The first tag of a text, after what may come before it.  In a text it would be followed by words.
_ROOT = re.compile(
    r"\s*(?:<!--.*?-->\s*)*(?P<prolog>(?:<\?xml\b[^>]*>|<!doctype\b[^>]*>|<!--.*?-->|\s+)*)"
    r"(?:<\s*(?P<name>seg(?=[\s/>])|[a-z][\w:.-]*(?=[^<>]*>\s*?(?:[\n<]|\Z))))?",
    re.S | re.I,
)
_ROOTS = {"doc", "seg", "mteval", "srcset", "refset", "tstset", "dataset", "tmx", "xliff"}

# A Transform takes a block of lines, the number of its first line (from 1), and a progress function, which it calls
# with the number of lines done.  It returns one line for each line of the block.
Transform = Callable[[list[str], int, Callable[[int], None]], Iterable[str]]


def transform_lines(transform: Transform, input: Path | None, output: Path | None, doing: str) -> None:
    """Write the transformed lines of ``input`` to ``output``; None is standard input or output.

    Marks (:func:`without_marks`) are taken out.  At a terminal each line is transformed as soon as it is typed.
    An output file appears only when it is complete; until then a progress bar shows ``doing``.  Raises UserError for
    text with tags, which would be transformed as if they were words.
    """
    interactive = input is None and sys.stdin.isatty()
    lines = lines_of(sys.stdin.buffer, "standard input") if input is None else read_lines(input)
    size = 1 if interactive and output is None else BLOCK
    plain = without_tags(blocks(map(without_marks, lines), size))
    numbered = ((1 + number * size, block) for number, block in enumerate(plain))
    if output is None:
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(encoding="utf-8")  # regardless of the locale, as for files
        for first, block in numbered:
            for line in transform(block, first, lambda count: None):
                print(line, flush=interactive)
        return
    with atomic_writer(output) as file, Progress(None, "sentence", doing) as progress:
        for first, block in numbered:
            file.writelines(line + "\n" for line in transform(block, first, progress.update))


def root_of(text: str) -> str | None:
    """Return the name of the first tag of a text with tags (WMT's .sgm, XML), in lower case; None for plain text.

    It may be empty or another one's than those that are known if the text begins as XML or SGML does.
    """
    root = _ROOT.match(text)
    name = ((root and root["name"]) or "").lower()
    return name if name in _ROOTS or (root and root["prolog"].strip()) else None


def without_tags(blocks: Iterable[list[str]]) -> Iterator[list[str]]:
    """Yield the blocks of lines.  Raises UserError if the first one is of a text with tags."""
    for number, block in enumerate(blocks):
        if number == 0 and root_of("\n".join(block)) is not None:
            raise UserError("the input has tags (SGML or XML); write its sentences to a file, one a line")
        yield block


def without_marks(line: str) -> str:
    """Return a line without byte order marks and NULs.

    A file begins with such a mark, and files that were joined, cut or sorted have one anywhere.
    """
    return MARKS.sub("", line)
