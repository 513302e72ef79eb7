"""Reading and writing a parallel corpus: line n of one file is the translation of line n of the other."""

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import zip_longest
from pathlib import Path

from transformer.common.errors import UserError
from transformer.common.files import atomic_writer, read_lines

Pair = tuple[str, str]


@contextmanager
def pair_writer(source: Path, target: Path) -> Iterator[Callable[[Pair], None]]:
    """Yield a function that writes a pair to two files, which appear when the block ends without an error."""
    with atomic_writer(source) as ours, atomic_writer(target) as theirs:

        def write(pair: Pair) -> None:
            ours.write(pair[0] + "\n")
            theirs.write(pair[1] + "\n")

        yield write


def read_pairs(source: Path | str, target: Path | str) -> Iterator[Pair]:
    """Yield the pairs of lines of two UTF-8 files, which may be compressed.

    Raises UserError when a file is empty or damaged, when one has more lines than the other, or when a line is not
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
            raise UserError(f"{path}: the file is empty; it needs at least one sentence")
    if counts[0] != counts[1]:
        raise UserError(
            f"{source} has {counts[0]} lines but {target} has {counts[1]}: they are not sentence-aligned; "
            "line n of one file must be the translation of line n of the other"
        )


def digest(pair: Pair) -> bytes:
    """Return a hash of 16 bytes, by which pairs are told apart and chosen."""
    # Neither side contains "\n", so different pairs give different texts.
    return hashlib.blake2b("\n".join(pair).encode(), digest_size=16).digest()
