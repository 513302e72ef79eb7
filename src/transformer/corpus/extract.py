"""Join the parts of a split into its two sides, one sentence per line; each part is checked separately."""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from transformer.common.arguments import argument_parser
from transformer.common.errors import UserError, run_script
from transformer.corpus.pairs import Pair, pair_writer, read_pairs, read_side
from transformer.corpus.registry import verify
from transformer.corpus.sgm import is_sgm, read_sgm_pairs


@dataclass(frozen=True)
class Part:
    """Two aligned files, text or ``.sgm``, or two tab-separated columns, from 1, of one file; each may be ``.gz``."""

    source: Path
    target: Path
    columns: tuple[int, int] | None = None


def main() -> None:
    parser = argument_parser(__doc__)
    about = "the files of the source side: text or .sgm, plain or .gz"
    parser.add_argument("--source", nargs="+", type=Path, required=True, help=about)
    parser.add_argument("--target", nargs="+", type=Path, required=True, help="likewise for the target side")
    about = "for each file, 0 or the column to read, from 1; both sides are then columns of one file"
    parser.add_argument("--source-columns", nargs="+", type=int, help=about)
    parser.add_argument("--target-columns", nargs="+", type=int, help="likewise for the target side")
    parser.add_argument("--output-source", type=Path, required=True)
    parser.add_argument("--output-target", type=Path, required=True)
    parser.add_argument("--downloads", type=Path, help="folder whose files are checked against the registry")
    arguments = parser.parse_args()
    files = (arguments.source, arguments.target)
    columns = [given or [0] * len(files[0]) for given in (arguments.source_columns, arguments.target_columns)]
    if len({len(values) for values in (*files, *columns)}) > 1:
        parser.error("--source, --target and both --…-columns need the same number of values")
    verify([*arguments.source, *arguments.target], arguments.downloads)
    parts = [
        Part(source, target, (first, second) if first else None)
        for source, target, first, second in zip(*files, *columns, strict=True)
    ]
    counts = extract(parts, (arguments.output_source, arguments.output_target))
    for part, count in zip(parts, counts, strict=True):
        print(f"{part.source}: {count:,} pairs", file=sys.stderr)


def extract(parts: Sequence[Part], outputs: tuple[Path, Path]) -> list[int]:
    """Write the pairs of all ``parts``, in their order, to ``outputs`` (source, target); return the count of each part.

    Each sentence is one line.  A byte order mark at the beginning of a part stays, for cleaning to take off and count.
    Memory does not grow with the corpus.

    Raises UserError, and writes no output, when a part cannot be read (see :func:`read_part`) or when all lines of one
    of its sides are empty.
    """
    counts = []
    with pair_writer(*outputs) as write:
        for part in parts:
            count, filled = 0, [False, False]
            for pair in read_part(part):
                count += 1
                filled = [before or bool(text.strip()) for before, text in zip(filled, pair, strict=True)]
                write(pair)
            for side, path in enumerate((part.source, part.target)):
                if not filled[side]:
                    what = f"column {part.columns[side]}" if part.columns else "the text"
                    raise UserError(f"{path}: {what} is empty in each of {count:,} lines; name another")
            counts.append(count)
    return counts


def read_part(part: Part) -> Iterator[Pair]:
    """Return the pairs of a part.

    Raises UserError with file and line when a line is not UTF-8 or lacks a column, when the sides differ in their
    number of lines, and when a file is empty, damaged or missing.
    """
    if part.columns is not None:
        return _read_columns(part.source, part.columns)
    if is_sgm(part.source, part.target):
        return iter(read_sgm_pairs(part.source, part.target))
    return read_pairs(part.source, part.target)


def _read_columns(path: Path, columns: tuple[int, int]) -> Iterator[Pair]:
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


if __name__ == "__main__":
    run_script(main)
