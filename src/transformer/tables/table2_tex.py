r"""Table 2 as LaTeX: a ``table`` environment that needs the booktabs package only."""

import re

from transformer.tables.literature import LiteratureRow
from transformer.tables.table2 import (
    LAYERS_NOTE,
    MEASURES,
    PAIRS,
    PAPER_MEASURE,
    OurRow,
    Table2,
    bleu_with_interval,
    scientific,
)

SPECIAL = re.compile(r"[&%$#_{}~^\\]")
COMMANDS = {"~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "\\": r"\textbackslash{}"}


def escape(text: str) -> str:
    """Make text safe for LaTeX: its ten special characters lose their meaning.

    >>> escape("5% & more_text")
    '5\\\\% \\\\& more\\\\_text'
    """
    return SPECIAL.sub(lambda match: COMMANDS.get(match[0], "\\" + match[0]), text)


def table2_tex(table: Table2) -> str:
    r"""The whole file, for ``\input{table2.tex}``."""
    lines = [
        r"% Needs \usepackage{booktabs}. Each row of ours ends with its score files and their sha256.",
        r"\begin{table}",
        r"\renewcommand{\thetable}{2}% the paper's number, wherever this is read in",
        r"\centering",
        rf"\caption{{{_caption(table)}}}",
        r"\label{table2}",
        r"\medskip",
        r"\footnotesize",
        r"\setlength{\tabcolsep}{4pt}",
        r"\makebox[\textwidth][c]{% wider than the text of narrow pages: centred all the same",
        r"\begin{tabular}{@{}lcccccc@{}}",
        r"\toprule",
        r" & \multicolumn{4}{c}{BLEU} & \multicolumn{2}{c@{}}{Training cost (FLOPs)} \\",
        r"\cmidrule(lr){2-5} \cmidrule(l){6-7}",
        r" & \multicolumn{2}{c}{EN-DE} & \multicolumn{2}{c}{EN-FR} & EN-DE & EN-FR \\",
        r"\cmidrule(lr){2-3} \cmidrule(lr){4-5}",
        r"Model & paper & ours & paper & ours & & \\",
        *_literature_rows(table),
        r"\midrule",
        rf"\multicolumn{{7}}{{@{{}}l@{{}}}}{{\emph{{{escape(table.warning)}}}}} \\",
        r"\addlinespace[2pt]",
        *[line for row in table.ours for line in _our_rows(row)],
        *_layer_rows(table),
        r"\bottomrule",
        r"\addlinespace[2pt]",
        *[_note(rf"\textsuperscript{{{mark}}}\,{escape(text)}.") for mark, _, _, text in table.notes],
        _note("Our first line: BLEU as in the paper (Moses tokens, compounds split); below it, sacreBLEU."),
        _note(
            "Training cost: the paper's is time, GPUs and their sustained capacity multiplied; ours is counted."
        ),
        r"\end{tabular}}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _caption(table: Table2) -> str:
    interval = next(iter(table.all_ours[0].runs.values())).measure(PAPER_MEASURE)["interval"]
    return (
        f"BLEU and training cost of translation models. {escape(table.warning)}. "
        rf"Brackets: {100 * interval['level']:.0f}\% bootstrap interval over test sentences."
    )


def _literature_rows(table: Table2) -> list[str]:
    lines, block = [], ""
    for row in table.literature.rows:
        if row.block != block:
            lines.append(r"\midrule")
            block = row.block
        lines.append(_literature_row(table, row))
    return lines


def _literature_row(table: Table2, row: LiteratureRow) -> str:
    bleu = [_reported(table, row, f"bleu {pair}", row.bleu.get(pair, "")) for pair in PAIRS]
    cost = {
        which: _reported(table, row, f"training_cost {which}", value)
        for which, value in row.training_cost.items()
    }
    if "both" in cost:
        costs = rf"\multicolumn{{2}}{{c@{{}}}}{{{cost['both']}}}"
    else:
        costs = " & ".join(cost.get(pair, "") for pair in PAIRS)
    return rf"{escape(row.label)} & {bleu[0]} & & {bleu[1]} & & {costs} \\"


def _reported(table: Table2, row: LiteratureRow, measure: str, value: str) -> str:
    bold = measure in row.bold
    if "e" in value:
        text = _power(value, bold)
    else:
        text = rf"\textbf{{{value}}}" if bold else value
    mark = table.mark(row, measure)
    # No width, or the number would leave the middle of its column.
    return text + (rf"\rlap{{\textsuperscript{{{mark}}}}}" if mark else "")


def _power(value: str, bold: bool = False) -> str:
    mantissa, exponent = value.split("e")
    product = rf"{mantissa} \cdot 10^{{{exponent}}}"
    return rf"$\mathbf{{{product}}}$" if bold else f"${product}$"


def _layer_rows(table: Table2) -> list[str]:
    if not table.layer_rows:
        return []
    title = [r"\addlinespace[2pt]", _note(rf"\emph{{{escape(LAYERS_NOTE)}}}"), r"\addlinespace[2pt]"]
    return title + [line for row in table.layer_rows for line in _our_rows(row)]


def _our_rows(row: OurRow) -> list[str]:
    files = "; ".join(
        f"{run.path('scores').as_posix()} sha256:{run.sha256['scores']}" for run in row.runs.values()
    )
    lines: list[str] = []
    for measure, title in MEASURES.items():
        first = not lines  # the paper's values and the costs stand on a model's first line only
        cells = [escape(row.model) if first else rf"\quad {title}"]
        for pair in PAIRS:
            run = row.runs.get(pair)
            cells.append(row.paper_bleu.get(pair, "") if run and first else "")
            cells.append(bleu_with_interval(run, measure) if run else "")
        costs = [
            _power(scientific(row.runs[pair].training_flops)) if pair in row.runs and first else ""
            for pair in PAIRS
        ]
        lines.append(" & ".join(cells + costs) + rf" \\ % {files}")
    return lines


def _note(text: str) -> str:
    return rf"\multicolumn{{7}}{{@{{}}l@{{}}}}{{{text}}} \\"
