"""Reading and writing a parallel corpus: line n of one file is the translation of line n of the other."""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import chain, zip_longest
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

    Raises UserError when a file is missing or not UTF-8, and as :func:`aligned` does.
    """
    return aligned(read_lines(source), read_lines(target), source, target)


def aligned(
    ours: Iterator[str], theirs: Iterator[str], source: Path | str, target: Path | str
) -> Iterator[Pair]:
    """Yield pairs of the lines of two files.  Raises UserError when one is empty or has more lines than the other."""
    number = 0
    for number, (one, other) in enumerate(zip_longest(ours, theirs), start=1):
        if one is None or other is None:
            first, rest = (other, theirs) if one is None else (one, ours)
            longer, shorter = (target, source) if one is None else (source, target)
            if number == 1:
                raise UserError(f"{shorter}: the file is empty; it needs at least one sentence")
            # The mark with which DOS ended files is no sentence either.
            surplus = Counter(bool(line.strip(" \t\x1a")) for line in chain((first or "",), rest))
            advice = "line n of one file must be the translation of line n of the other"
            if not surplus[True]:
                advice = (
                    f"what {longer} has more is empty: delete its last lines, {surplus[False]:,} in number"
                )
            raise UserError(
                f"{longer} has {number - 1 + surplus.total():,} lines but {shorter} has {number - 1:,}: they are not "
                f"sentence-aligned; {advice}"
            )
        yield one, other
    if number == 0:
        raise UserError(f"{source}: the file is empty; it needs at least one sentence")


def digest(pair: Pair) -> bytes:
    """Return a hash of 16 bytes, by which pairs are told apart and chosen."""
    # Neither side contains "\n", so different pairs give different texts.
    return hashlib.blake2b("\n".join(pair).encode(), digest_size=16).digest()
