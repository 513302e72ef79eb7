r"""A table as LaTeX, CSV and Markdown.

The LaTeX is a ``table`` for ``\input`` that needs the booktabs package only.
"""

import re
import shlex
import string
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, groupby
from pathlib import Path
from typing import Any

import pandas as pd

from transformer.common.artifacts import artifact_text
from transformer.common.files import write_text
from transformer.scoring.bootstrap import LEVEL
from transformer.tables.cells import OURS, PAPER, Cell, Column, Line, Source, Table, content
from transformer.tables.entries import ENTRIES
from transformer.tables.latex_text import escape, from_markdown

MARK = "†"
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


def renderings(table: Table) -> dict[str, str]:
    """Return the text of each file by its name.  Raises ValueError for a fact that is no column of the CSV file."""
    return {
        f"{table.name}.tex": _latex(table),
        f"{table.name}.csv": _csv(table),
        f"{table.name}.md": _markdown(table),
    }


def write_table(table: Table, folder: Path) -> str:
    """Write a table's file and its renderings; return the Markdown."""
    texts = renderings(table)
    for name, text in {f"{table.name}.json": artifact_text(content(table)), **texts}.items():
        write_text(folder / name, text)
    return texts[f"{table.name}.md"]


def shown_cells(table: Table, columns: Sequence[Column]) -> list[list[Cell]]:
    """Return the cells of these columns in each line that is shown; where there is none, a blank one."""
    blank = Cell("")
    return [[line.cell(of.column, of.origin) or blank for of in columns] for line in table.shown]


def letters_of(table: Table) -> dict[str, str]:
    """Return the letter of each footnote, in the order of the table; equal ones share it."""
    cells = chain.from_iterable(shown_cells(table, table.columns))
    notes = dict.fromkeys(cell.note for cell in cells if cell.note)
    return dict(zip(notes, string.ascii_lowercase, strict=False))


def footnotes(table: Table) -> list[str]:
    """Return the paragraphs of the footnotes, in Markdown."""
    return [f"<sup>{letter}</sup> {note}." for note, letter in letters_of(table).items()]


def mark_of(cell: Cell) -> str:
    """Return the mark of a difference that is more than chance, by its corrected p-value."""
    return MARK if cell.p_holm is not None and cell.p_holm < 1 - LEVEL else ""


def cell_text(cell: Cell, letters: Mapping[str, str]) -> str:
    """Return a cell in Markdown: bold where the paper has it, with its spread, its mark and its footnote's letter."""
    number = f"**{cell.shown}**" if cell.is_bold and cell.shown else cell.shown
    marks = mark_of(cell) + letters.get(cell.note, "")
    return number + cell.spread + (f"<sup>{marks}</sup>" if marks else "")


def _texts(table: Table, columns: Sequence[Column]) -> list[list[str]]:
    letters = letters_of(table)
    return [[cell_text(cell, letters) for cell in cells] for cells in shown_cells(table, columns)]


def _markdown(table: Table) -> str:
    heads = [", ".join(filter(None, column.heads)) for column in table.columns]
    shown = pd.DataFrame(_texts(table, table.columns), columns=heads)
    above = [f"# {table.title}", *([f"**{table.warning}.**"] if table.warning else []), *table.above]
    return markdown([*above, shown, *footnotes(table), *table.below])


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


def _latex(table: Table) -> str:
    number = ENTRIES[table.name].number
    is_paper_s = number.isdigit()
    return TEMPLATE.format(
        about=" Each row of ours ends with its files and their sha256." if table.files else "",
        number=number,
        numbering="the paper's number, wherever this is read in" if is_paper_s else "none of the paper's",
        caption=escape(table.caption),
        label=table.name,
        size=table.size,
        space=table.space,
        tabular=_tabular(table),
        notes="\\par\n".join(map(from_markdown, [*footnotes(table), *table.notes])),
    )


def _tabular(table: Table) -> str:
    columns = [column for column in table.columns if column.in_latex]
    # A format that stretches makes the table as wide as the text.
    column_format = table.column_format or f"@{{}}l{'c' * (len(columns) - 1)}@{{}}"
    stretches = r"\fill" in column_format
    kind, width = ("tabular*", r"{\textwidth}") if stretches else ("tabular", "")
    lines = [rf"\begin{{{kind}}}{width}{{{column_format}}}", r"\toprule"]
    heads = [column.latex_heads or column.heads for column in columns]
    levels = max(map(len, heads))
    lines += _head_lines([(*[""] * (levels - len(names)), *names) for names in heads])
    block = None
    cells, texts, comments = shown_cells(table, columns), _texts(table, columns), _comments(table)
    for line, of_line, texts_of_line, comment in zip(table.shown, cells, texts, comments, strict=True):
        lines += _between(line, line.block != block, len(columns), stretches)
        block = line.block
        latex = (cell.latex or from_markdown(text) for cell, text in zip(of_line, texts_of_line, strict=True))
        lines.append(" & ".join(latex) + r" \\" + (f" % {comment}" if comment else ""))
    return "\n".join([*lines, r"\bottomrule", rf"\end{{{kind}}}"])


def _between(line: Line, is_new_block: bool, width: int, stretches: bool) -> Iterator[str]:
    """Yield what stands above a line."""
    if is_new_block:
        yield r"\midrule"
    elif line.title:
        yield r"\addlinespace[2pt]"
    if line.title:
        title = escape(line.title)
        # A paragraph as wide as the table, in a box of no width, which does not widen the last column.
        if stretches:
            title = rf"\makebox[0pt][l]{{\parbox[t]{{\textwidth}}{{{title}\strut}}}}"
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


def _comments(table: Table) -> list[str]:
    """Return for each line that is shown the files behind its scores and behind those of the hidden lines below it."""
    comments: list[dict[str, None]] = []
    for line in table.lines:
        if line.is_shown:
            comments.append({})
        for cell in line.cells:
            is_named = cell.column in table.files.values() or table.csv_row != "line"
            for source in cell.sources if is_named and cell.origin == OURS else ():
                comments[-1][f"{source.path} sha256:{source.sha256}"] = None
    return ["; ".join(comment) for comment in comments]


def _csv(table: Table) -> str:
    """Return the CSV file; what a row does not have is blank."""
    facts = {name for line, cell in table.cells() for name in (*line.facts, *cell.facts)}
    if unknown := sorted(facts - {*table.csv, "note"}):
        raise ValueError(f"{table.name}.csv has no column for the facts {', '.join(unknown)}")
    rows = list(_line_rows(table) if table.csv_row == "line" else _cell_rows(table))
    frame = pd.DataFrame(rows, columns=list(table.csv), dtype=object)
    return frame.to_csv(index=False, lineterminator="\n")


def _line_rows(table: Table) -> Iterator[Mapping[str, Any]]:
    """Yield a row for each line that has any of the columns."""
    for line in table.lines:
        row = dict(line.facts)
        for cell in line.cells:
            row |= _cell_columns(cell, "" if cell.origin == line.origin else f"_{cell.origin}")
        for name, column in table.files.items():
            scored = line.cell(column)
            sources = scored.sources if scored else ()
            row |= _file_columns(name, sources)
            row["seeds"] = row.get("seeds") or " ".join(str(source.seed) for source in sources)
        if row.keys() & set(table.csv):
            yield _of_table(table, line) | row


def _cell_rows(table: Table) -> Iterator[Mapping[str, Any]]:
    """Yield a row for each number of ours."""
    (name,) = table.files
    for line, cell in table.cells():
        if cell.origin == OURS and cell.sources:
            paper = line.cell(cell.column, PAPER)
            numbers = {PAPER: paper.value if paper else "", "measured": cell.value}
            files = _file_columns(name, cell.sources[:1])
            yield _of_table(table, line) | dict(line.facts) | dict(cell.facts) | numbers | files


def _of_table(table: Table, line: Line) -> dict[str, Any]:
    """Return what the rows of our lines have alike, unless their facts say otherwise."""
    if line.origin != OURS:
        return {}
    return {"origin": OURS, "scale": table.scale, "corpus": table.corpus, "note": table.warning}


def _cell_columns(cell: Cell, end: str) -> dict[str, str | None]:
    """Return the columns of a cell: ``bleu``, ``bleu_low``, …; the paper's parameters are in millions."""
    name = cell.column + end + ("_millions" if (cell.kind, cell.origin) == ("millions", PAPER) else "")
    form = ".6g" if cell.kind in ("p", "effect") else ".4f"
    texts = {f"{name}_{of}": number_text(getattr(cell, of), form) for of in ("low", "high", "sd")}
    p_values = {f"{name}_{of}": number_text(getattr(cell, of), ".6g") for of in ("p", "p_holm")}
    return {name: number_text(cell.value, form), **texts, **p_values}


def number_text(value: Any, form: str) -> str | None:
    """Return a value as text for a CSV file, a fraction in a ``form`` such as ``.4f``."""
    return format(value, form) if isinstance(value, float) else None if value is None else str(value)


def _file_columns(name: str, sources: Sequence[Source]) -> dict[str, str]:
    """Return the columns ``scores`` and ``scores_sha256``, with a file for each seed; files are words of a shell."""
    sha256 = re.sub(r"^([a-z]+)", r"\1_sha256", name)
    return {
        name: shlex.join(source.path for source in sources),
        sha256: " ".join(source.sha256 for source in sources),
    }
