"""Join the parts of a split into its two sides, one sentence per line; each part is checked separately.

A part is text, tab-separated columns, or a test set with tags, as WMT and IWSLT ship them.  Its content shows which of
them it is, and how it is compressed.
"""

import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from transformer.common.arguments import argument_parser
from transformer.common.errors import UserError, run_script
from transformer.common.notes import say
from transformer.corpus.markup import has_segments, read_plain, read_sgm_pairs
from transformer.corpus.pairs import Pair, pair_writer, read_pairs
from transformer.corpus.registry import verify


@dataclass(frozen=True)
class Part:
    """Two aligned files, of text or a test set with tags, or two tab-separated columns, from 1, of one file."""

    source: Path
    target: Path
    columns: tuple[int, int] | None = None


def main() -> None:
    parser = argument_parser(__doc__)
    about = "the files of the source side: text or test sets with tags, compressed or not"
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
        print(f"{part.source} and {part.target}: {count:,} pairs", file=sys.stderr)


def extract(parts: Sequence[Part], outputs: tuple[Path, Path]) -> list[int]:
    """Write the pairs of all ``parts``, in their order, to ``outputs`` (source, target); return the count of each part.

    Each sentence is one line.  A byte order mark at the beginning of a part stays, for cleaning to take off and count.
    Memory does not grow with the corpus.

    Raises UserError, and writes no output, when a part cannot be read (see :func:`read_part`).
    """
    counts = []
    with pair_writer(*outputs) as write:
        for part in parts:
            counts.append(0)
            for pair in read_part(part):
                write(pair)
                counts[-1] += 1
    return counts


def read_part(part: Part) -> Iterator[Pair]:
    """Return the pairs of a part.

    Raises UserError with file and line when a line is not UTF-8 or lacks a column, when the sides differ in kind or in
    their number of lines, and when a file is empty, damaged or missing.
    """
    if part.columns is not None:
        return _read_columns(part.source, part.columns)
    paths = (part.source, part.target)
    is_tagged = [has_segments(path) for path in paths]
    if is_tagged[0] != is_tagged[1]:
        raise UserError(f"{paths[0]} and {paths[1]}: only one of them has tags; name two files of one kind")
    return iter(read_sgm_pairs(*paths)) if is_tagged[0] else read_pairs(*paths)


def _read_columns(path: Path, columns: tuple[int, int]) -> Iterator[Pair]:
    number = columns_of_first = quoted = 0
    counts: Counter[str] = Counter()
    lines: dict[str, int] = {}  # the first with each oddity
    for number, line in enumerate(read_plain(path), start=1):
        cells = line.split("\t")
        columns_of_first = columns_of_first or len(cells)
        for oddity in _oddities(line, cells, columns_of_first):
            counts[oddity] += 1
            lines.setdefault(oddity, number)
        if len(cells) < max(columns):
            raise UserError(
                f"{path}, line {number}: it has {len(cells)} tab-separated columns, but column {max(columns)} is asked "
                "for; correct the line or `columns`"
            )
        pair = cells[columns[0] - 1], cells[columns[1] - 1]
        quoted += all(re.fullmatch('".*"', cell) for cell in pair)
        yield pair
    if number == 0:
        raise UserError(f"{path}: the file is empty; it needs at least one sentence")
    if 2 * quoted > number:
        say(
            f"{path}: {quoted:,} of {number:,} lines have their cells in quotes, as spreadsheets write them, and keep "
            "these; write it without quoting"
        )
    for oddity, count in counts.items():
        say(f"{path}: {count:,} of {number:,} lines, line {lines[oddity]} first, {oddity}")


def _oddities(line: str, cells: list[str], columns: int) -> Iterator[str]:
    """Yield what is odd in a line of a file whose first line has so many ``columns``."""
    if len(cells) != columns:
        yield f"do not have {columns} columns, as line 1 has; a stray tab shifts the columns behind it"
    if '""' in line and any(map(_is_quoted, cells)):
        yield "have a cell in quotes with doubled quotes inside, as spreadsheets write it; write it without quoting"


def _is_quoted(cell: str) -> bool:
    inside = cell[1:-1]
    return cell == f'"{inside}"' and '""' in inside and '"' not in inside.replace('""', "")


if __name__ == "__main__":
    run_script(main)
