"""Comparison with the paper: each number that both have, the difference, and whether rows come in the same order.

The cells of the tables are the input, so that nothing is computed twice; whether rows differ clearly is judged by the
counts of each sentence, in the files beside the scores that the cells name.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from transformer.common.errors import UserError
from transformer.scoring.bootstrap import LEVEL
from transformer.scoring.significance import Trainings, clearly_above
from transformer.tables.cells import COUNTS, MILLIONS, PAPER, QUALITIES, Cell, Line, Table, read_table
from transformer.tables.literature import scientific
from transformer.tables.seed_means import p_over_seeds
from transformer.tables.sentence_counts import beside, trainings

# ``paper`` is as printed; ``ours`` is a number, or an expression in a row of Table 1.  ``is_ratio`` marks sizes and
# amounts of work, which are compared by ratio instead of difference.  ``note`` is the table's warning that ours are not
# on the paper's data.  ``sources`` are those of the cell, and ``sentences`` the files, one for each seed, of the counts
# from which a measure of quality is computed.
COLUMNS = "table row block quantity is_ratio paper ours scale corpus note sources sentences".split()


def with_texts(numbers: pd.DataFrame) -> pd.DataFrame:
    """Return what ``read_numbers`` read of the numbers that both have, with the text to show."""
    frame = numbers[numbers["paper"] != ""].reset_index(drop=True)
    frame["ours_text"] = [_ours_text(row) for row in frame.itertuples()]
    frame["difference_text"] = [_difference_text(row) for row in frame.itertuples()]
    return frame


def read_numbers(paths: Sequence[Path]) -> pd.DataFrame:
    """Read ``table2.json`` and others: one row for each number of ours, with ``COLUMNS``; the paper's may be blank.

    The column ``trainings`` has the scores of our trainings and those on resampled test sets, None of counts.  Raises
    UserError for a file that is not a table of this version, and when the tables are of several scales.
    """
    tables = [read_table(path) for path in paths]
    frame = pd.DataFrame([row for table in tables for row in _numbers(table)], columns=COLUMNS, dtype=object)
    if len(scales := {table.scale for table in tables} - {""}) > 1:
        raise UserError(
            f"{paths[0]} and others: of the scales {', '.join(sorted(scales))}; compare one scale"
        )
    frame["is_ratio"] = frame["is_ratio"].astype(bool)
    frame["trainings"] = pd.Series(
        [trainings(paths) if paths else None for paths in frame["sentences"]], frame.index, dtype=object
    )
    return frame


def _numbers(table: Table) -> list[dict[str, Any]]:
    """Return a row for each of our cells that has a quantity, one quantity after another."""
    cells = [(line, cell) for line, cell in table.cells() if cell.quantity]
    quantities = list(dict.fromkeys(cell.quantity for _, cell in cells))
    cells.sort(key=lambda pair: quantities.index(pair[1].quantity))
    return [_number(table, line, cell) for line, cell in cells]


def _number(table: Table, line: Line, cell: Cell) -> dict[str, Any]:
    paper = line.cell(cell.column, PAPER)
    return {
        "table": table.name,
        "scale": table.scale,
        "corpus": table.corpus,
        "row": line.name,
        "block": line.block,
        "quantity": cell.quantity,
        "is_ratio": cell.kind in COUNTS,
        "paper": paper.value if paper else "",
        "ours": cell.value / 1e6 if cell.kind == MILLIONS else cell.value,
        "note": line.facts.get("note", table.warning),
        "sources": cell.sources,
        "sentences": [beside(source.path) for source in cell.sources] if cell.kind in QUALITIES else [],
    }


def orderings(numbers: pd.DataFrame) -> pd.DataFrame:
    """Return how rows are ordered by each quality measure: over all rows, then over each lettered block with base.

    ``same``, ``reversed`` and ``tied`` count pairs of rows; ``clearly`` counts the reversed ones that differ beyond
    chance.
    """
    rows = []
    ordered = numbers[~numbers["is_ratio"] & (numbers["table"] != "table1")]
    for (table, quantity), group in ordered.groupby(["table", "quantity"], sort=False):
        parts = {"all": group}
        for block in group["block"].unique():
            if len(block) == 1:
                parts[f"base, ({block})"] = group[group["block"].isin(["base", block])]
        systems = dict(group["trainings"])
        for title, part in parts.items():
            place = {"table": table, "quantity": quantity, "rows": title, "count": len(part)}
            lists = part["paper"].astype(float), part["ours"].astype(float)
            found = rank_correlation(*lists)
            rows.append(place | found | {"clearly": _clearly_reversed(part, systems)})
    columns = "table quantity rows count same reversed clearly tied kendall p spearman".split()
    return pd.DataFrame(rows, columns=columns, dtype=object)


def rank_correlation(first: Iterable[float], second: Iterable[float]) -> dict[str, Any]:
    """Return how two lists of the same length order their items.

    ``same`` and ``reversed`` count the pairs of items that both lists put in the same order, and in opposite ones; in
    ``tied`` pairs at least one list has equal values.  Kendall's τ-b (Kendall 1945: ties shorten the possible range)
    with its two-sided p-value, and Spearman's ρ (Pearson's r of ranks), are None where a list has no order.
    """
    lists = [np.array([*values], dtype=float) for values in (first, second)]
    pairs = np.triu_indices(len(lists[0]), 1)
    a, b = (np.sign(np.subtract.outer(values, values))[pairs].astype(int) for values in lists)
    same, other = int((a * b > 0).sum()), int((a * b < 0).sum())
    counts = {"same": same, "reversed": other, "tied": len(a) - same - other}
    if not a.any() or not b.any():
        return counts | dict.fromkeys(("kendall", "p", "spearman"))
    kendall = stats.kendalltau(*lists)
    found = {"kendall": kendall.statistic, "p": kendall.pvalue, "spearman": stats.spearmanr(*lists).statistic}
    return counts | {name: float(value) for name, value in found.items()}


def sentence_files(numbers: pd.DataFrame) -> list[Path]:
    """Return the files of sentences that the numbers were read with."""
    return [path for paths in numbers["sentences"] for path in paths]


def _ours_text(row: Any) -> str:
    """Return our number with the paper's precision; sizes below ten have two decimals."""
    if isinstance(row.ours, str):
        return row.ours
    if "e" in row.paper:
        return scientific(int(row.ours))
    decimals = _decimals(row.paper) or (2 if row.ours < 10 else 0)
    return f"{row.ours:.{decimals}f}"


def _difference_text(row: Any) -> str:
    """Return the difference, ``+54.0``, or the ratio, ``×0.0252``; nothing for expressions."""
    if isinstance(row.ours, str):
        return ""
    if row.is_ratio:
        return f"×{row.ours / float(row.paper):.3g}"
    return f"{row.ours - float(row.paper):+.{_decimals(row.paper)}f}"


def _decimals(printed: str) -> int:
    return len(printed.partition(".")[2])


def _clearly_reversed(rows: pd.DataFrame, systems: Mapping[Any, Trainings]) -> int:
    """Return how many pairs of rows are reversed beyond chance, all rows of the table being ``systems`` by index."""
    has_seeds = any(len(system.values) > 1 for system in systems.values())
    items = zip(rows.index, rows["paper"].astype(float), rows["ours"], strict=True)
    return sum(
        paper < next_paper and ours > next_ours and _differ(one, other, systems, has_seeds)
        for (one, paper, ours), (other, next_paper, next_ours) in permutations(items, 2)
    )


def _differ(higher: Any, lower: Any, systems: Mapping[Any, Trainings], has_seeds: bool) -> bool:
    if has_seeds:
        return p_over_seeds(higher, lower, systems, systems) < 1 - LEVEL
    return clearly_above(systems[higher].resampled[0], systems[lower].resampled[0])
