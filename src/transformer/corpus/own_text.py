"""Reading the user's own parallel text: two files, or two columns of one file; each part is checked separately."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from transformer.common.errors import UserError
from transformer.common.files import atomic_writer
from transformer.corpus.pairs import read_pairs, read_side
from transformer.corpus.sgm import is_sgm, read_sgm_pairs


@dataclass(frozen=True)
class OwnPart:
    """Two aligned files, text or ``.sgm``, or two tab-separated columns, from 1, of one file; each may be ``.gz``."""

    source: Path
    target: Path
    columns: tuple[int, int] | None = None


def gather(parts: Sequence[OwnPart], outputs: tuple[Path, Path]) -> list[int]:
    """Write the pairs of all ``parts``, in their order, to ``outputs`` (source, target); return the count of each part.

    Each sentence is one line.  A byte order mark at the beginning of a part stays, for cleaning to take off and count.
    Memory does not grow with the corpus.

    Raises UserError, and writes no output, when a part cannot be read (see :func:`read_part`) or when all lines of one
    of its sides are empty.
    """
    counts = []
    with ExitStack() as stack:
        files = [stack.enter_context(atomic_writer(path)) for path in outputs]
        for part in parts:
            count, filled = 0, [False, False]
            for pair in read_part(part):
                count += 1
                for side, sentence in enumerate(pair):
                    filled[side] = filled[side] or bool(sentence.strip())
                    files[side].write(sentence + "\n")
            for side, path in enumerate((part.source, part.target)):
                if not filled[side]:
                    raise UserError(
                        f"{_place(part, side, path)} is empty in each of {count:,} lines; name another"
                    )
            counts.append(count)
    return counts


def read_part(part: OwnPart) -> Iterator[tuple[str, str]]:
    """Return the pairs of a part.

    Raises UserError with file and line when a line is not UTF-8 or lacks a column, when the sides differ in their
    number of lines, and when a file is empty, damaged or missing.
    """
    if part.columns is not None:
        return _read_columns(part.source, part.columns)
    if is_sgm(part.source, part.target):
        return iter(read_sgm_pairs(part.source, part.target))
    return read_pairs(part.source, part.target)


def _read_columns(path: Path, columns: tuple[int, int]) -> Iterator[tuple[str, str]]:
    number = 0
    for number, line in enumerate(read_side(path), start=1):
        cells = line.split("\t")
        if len(cells) < max(columns):
            raise UserError(
                f"{path}, line {number}: it has {len(cells)} tab-separated columns, but column {max(columns)} is asked "
                "for; correct the line or `columns`"
            )
        yield cells[columns[0] - 1], cells[columns[1] - 1]
    if number == 0:
        raise UserError(f"{path}: the file is empty; it needs at least one sentence")


def _place(part: OwnPart, side: int, path: Path) -> str:
    return f"{path}: column {part.columns[side]}" if part.columns else f"{path}: the text"
