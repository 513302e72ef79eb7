"""A table as a page shows it: its cells with the files behind them, and intervals drawn on an axis."""

import html
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from transformer.tables.cells import OURS, Cell, Column, Line, Table
from transformer.tables.render import cell_text, footnotes, letters_of, shown_cells

Head = tuple[str, str]  # EN-DE, and below it paper
Score = tuple[float, float, float]  # the lower end of the interval, the value, the upper end
PLOT = "plot"  # the head of a column that draws the intervals of the one before it


@dataclass(frozen=True)
class Plot:
    """A score and its interval in percent of the width of an axis."""

    at: float
    low: float
    high: float


@dataclass(frozen=True)
class Shown:
    """What a cell says.  ``files`` names those behind a number of ours, with the place of the number in each."""

    text: str = ""
    files: str = ""
    plot: Plot | None = None


@dataclass(frozen=True)
class Block:
    """Rows on the same test set.  ``axis`` has a cell for each column: below plots, the ends of their axis."""

    title: str
    rows: Sequence[Sequence[Shown]]
    axis: Sequence[tuple[int, int] | None]


@dataclass(frozen=True)
class ShownTable:
    """A table: its title, what its numbers are of, both heads of each column, its rows, the paragraphs around it."""

    title: str
    warning: str
    heads: Sequence[tuple[str, str]]
    blocks: Sequence[Block]
    notes: Sequence[str]

    @property
    def groups(self) -> list[tuple[str, int]]:
        """Return the upper heads with the number of columns that each spans."""
        return [(name, len(list(same))) for name, same in groupby(upper for upper, _ in self.heads)]


def shown_table(table: Table) -> ShownTable:
    """Return a table as a page shows it."""
    columns = table.columns
    letters = letters_of(table)
    rows = list(zip(table.shown, shown_cells(table, columns), strict=True))
    plotted = [any(_has_interval(cells[number]) for _, cells in rows) for number in range(len(columns))]
    heads: list[Head] = []
    for column, has_plot in zip(columns, plotted, strict=True):
        head = _head(column)
        heads += [head, (head[0], PLOT)] if has_plot else [head]
    blocks = []
    for _, same in groupby(rows, key=lambda row: row[0].origin):
        lines, cells = zip(*same, strict=True)
        # The paper's rows have their own numbers drawn in the same column.
        scores = [
            [_score(line.cell(column.column)) for line in lines] if has_plot else None
            for column, has_plot in zip(columns, plotted, strict=True)
        ]
        shown = [[_shown(cell, letters) for cell in of_line] for of_line in cells]
        blocks.append(_block(_title(table, lines[0]), list(zip(*shown, strict=True)), scores))
    notes = [*table.above, *footnotes(table), *table.below]
    return ShownTable(table.title, table.warning and f"{table.warning}.", heads, blocks, notes)


def _head(column: Column) -> Head:
    *uppers, lower = column.heads
    return (uppers[-1] if uppers else "", lower)


def _block(
    title: str, columns: Sequence[Sequence[Shown]], scores: Sequence[Sequence[Score | None] | None]
) -> Block:
    """Return the rows of one origin, the paper's or ours, with a cell more behind each score that is plotted."""
    shown: list[Sequence[Shown]] = []
    axis: list[tuple[int, int] | None] = []
    for cells, of_column in zip(columns, scores, strict=True):
        shown.append(cells)
        axis.append(None)
        if of_column is not None:
            axis.append(_axis(of_column))
            shown.append([Shown(plot=_placed(score, axis[-1])) for score in of_column])
    return Block(title, list(zip(*shown, strict=True)), axis)


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
    ends = (
        (value - spread, value + spread) if cell.low is None or cell.high is None else (cell.low, cell.high)
    )
    return ends[0], value, ends[1]


def _axis(scores: Sequence[Score | None]) -> tuple[int, int] | None:
    """Return the ends of an axis for scores, or None if there are none."""
    known = [score for score in scores if score]
    if not known:
        return None
    return math.floor(min(low for low, _, _ in known)), math.ceil(max(high for _, _, high in known))


def _placed(score: Score | None, axis: tuple[int, int] | None) -> Plot | None:
    if score is None or axis is None:
        return None
    low, at, high = (round(100 * (value - axis[0]) / max(axis[1] - axis[0], 1), 2) for value in score)
    return Plot(at, low, high)
