"""What the claims read of the tables: each measure of quality of each row, and the trainings behind it.

The cells of the tables are the input, so that nothing is computed twice; the counts of each sentence are in the files
beside the scores that the cells name.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from transformer.common.errors import UserError
from transformer.scoring.significance import Trainings
from transformer.tables.cells import PAPER, Table, read_table
from transformer.tables.sentence_counts import sentence_file, trainings


@dataclass(frozen=True)
class ScoredRow:
    """One measure of quality of a row of ours: the trainings, and the files, one for each seed, that these are from."""

    table: str
    row: str
    quantity: str
    paper: float | None
    trainings: Trainings
    files: Sequence[Path] = ()


def read_tables(paths: Sequence[Path]) -> list[Table]:
    """Read ``table2.json`` and others.

    Raises UserError for a file that is not a table of this version, and when the tables are of several scales.
    """
    tables = [read_table(path) for path in paths]
    if len(scales := {table.scale for table in tables} - {""}) > 1:
        raise UserError(
            f"{paths[0]} and others: of the scales {', '.join(sorted(scales))}; compare one scale"
        )
    return tables


def scored_rows(tables: Iterable[Table]) -> list[ScoredRow]:
    """Return a row for each of our cells that has a measure of quality, of each table one quantity after another.

    Raises UserError when the counts of a cell's sentences cannot be read, or are of several test sets.
    """
    rows = []
    for table in tables:
        cells = [
            (line, cell)
            for line, cell in table.cells()
            if cell.quantity and cell.kind in ("score", "perplexity")
        ]
        quantities = list(dict.fromkeys(cell.quantity for _, cell in cells))
        for line, cell in sorted(cells, key=lambda pair: quantities.index(pair[1].quantity)):
            paper = line.cell(cell.column, PAPER)
            files = [sentence_file(source.path) for source in cell.sources]
            printed = float(paper.value) if paper else None
            rows.append(ScoredRow(table.name, line.name, cell.quantity, printed, trainings(files), files))
    return rows
