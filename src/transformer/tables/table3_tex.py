r"""Table 3 as LaTeX: a ``table`` environment that needs the booktabs package only."""

from transformer.tables.table2_tex import escape
from transformer.tables.table3 import (
    COLUMNS,
    Table3,
    Variation,
    block_label,
    explanations,
    figure_cells,
    setting_cell,
)

HEADS = {
    "N": "$N$", "d_model": r"$d_\mathrm{model}$", "d_ff": r"$d_\mathrm{ff}$", "h": "$h$", "d_k": "$d_k$",
    "d_v": "$d_v$", "dropout": "$P_{drop}$", "label_smoothing": r"$\epsilon_{ls}$", "steps": "steps",
}  # fmt: skip
FIGURES = 7  # columns behind the settings
WIDTH = 1 + len(COLUMNS) + FIGURES


def table3_tex(table: Table3) -> str:
    r"""The whole file, for ``\input{table3.tex}``."""
    blank = " &" * (1 + len(COLUMNS))
    lines = [
        r"% Needs \usepackage{booktabs}. Each row ends with its score files and their sha256.",
        r"\begin{table}",
        r"\renewcommand{\thetable}{3}% the paper's number, wherever this is read in",
        r"\centering",
        rf"\caption{{Variations of the Transformer, English to German. {escape(table.warning)}.}}",
        r"\label{table3}",
        r"\medskip",
        r"\scriptsize",
        r"\setlength{\tabcolsep}{2.5pt}",
        r"\makebox[\textwidth][c]{% wider than the text of narrow pages: centred all the same",
        rf"\begin{{tabular}}{{@{{}}l{'c' * (WIDTH - 1)}@{{}}}}",
        r"\toprule",
        rf"{blank} \multicolumn{{2}}{{c}}{{PPL (dev)}} & \multicolumn{{2}}{{c}}{{BLEU (dev)}} & "
        r"\multicolumn{3}{c@{}}{params $\times 10^6$} \\",
        r"\cmidrule(lr){11-12} \cmidrule(lr){13-14} \cmidrule(l){15-17}",
        " & ".join(["", *HEADS.values(), "paper", "ours", "paper", "ours", "paper", "2017 code", "ours"])
        + r" \\",
        *_rows(table),
        r"\bottomrule",
        r"\addlinespace[2pt]",
        *[rf"\multicolumn{{{WIDTH}}}{{@{{}}l@{{}}}}{{{escape(text)}}} \\" for text in explanations(table)],
        r"\end{tabular}}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _rows(table: Table3) -> list[str]:
    lines, block = [], ""
    for row in table.rows:
        if row.paper.block != block:
            lines.append(r"\midrule")
            block = row.paper.block
        lines.append(_row(row))
    return lines


def _row(row: Variation) -> str:
    if row.paper.remark:
        settings = [rf"\multicolumn{{{len(COLUMNS)}}}{{c}}{{{escape(row.paper.remark)}}}"]
    else:
        settings = [setting_cell(row, name) for name in COLUMNS]
    figures = [cell.replace("±", r"$\pm$") for cell in figure_cells(row)]
    files = "; ".join(f"{run.path('scores').as_posix()} sha256:{run.sha256['scores']}" for run in row.runs)
    return " & ".join([block_label(row.paper), *settings, *figures]) + rf" \\ % {files}"
