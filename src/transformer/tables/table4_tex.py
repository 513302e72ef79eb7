r"""Table 4 as LaTeX: a ``table`` environment that needs the booktabs package only."""

from itertools import pairwise

from transformer.tables.literature import ParserRow
from transformer.tables.table2_tex import escape
from transformer.tables.table4 import DECODINGS, OurParser, Table4


def table4_tex(table: Table4) -> str:
    r"""The whole file, for ``\input{table4.tex}``."""
    lines = [
        r"% Needs \usepackage{booktabs}. Each row of ours ends with its score files and their sha256.",
        r"\begin{table}",
        r"\renewcommand{\thetable}{4}% the paper's number, wherever this is read in",
        r"\centering",
        rf"\caption{{{_caption(table)}}}",
        r"\label{table4}",
        r"\medskip",
        r"\footnotesize",
        r"\setlength{\tabcolsep}{4pt}",
        r"\begin{tabular*}{\textwidth}{@{}l@{\extracolsep{\fill}}lcc@{}}",
        r"\toprule",
        r" & & \multicolumn{2}{c@{}}{F1} \\",
        r"\cmidrule(l){3-4}",
        r"Parser & Training & paper & ours \\",
        r"\midrule",
        *_literature_rows(table),
        r"\midrule",
        _across(rf"\emph{{{escape(table.warning)}}}"),
        r"\addlinespace[2pt]",
        *[_our_row(table, row) for row in table.ours],
        r"\bottomrule",
        r"\addlinespace[2pt]",
        *[_across(rf"\textsuperscript{{{mark}}}\,{escape(text)}.") for mark, _, text in table.notes],
        r"\end{tabular*}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _caption(table: Table4) -> str:
    interval = table.ours[0].run.content["parses"]["all"]["interval"]
    sentences = [
        f"English constituency parsing: F1 by EVALB on {table.literature.treebank}.",
        f"{table.warning}.",
        table.substitution,
        f"Brackets: {100 * interval['level']:.0f}% bootstrap interval over test sentences.",
    ]
    return escape(" ".join(filter(None, sentences)))


def _literature_rows(table: Table4) -> list[str]:
    """With rules above and below the Transformer, as in the paper."""
    rows = table.literature.parsers
    lines = [_literature_row(table, rows[0])]
    for before, row in pairwise(rows):
        if before.run or row.run:
            lines.append(r"\midrule")
        lines.append(_literature_row(table, row))
    return lines


def _literature_row(table: Table4, row: ParserRow) -> str:
    mark = table.mark(row)
    # No width, or the number would leave the middle of its column.
    f1 = row.f1 + (rf"\rlap{{\textsuperscript{{{mark}}}}}" if mark else "")
    return rf"{escape(row.label)} & {escape(row.training)} & {f1} & \\"


def _our_row(table: Table4, row: OurParser) -> str:
    files = "; ".join(
        f"{row.run.path(decoding).as_posix()} sha256:{row.run.sha256[decoding]}" for decoding in DECODINGS
    )
    f1 = rf"{row.f1}\textsuperscript{{{table.mark(row)}}}"
    return rf"{escape(row.parser)} & {escape(row.paper.training)} & {row.paper.f1} & {f1} \\ % {files}"


def _across(text: str) -> str:
    """A paragraph as wide as the table; for the columns it has no width, or it would widen the last one."""
    paragraph = rf"\makebox[0pt][l]{{\parbox[t]{{\textwidth}}{{{text}\strut}}}}"
    return rf"\multicolumn{{4}}{{@{{}}l@{{}}}}{{{paragraph}}} \\"
