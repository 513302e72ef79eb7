r"""A DataFrame as a LaTeX ``table`` that needs the booktabs package only."""

from collections.abc import Mapping, Sequence
from itertools import groupby

import pandas as pd

from transformer.tables.latex_text import escape, from_markdown

RULE = r"\midrule"
NUMBERS = {"comparison": "A", "test_sets": "B"}  # of the tables that the paper does not have
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


def latex_table(
    cells: pd.DataFrame,
    *,
    label: str,
    caption: str,
    notes: Sequence[str],
    column_format: str,
    above: Mapping[int, str],
    comments: Sequence[str] = (),
    size: str = r"\footnotesize",
    space: str = "4pt",
) -> str:
    r"""Return the whole file, for ``\input``.

    ``cells`` are LaTeX, and their columns may have several levels; ``caption`` is plain text, ``notes`` are the
    Markdown of ``from_markdown``. ``comments`` names the files that each row is from; ``above`` has the LaTeX between
    a row and the one before it. A ``column_format`` that stretches (``\fill``) makes the table as wide as the text.
    """
    number = label.removeprefix("table")
    return TEMPLATE.format(
        about=" Each row of ours ends with its files and their sha256." if comments else "",
        number=number if number.isdigit() else NUMBERS[label],
        numbering="the paper's number, wherever this is read in"
        if number.isdigit()
        else "none of the paper's",
        caption=escape(caption),
        label=label,
        size=size,
        space=space,
        tabular=_tabular(cells, column_format, comments, above),
        notes="\\par\n".join(map(from_markdown, notes)),
    )


def add_note(table: str, note: str) -> str:
    """Return the file of :func:`latex_table` with one more note, in the same Markdown, below the others."""
    body, end = table.rsplit("}}\n", 1)
    between = "" if body.endswith("\n") else "\\par\n"
    return f"{body}{between}{from_markdown(note)}}}}}\n{end}"


def rules(blocks: Sequence[object]) -> dict[int, str]:
    """Return a rule above the first row of each block, for ``above``; ``blocks`` names the block of each row."""
    return {row: RULE for row, block in enumerate(blocks) if row == 0 or block != blocks[row - 1]}


def across(text: str, columns: int) -> str:
    """Return a line of a table across all of its columns."""
    return rf"\multicolumn{{{columns}}}{{@{{}}l@{{}}}}{{\emph{{{text}}}}} \\ \addlinespace[2pt]"


def _tabular(
    cells: pd.DataFrame, column_format: str, comments: Sequence[str], above: Mapping[int, str]
) -> str:
    """Return what pandas writes, with rules between heads and between rows, and a comment at the end of each row."""
    lines = cells.style.hide(axis="index").to_latex(
        hrules=True, column_format=column_format, multicol_align="c"
    )
    begin, top, *heads_and_rows, bottom, end = lines.splitlines()
    levels = cells.columns.nlevels
    heads, rows = heads_and_rows[:levels], heads_and_rows[levels + 1 :]
    result = [begin, top]
    for level, head in enumerate(heads):
        result += [head, *_rules_below(cells.columns, level)]
    for position, row in enumerate(rows):
        comment = comments[position] if comments else ""
        result += [above[position]] if position in above else []
        result.append(f"{row} % {comment}" if comment else row)
    text = "\n".join([*result, bottom, end])
    if r"\fill" in column_format:
        text = text.replace(r"\begin{tabular}", r"\begin{tabular*}{\textwidth}")
        text = text.replace(r"\end{tabular}", r"\end{tabular*}")
    return text


def _rules_below(heads: pd.Index, level: int) -> list[str]:
    """Return the rules below the heads of a level that span several columns."""
    rules, column = [], 1
    for name, group in groupby(tuple(head)[: level + 1] for head in heads if heads.nlevels > 1):
        width = len(list(group))
        if width > 1 and name[-1]:
            rules.append(rf"\cmidrule(lr){{{column}-{column + width - 1}}}")
        column += width
    return [" ".join(rules)] if rules else []
