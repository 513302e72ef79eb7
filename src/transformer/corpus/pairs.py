"""Reading and writing a parallel corpus: line n of one file is the translation of line n of the other."""

import gzip
import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import zip_longest
from pathlib import Path
from typing import IO, Any, cast

from transformer.common.errors import UserError, reading
from transformer.common.files import atomic_writer, lines_of, read_lines

Pair = tuple[str, str]
AGAIN = "remove it and download it again"


@contextmanager
def pair_writer(source: Path, target: Path) -> Iterator[Callable[[Pair], None]]:
    """Yield a function that writes a pair to two files, which appear when the block ends without an error."""
    with atomic_writer(source) as ours, atomic_writer(target) as theirs:

        def write(pair: Pair) -> None:
            ours.write(pair[0] + "\n")
            theirs.write(pair[1] + "\n")

        yield write


def read_pairs(source: Path | str, target: Path | str) -> Iterator[Pair]:
    """Yield the pairs of lines of two UTF-8 files, which may be compressed (see :func:`read_side`).

    Raises UserError when a file is empty or damaged, when one has more lines than the other, or when a line is not
    UTF-8.
    """
    counts = [0, 0]
    for lines in zip_longest(read_side(source), read_side(target)):
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


def read_side(path: Path | str) -> Iterator[str]:
    """Yield the lines of a UTF-8 file, and decompress it if its name ends in ``.gz``.

    Raises UserError when it is damaged or a line is not UTF-8.
    """
    path = Path(path)
    if path.suffix.lower() != ".gz":
        yield from read_lines(path)
        return
    with reading(path, AGAIN), open(path, "rb") as compressed:
        yield from lines_of(open_gzip(compressed), path)


def open_gzip(compressed: IO[bytes]) -> IO[bytes]:
    """Return the content of a gzip as a stream.  Raises EOFError for an empty file, which Python would accept."""
    if not cast(Any, compressed).peek(1):
        raise EOFError("the file is empty")
    return cast(IO[bytes], gzip.GzipFile(fileobj=compressed))
