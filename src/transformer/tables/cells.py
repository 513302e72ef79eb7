"""A table as cells: what its renderings, the claims, the page and ``make verify`` are made from.

``results/<scale>/tables/table2.json`` holds Table 2 in this form, sealed.  Nobody reads a rendering of it back.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Literal

from pydantic import TypeAdapter

from transformer.common.artifacts import read_artifact

FORMAT = 1
OURS, PAPER = "ours", "paper"
# What a cell is: a measure of quality, a count, an expression, a p-value, the effect that a claim is about, or text.
CellKind = Literal["score", "perplexity", "count", "millions", "expression", "p", "effect", "text"]


@dataclass(frozen=True)
class Source:
    """A number as one seed has it: the file that it was read from, its place there, and the file's sha256.

    ``low`` and ``high`` are its bootstrap interval.
    """

    path: str
    key: str
    sha256: str
    value: Any
    seed: int | None = None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Cell:
    """One number or text of a table, unrounded, and how it is shown.

    ``shown`` and ``spread`` (`` [69.7, 72.5]``) are Markdown; ``latex`` is given if it is more than these turned into
    LaTeX.  The interval ``low`` to ``high`` is that of one seed, the sample standard deviation ``sd`` that of several.
    ``p`` is of the difference to the base of the table, ``p_holm`` after Holm's correction.
    """

    column: str  # "bleu_en-de", as in the CSV file
    shown: str = ""
    spread: str = ""
    origin: str = OURS  # or PAPER, or whose number it is
    kind: CellKind = "text"
    quantity: str = ""  # as the claims call it; blank if it is not compared
    latex: str = ""
    value: Any = None
    low: float | None = None
    high: float | None = None
    sd: float | None = None
    p: float | None = None
    p_holm: float | None = None
    note: str = ""  # a footnote
    is_bold: bool = False
    sources: Sequence[Source] = field(default_factory=list)
    # What the CSV file says besides, if its rows are cells.
    facts: Mapping[str, Any] = field(default_factory=dict)


def paper_cell(column: str, text: str, **more: Any) -> Cell:
    """Return what the paper prints, as it prints it."""
    return Cell(column, text, origin=PAPER, value=text, **more)


@dataclass(frozen=True)
class Line:
    """The cells of a model or layer.  One that is not shown is in the CSV file only, below the line it belongs to."""

    cells: Sequence[Cell]
    name: str = ""  # of the model or layer, as the claims call it
    block: str = ""  # a rule separates lines of different blocks
    origin: str = OURS
    title: str = ""  # of the lines from here on
    is_shown: bool = True
    # The text of other columns of the CSV file, in which our lines have the table's scale, corpus and warning, too.
    facts: Mapping[str, Any] = field(default_factory=dict)

    def cell(self, column: str, origin: str = "") -> Cell | None:
        """Return the cell of a column that is of the line's origin, or of another."""
        wanted = (column, origin or self.origin)
        return next((cell for cell in self.cells if (cell.column, cell.origin) == wanted), None)


@dataclass(frozen=True)
class Column:
    """A column that is shown: its heads from the top, and the ``column`` and ``origin`` of its cells.

    Without an origin, each line shows the cell of its own.
    """

    column: str
    heads: Sequence[str]
    origin: str = ""
    latex_heads: Sequence[str] = field(default_factory=list)  # if they are others
    in_latex: bool = True


@dataclass(frozen=True)
class Table:
    """A table of the paper with ours beside it, or another table of ours."""

    name: str
    columns: Sequence[Column]
    lines: Sequence[Line]
    # The CSV file: its columns, what a row is, and the columns that name the files behind a column of cells.
    csv: Sequence[str]
    csv_row: Literal["line", "cell"] = "line"
    files: Mapping[str, str] = field(default_factory=dict)
    scale: str = ""
    corpus: str = ""
    title: str = ""
    # What ours are, and that they are not on the paper's data.
    warning: str = ""
    # Markdown: paragraphs above the table and below it.
    above: Sequence[str] = field(default_factory=list)
    below: Sequence[str] = field(default_factory=list)
    # LaTeX: the caption is plain text, the notes below the table are Markdown.
    caption: str = ""
    notes: Sequence[str] = field(default_factory=list)
    column_format: str = ""  # l for the first column and c for the others, if it is blank
    size: str = r"\footnotesize"
    space: str = "4pt"
    # The files and programs that made it (provenance.py).
    behind: Mapping[str, Any] = field(default_factory=dict)

    @property
    def shown(self) -> list[Line]:
        return [line for line in self.lines if line.is_shown]

    def cells(self) -> Iterator[tuple[Line, Cell]]:
        """Yield each cell with its line."""
        for line in self.lines:
            for cell in line.cells:
                yield line, cell

    def files_behind(self) -> Iterator[tuple[str, Mapping[str, str]]]:
        """Yield the path and sha256 of each file behind it, with what its run calls it; blank if it is of no run."""
        yield from (("", file) for file in self.behind.get("sources", ()))
        for run in self.behind.get("runs", {}).values():
            yield from run["files"].items()


@cache
def _table_file() -> TypeAdapter[Table]:
    """Return what writes a table without fields at their defaults, and reads it."""
    return TypeAdapter(Table)


def content(table: Table) -> dict[str, Any]:
    """Return a table as the content of its file."""
    return {"format": FORMAT, **_table_file().dump_python(table, mode="json", exclude_defaults=True)}


def read_table(path: Path) -> Table:
    """Read a table's file.  Raises UserError when it is missing, damaged or of another version of this project."""
    return _table_file().validate_python(read_artifact(path, "table"))
