"""The comparison of paper and ours as CSV, as one page of Markdown, and its orderings as LaTeX."""

import csv
import io

from tabulate import tabulate

from transformer.tables.comparison import Comparison, Number, Ordering
from transformer.tables.table2_tex import escape

HEADS = (
    "table, quantity, rows, number of rows, same order, pairs: same, reversed, clearly, tied, τ-b, ρ".split(
        ", "
    )
)
ABOUT_ORDER = (
    "Of each quantity, the rows as the paper orders them and as ours do: pairs of rows in the same order; reversed; of "
    "these clearly, the intervals of ours (bootstrap over sentences, where there is one) not overlapping; and tied in "
    "either. Kendall's τ-b and Spearman's ρ: 1 is the same order, 0 none, -1 the opposite one."
)
ABOUT_NUMBERS = (
    "Each cell: the paper's, ours, and in brackets the difference or, where it says more, the ratio. PPL is per "
    "subword, BLEU the paper's measure, F1 in percent. FLOPs of training are estimated in the paper from time and GPUs "
    "and counted here; \"2017 code\" is the paper's model as its authors' code counted it. `comparison.csv` names the "
    "files behind each number of ours, with their sha256."
)
TEX_NOTES = (
    "Clearly reversed: the intervals of ours (bootstrap over sentences) do not overlap.",
    r"Tied: in the paper's figures or in ours. $\tau_b$ is Kendall's, $\rho$ Spearman's.",
)


def comparison_csv(comparison: Comparison) -> str:
    """One line a number, unrounded to four decimals."""
    text = io.StringIO()
    rows = [_csv_row(number) for number in comparison.numbers]
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def _csv_row(number: Number) -> dict[str, str]:
    if isinstance(number.ours, str):
        ours = {"ours": number.ours, "difference": "", "ratio": ""}
    else:
        paper = float(number.paper)
        difference, ratio = number.ours - paper, number.ours / paper
        ours = {"ours": f"{number.ours:.4f}", "difference": f"{difference:.4f}", "ratio": f"{ratio:.4g}"}
    return {
        "table": number.table,
        "row": number.row,
        "quantity": number.quantity,
        "paper": number.paper,
        **ours,
        "scale": number.origin.scale,
        "corpus": number.origin.corpus,
        "note": number.origin.note,
        "scores": number.origin.scores,
        "scores_sha256": number.origin.sha256,
    }


def comparison_markdown(comparison: Comparison) -> str:
    """The orderings, then the numbers of each table, a column a quantity."""
    body = [_ordering_cells(ordering) for ordering in comparison.orderings]
    parts = [
        "# The paper against ours",
        f"**Ours: {_ours(comparison)}.**",
        "## Is the order of rows the same?",
        ABOUT_ORDER,
        tabulate(body, HEADS, tablefmt="pipe", disable_numparse=True),
        "## The numbers",
        ABOUT_NUMBERS,
    ]
    for table in comparison.tables:
        numbers = comparison.of(table)
        # Some rows have more to say than others of their table.
        note = max((number.origin.note for number in numbers), key=len).removesuffix(".")
        parts += [f"### {_title(table)}", f"**{note}.**", _markdown_table(numbers)]
    return "\n\n".join(parts) + "\n"


def _markdown_table(numbers: list[Number]) -> str:
    quantities = list(dict.fromkeys(number.quantity for number in numbers))
    cells: dict[str, dict[str, str]] = {}
    for number in numbers:
        difference = f" ({number.difference_text})" if number.difference_text else ""
        text = f"{number.paper} → {number.ours_text}{difference}"
        cells.setdefault(number.row, {})[number.quantity] = text
    body = [[row, *(found.get(quantity, "") for quantity in quantities)] for row, found in cells.items()]
    return tabulate(body, ["", *quantities], tablefmt="pipe", disable_numparse=True)


def comparison_tex(comparison: Comparison) -> str:
    r"""The orderings as a ``table`` for ``\input``; it needs the booktabs package only."""
    lines = [
        r"% Needs \usepackage{booktabs}.",
        r"\begin{table}",
        r"\renewcommand{\thetable}{A}% none of the paper's",
        r"\centering",
        rf"\caption{{Whether our rows come in the paper's order. Ours: {escape(_ours(comparison))}.}}",
        r"\label{comparison}",
        r"\medskip",
        r"\footnotesize",
        r"\setlength{\tabcolsep}{4pt}",
        r"\makebox[\textwidth][c]{% wider than the text of narrow pages: centred all the same",
        r"\begin{tabular}{@{}llrcrrrrrr@{}}",
        r"\toprule",
        r" & & & & \multicolumn{4}{c}{pairs of rows} & & \\",
        r"\cmidrule(lr){5-8}",
        r" & rows & & same order & same & reversed & clearly & tied & $\tau_b$ & $\rho$ \\",
        *_tex_rows(comparison.orderings),
        r"\bottomrule",
        r"\addlinespace[2pt]",
        *[rf"\multicolumn{{10}}{{@{{}}l@{{}}}}{{{note}}} \\" for note in TEX_NOTES],
        r"\end{tabular}}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _tex_rows(orderings: list[Ordering]) -> list[str]:
    lines, before = [], ""
    for ordering in orderings:
        table, quantity, *counts, kendall, spearman = _ordering_cells(ordering)
        title = f"{table}, {quantity}"
        if title != before:
            lines.append(r"\midrule")
        coefficients = [f"${value}$" if value else "" for value in (kendall, spearman)]
        lines.append(" & ".join(["" if title == before else title, *counts, *coefficients]) + r" \\")
        before = title
    return lines


def _ordering_cells(ordering: Ordering) -> list[str]:
    found = ordering.correlation
    return [
        _title(ordering.table),
        ordering.quantity,
        ordering.rows,
        f"{ordering.count}",
        ("yes" if found.agrees else "no") if found.same or found.reversed else "tied",
        f"{found.same}",
        f"{found.reversed}",
        "" if ordering.clearly is None else f"{ordering.clearly}",
        f"{found.tied}",
        _coefficient(found.kendall),
        _coefficient(found.spearman),
    ]


def _coefficient(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


def _ours(comparison: Comparison) -> str:
    return f"{comparison.scale} scale, {'; '.join(comparison.corpora)}"


def _title(table: str) -> str:
    return f"Table {table.removeprefix('table')}"
