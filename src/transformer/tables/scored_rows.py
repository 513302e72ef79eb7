"""What the claims read of the tables: each measure of quality of each row, and the trainings behind it.

The cells of the tables are the input, so that nothing is computed twice; the counts of each sentence are in the files
beside the scores that the cells name.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from transformer.common.errors import UserError
from transformer.tables.cells import PAPER, QUALITIES, Cell, Line, Table, read_table
from transformer.tables.sentence_counts import beside, trainings

# ``paper`` is as printed, and may be blank.  ``sentences`` are the files, one for each seed, of the counts from which
# the measure is computed.
COLUMNS = "table row quantity paper scale corpus sentences".split()


def read_scored_rows(paths: Sequence[Path]) -> pd.DataFrame:
    """Read ``table2.json`` and others: one row for each measure of quality of ours, with ``COLUMNS``.

    The column ``trainings`` has the scores of our trainings and those on resampled test sets.  Raises UserError for a
    file that is not a table of this version, and when the tables are of several scales.
    """
    tables = [read_table(path) for path in paths]
    frame = pd.DataFrame([row for table in tables for row in _rows(table)], columns=COLUMNS, dtype=object)
    if len(scales := {table.scale for table in tables} - {""}) > 1:
        raise UserError(
            f"{paths[0]} and others: of the scales {', '.join(sorted(scales))}; compare one scale"
        )
    return frame.assign(trainings=pd.Series(map(trainings, frame["sentences"]), frame.index, dtype=object))


def _rows(table: Table) -> list[dict[str, Any]]:
    """Return a row for each of our cells that has a measure of quality, one quantity after another."""
    cells = [(line, cell) for line, cell in table.cells() if cell.quantity and cell.kind in QUALITIES]
    quantities = list(dict.fromkeys(cell.quantity for _, cell in cells))
    cells.sort(key=lambda pair: quantities.index(pair[1].quantity))
    return [_row(table, line, cell) for line, cell in cells]


def _row(table: Table, line: Line, cell: Cell) -> dict[str, Any]:
    paper = line.cell(cell.column, PAPER)
    return {
        "table": table.name,
        "row": line.name,
        "quantity": cell.quantity,
        "paper": paper.value if paper else "",
        "scale": table.scale,
        "corpus": table.corpus,
        "sentences": [beside(source.path) for source in cell.sources],
    }


def sentence_files(rows: pd.DataFrame) -> list[Path]:
    """Return the files of sentences that the rows were read with."""
    return [path for paths in rows["sentences"] for path in paths]


def scale_of(rows: pd.DataFrame) -> str:
    """Return the scale, which is the same for all tables."""
    return next(iter(rows["scale"]), "")


def corpora_of(rows: pd.DataFrame) -> list[str]:
    """Return the corpora that our models were trained on, each once."""
    return list(rows["corpus"].unique())
