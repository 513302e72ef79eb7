r"""A table, its columns named once, and what the LaTeX, CSV and Markdown files say around them.

The LaTeX is a ``table`` for ``\input`` that needs the booktabs package only.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import pandas as pd

from transformer.tables.latex_text import escape, from_markdown
from transformer.tables.runs import Run

# Columns of the tidy frame that provenance.json has for the whole table or run.
FACTS = "checkpoint headline parameters training_flops steps scale corpus".split()
NUMBERS = {"comparison": "A", "test_sets": "B", "claims": "C"}  # of the tables that the paper does not have
TEMPLATE = r"""% Needs \usepackage{{booktabs}}.{about}
\begin{{table}}
\renewcommand{{\thetable}}{{{number}}}% {numbering}
\centering
\caption{{{caption}}}
\label{{{label}}}
\medskip
{size}
\setlength{{\tabcolsep}}{{{space}}}
\sbox0{{%
{tabular}}}
\makebox[\textwidth][c]{{% wider than the text of narrow pages: centred all the same
\parbox{{\wd0}}{{\usebox0\par\smallskip\raggedright
{notes}}}}}
\end{{table}}
"""


@dataclass(frozen=True)
class Column:
    """A column as it is shown.  Without ``head`` it is in the LaTeX only, without ``latex_head`` in Markdown only."""

    head: str | None
    latex_head: tuple[str, ...] | None  # from the top; equal neighbours become one head that spans them
    cells: Iterable[str]  # in Markdown
    latex: Iterable[str] | None = None  # the cells, if they are more than the Markdown turned into LaTeX


@dataclass(frozen=True)
class Table:
    """A table of the paper with ours beside it.

    ``data`` is its CSV; ``numbers`` gives the file from which each of our figures was read, for provenance.json.
    """

    name: str
    data: pd.DataFrame
    columns: Sequence[Column]
    numbers: Sequence[Mapping[str, Any]] = ()
    runs: Sequence[Run] = ()
    # The Markdown file: a heading and paragraphs above the table, paragraphs and other tables below it.
    above: Sequence[str] = ()
    below: Sequence[str | pd.DataFrame] = ()
    # The LaTeX file. The caption is plain text, the notes are Markdown. A rule separates rows of different blocks;
    # a row's title is LaTeX in a line of its own above it, and its comment names the files that it is from.
    caption: str = ""
    notes: Sequence[str] = ()
    column_format: str = ""
    blocks: Sequence[object] = ()
    titles: Mapping[int, str] | None = None
    comments: Sequence[str] = ()
    size: str = r"\footnotesize"
    space: str = "4pt"

    def files(self, more: Sequence[str] = ()) -> dict[str, str]:
        """Return the text of each file by its name; ``more`` are further notes below the table."""
        more = list(filter(None, more))
        shown = pd.DataFrame(
            {column.head: list(column.cells) for column in self.columns if column.head is not None}
        )
        return {
            f"{self.name}.tex": self._latex([*self.notes, *more]),
            f"{self.name}.csv": self.data.to_csv(index=False, lineterminator="\n"),
            f"{self.name}.md": markdown([*self.above, shown, *self.below, *more]),
        }

    def _latex(self, notes: Sequence[str]) -> str:
        number = self.name.removeprefix("table")
        is_paper_s = number.isdigit()
        return TEMPLATE.format(
            about=" Each row of ours ends with its files and their sha256." if self.comments else "",
            number=number if is_paper_s else NUMBERS[self.name],
            numbering="the paper's number, wherever this is read in" if is_paper_s else "none of the paper's",
            caption=escape(self.caption),
            label=self.name,
            size=self.size,
            space=self.space,
            tabular=self._tabular(),
            notes="\\par\n".join(map(from_markdown, notes)),
        )

    def _tabular(self) -> str:
        columns = [column for column in self.columns if column.latex_head is not None]
        cells = [
            map(from_markdown, column.cells) if column.latex is None else column.latex for column in columns
        ]
        # A format that stretches makes the table as wide as the text.
        begin, end = (
            (r"\begin{tabular*}{\textwidth}", r"\end{tabular*}")
            if r"\fill" in self.column_format
            else (r"\begin{tabular}", r"\end{tabular}")
        )
        lines = [f"{begin}{{{self.column_format}}}", r"\toprule"]
        lines += _head_lines([column.latex_head or () for column in columns])
        for row, texts in enumerate(zip(*cells, strict=True)):
            lines += self._between(row, len(columns))
            comment = self.comments[row] if self.comments else ""
            lines.append(" & ".join(texts) + r" \\" + (f" % {comment}" if comment else ""))
        return "\n".join([*lines, r"\bottomrule", end])

    def _between(self, row: int, width: int) -> Iterator[str]:
        """Yield the lines above a row."""
        title = (self.titles or {}).get(row)
        if row == 0 or self.blocks[row] != self.blocks[row - 1]:
            yield r"\midrule"
        elif title:
            yield r"\addlinespace[2pt]"
        if title:
            yield rf"\multicolumn{{{width}}}{{@{{}}l@{{}}}}{{\emph{{{title}}}}} \\ \addlinespace[2pt]"


def _head_lines(heads: Sequence[tuple[str, ...]]) -> Iterator[str]:
    """Yield a line for each level of the heads, and below it the rules of those that span several columns."""
    levels = len(heads[0])
    for level in range(levels - 1):
        texts, rules, first = [], [], 1
        for names, group in groupby(head[: level + 1] for head in heads):
            width = len(list(group))
            texts.append(rf"\multicolumn{{{width}}}{{c}}{{{names[-1]}}}" if width > 1 else names[-1])
            if width > 1 and names[-1]:
                rules.append(rf"\cmidrule(lr){{{first}-{first + width - 1}}}")
            first += width
        yield " & ".join(texts) + r" \\"
        if rules:
            yield " ".join(rules)
    yield " & ".join(head[-1] for head in heads) + r" \\"


def markdown(parts: Sequence[str | pd.DataFrame]) -> str:
    """Return a page of headings (``# …``), paragraphs and tables, for a terminal or a forge."""
    texts = []
    for part in parts:
        if isinstance(part, str):
            texts.append(without_html(part))
        else:
            cells = part.map(markdown_cell).rename(columns=markdown_cell)
            texts.append(cells.to_markdown(index=False, disable_numparse=True))
    return "\n\n".join(texts) + "\n"


def without_html(text: str) -> str:
    """Return Markdown in which nothing but ``<sup>`` is an element of HTML.

    >>> without_html("41.0<sup>a</sup> on <script>")
    '41.0<sup>a</sup> on &lt;script>'
    """
    return re.sub(r"<(?=[A-Za-z/!?])(?!/?sup>)", "&lt;", text)


def markdown_cell(text: object) -> str:
    """Return what stands in a cell of a Markdown table: one line, in which ``|`` ends no cell."""
    return without_html(" ".join(str(text).split())).replace("|", r"\|")


def csv_frame(rows: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> pd.DataFrame:
    """Return the data of a CSV file with these columns; what a row does not have is blank."""
    cells = [[row.get(name, "") for name in columns] for row in rows]
    return pd.DataFrame(cells, columns=list(columns), dtype=object)


def four_decimals(value: float | None) -> str:
    """Return a number as text for a CSV file; a missing one is blank."""
    return "" if pd.isna(value) else f"{value:.4f}"


def traced(paths: Sequence[str], sha256s: Sequence[str]) -> str:
    """Name files as the comments of all tables do, one for each seed."""
    return "; ".join(f"{path} sha256:{sha256}" for path, sha256 in zip(paths, sha256s, strict=True))


def records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of a frame whose columns are named by strings."""
    return [{str(name): value for name, value in row.items()} for row in frame.to_dict("records")]


def numbers(table: str, scores: pd.DataFrame) -> list[dict[str, Any]]:
    """Return rows of the tidy frame as provenance.json holds them."""
    kept = scores.drop(columns=FACTS).astype(object).replace({pd.NA: None})
    return [{"table": table, **row} for row in records(kept)]
