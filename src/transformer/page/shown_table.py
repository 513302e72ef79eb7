"""A table as a page shows it: its cells with the files behind them, and intervals drawn on an axis."""

import html
import math
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import groupby

from transformer.tables.cells import OURS, Cell, Line, Table
from transformer.tables.render import cell_text, footnotes, letters_of, shown_cells

Score = tuple[float, float, float]  # the lower end of the interval, the value, the upper end
Axis = tuple[int, int] | None  # its ends; None where there is nothing to draw
PLOT = "plot"  # the head of a column that draws the intervals of the one before it


@dataclass(frozen=True)
class Shown:
    """What a cell says.  ``files`` names those behind a number of ours, with the place of the number in each.

    ``plot`` is a score in percent of the width of its axis.
    """

    text: str = ""
    files: str = ""
    plot: Score | None = None


@dataclass(frozen=True)
class Block:
    """Rows on the same test set.  ``axis`` has a cell for each column: below plots, the ends of their axis."""

    title: str
    rows: Sequence[Sequence[Shown]]
    axis: Sequence[Axis]


@dataclass(frozen=True)
class ShownTable:
    """A table: its title, what its numbers are of, both heads of each column, its rows, the paragraphs around it."""

    title: str
    warning: str
    heads: Sequence[tuple[str, str]]  # EN-DE, and below it paper
    blocks: Sequence[Block]
    notes: Sequence[str]

    @property
    def groups(self) -> list[tuple[str, int]]:
        """Return the upper heads with the number of columns that each spans."""
        return [(name, len(list(same))) for name, same in groupby(upper for upper, _ in self.heads)]


def shown_table(table: Table) -> ShownTable:
    """Return a table as a page shows it."""
    rows = list(zip(table.shown, shown_cells(table, table.columns), strict=True))
    plotted = {number for _, cells in rows for number, cell in enumerate(cells) if _has_interval(cell)}
    heads = []
    for number, column in enumerate(table.columns):
        upper, lower = ("", *column.heads)[-2:]
        heads += [(upper, lower), *([(upper, PLOT)] if number in plotted else [])]
    blocks = [_block(table, plotted, list(same)) for _, same in groupby(rows, key=lambda row: row[0].origin)]
    notes = [*table.above, *footnotes(table), *table.below]
    return ShownTable(table.title, table.warning and f"{table.warning}.", heads, blocks, notes)


def _block(table: Table, plotted: Collection[int], rows: Sequence[tuple[Line, Sequence[Cell]]]) -> Block:
    """Return the rows of one origin, the paper's or ours, with a cell more behind each score of a ``plotted`` column.

    The paper's rows have their own numbers drawn in the same column.
    """
    shown: list[list[Shown]] = [[] for _ in rows]
    axis: list[Axis] = []
    letters = letters_of(table)
    for number, column in enumerate(table.columns):
        axis.append(None)
        for row, (_, cells) in zip(shown, rows, strict=True):
            row.append(_shown(cells[number], letters))
        if number in plotted:
            scores = [_score(line.cell(column.column)) for line, _ in rows]
            axis.append(_axis(scores))
            for row, score in zip(shown, scores, strict=True):
                row.append(Shown(plot=_placed(score, axis[-1])))
    return Block(_title(table, rows[0][0]), shown, axis)


def _shown(cell: Cell, letters: dict[str, str]) -> Shown:
    files = "; ".join(f"{source.path}: {source.key}" for source in cell.sources) if cell.shown else ""
    return Shown(cell_text(cell, letters), files)


def _title(table: Table, line: Line) -> str:
    """Return what a block's scores are of; a table without the paper's rows has one block, without a title."""
    if all(other.origin == OURS for other in table.shown):
        return ""
    if line.origin == OURS:
        return f"Ours: {table.corpus}"
    corpus = line.facts.get("corpus") or line.facts.get("treebank")
    return f"The paper: {corpus}" if corpus else "The paper"


def inline(text: str) -> str:
    """Return a cell or paragraph of Markdown as HTML: bold type, code, raised signs, and names such as d_k.

    >>> inline("**28.4**<sup>a</sup> < n^2 d_k")
    '<strong>28.4</strong><sup>a</sup> &lt; n<sup>2</sup> d<sub>k</sub>'
    """
    text = html.escape(text, quote=False)
    for pattern, replacement in (
        (r"&lt;(/?sup)&gt;", r"<\1>"),
        (r"\*\*(.+?)\*\*", r"<strong>\1</strong>"),
        (r"`(.+?)`", r"<code>\1</code>"),
        (r"\^(-?\d+(?:\.\d+)?)", r"<sup>\1</sup>"),
        (r"\b(d|P|log|eps)_(model|drop|ff|ls|k|v)\b", r"\1<sub>\2</sub>"),
        (r"\beps<", "ε<"),
    ):
        text = re.sub(pattern, replacement, text)
    return text


def _has_interval(cell: Cell) -> bool:
    return cell.kind == "score" and bool(cell.shown) and (cell.low is not None or cell.sd is not None)


def _score(cell: Cell | None) -> Score | None:
    """Return a score with its interval, of several seeds with one standard deviation to both sides."""
    if cell is None:
        return None
    value, spread = float(cell.value), cell.sd or 0.0
    if cell.low is None or cell.high is None:
        return value - spread, value, value + spread
    return cell.low, value, cell.high


def _axis(scores: Sequence[Score | None]) -> Axis:
    """Return the ends of an axis for scores, or None if there are none."""
    ends = [end for score in scores if score for end in score]
    return (math.floor(min(ends)), math.ceil(max(ends))) if ends else None


def _placed(score: Score | None, axis: Axis) -> Score | None:
    if score is None or axis is None:
        return None
    low, at, high = (round(100 * (end - axis[0]) / max(axis[1] - axis[0], 1), 2) for end in score)
    return low, at, high
