"""Reading a parallel corpus: two files whose lines belong together."""

from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path

from transformer.errors import UserError
from transformer.files import read_lines


def read_pairs(source: Path | str, target: Path | str) -> Iterator[tuple[str, str]]:
    """Stream the pairs of lines of two UTF-8 files.

    Raises UserError when a file is empty, when one has more lines than the other, and when a line is not
    UTF-8.
    """
    counts = [0, 0]
    for lines in zip_longest(read_lines(source), read_lines(target)):
        for side, line in enumerate(lines):
            counts[side] += line is not None
        if counts[0] == counts[1]:
            yield lines
    for path, count in zip((source, target), counts, strict=True):
        if count == 0:
            raise UserError(f"{path}: the file is empty; a corpus needs at least one pair of sentences")
    if counts[0] != counts[1]:
        raise UserError(
            f"{source} has {counts[0]} lines but {target} has {counts[1]}: they are not sentence-aligned; "
            "get both files from the same release"
        )
