r"""Table 1 as LaTeX: a ``table`` environment that needs the booktabs package only."""

import re

from transformer.tables.literature import LayerTypeRow
from transformer.tables.table1 import MEASURES, Table1, explanations, formula, reported
from transformer.tables.table2_tex import escape

WIDTH = 1 + 2 * len(MEASURES)


def table1_tex(table: Table1) -> str:
    r"""The whole file, for ``\input{table1.tex}``."""
    heads = " & ".join(rf"\multicolumn{{2}}{{c}}{{{head}}}" for head in MEASURES.values())
    lines = [
        r"% Needs \usepackage{booktabs}. Each row ends with the file that was measured and its sha256.",
        r"\begin{table}",
        r"\renewcommand{\thetable}{1}% the paper's number, wherever this is read in",
        r"\centering",
        r"\caption{What layer types cost: the paper's order of growth beside what was measured.}",
        r"\label{table1}",
        r"\medskip",
        r"\footnotesize",
        r"\setlength{\tabcolsep}{4pt}",
        r"\makebox[\textwidth][c]{% wider than the text of narrow pages: centred all the same",
        rf"\begin{{tabular}}{{@{{}}l{'c' * (WIDTH - 1)}@{{}}}}",
        r"\toprule",
        rf" & {heads} \\",
        r"\cmidrule(lr){2-3} \cmidrule(lr){4-5} \cmidrule(l){6-7}",
        r"Layer type" + " & paper & measured" * len(MEASURES) + r" \\",
        r"\midrule",
        *_rows(table),
        r"\bottomrule",
        r"\addlinespace[2pt]",
        *[rf"\multicolumn{{{WIDTH}}}{{@{{}}l@{{}}}}{{{escape(text)}}} \\" for text in explanations(table)],
        r"\end{tabular}}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _rows(table: Table1) -> list[str]:
    lines = []
    for row in table.literature.layer_types:
        if row.source:  # not from the paper's table
            lines.append(r"\midrule")
        lines.append(_row(table, row))
    return lines


def _row(table: Table1, row: LayerTypeRow) -> str:
    cells = [escape(row.name)]
    for measure in MEASURES:
        cells += [
            mathematics(reported(row, measure)),
            mathematics(formula(table.measured[row.layer][measure]["terms"])),
        ]
    return " & ".join(cells) + rf" \\ % {table.file.as_posix()} sha256:{table.sha256}"


def mathematics(text: str) -> str:
    r"""Turn ``O(n^2 · d)`` and ``1.65 log_k(n)^0.97`` to LaTeX, with thin spaces between factors.

    >>> mathematics("O(log_k(n))")
    '$O(\\log_k(n))$'
    """
    text = re.sub(r"\^(-?[\d.]+)", r"^{\1}", text)
    text = re.sub(r"(?<![+·]) (?![+·])", r"\,", text)
    return f"${text}$".replace("·", r"\cdot").replace("log_k", r"\log_k")
