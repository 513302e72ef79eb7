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
    """Yield the pairs of lines of two files that the pipeline has written.

    Raises UserError when a file is missing, empty or not UTF-8, or when one has more lines than the other.
    """
    number = 0
    for number, (one, other) in enumerate(zip_longest(read_lines(source), read_lines(target)), start=1):
        if one is None or other is None:
            longer, shorter = (source, target) if other is None else (target, source)
            raise UserError(
                f"{longer} has more lines than the {number - 1} of {shorter}: they are not sentence-aligned; line n of "
                "one file must be the translation of line n of the other"
            )
        yield one, other
    if number == 0:
        raise UserError(f"{source}: the file is empty; it needs at least one sentence")


def digest(pair: Pair) -> bytes:
    """Return a hash of 16 bytes, by which pairs are told apart and chosen."""
    # Neither side contains "\n", so different pairs give different texts.
    return hashlib.blake2b("\n".join(pair).encode(), digest_size=16).digest()
