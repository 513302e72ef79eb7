"""The comparison: the paper's numbers and ours side by side, from the cells of the tables and the runs' sentences."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from transformer.tables.cells import OURS, PAPER, Cell, Column, Line, Table
from transformer.tables.comparison import orderings, with_texts
from transformer.tables.inputs import Inputs
from transformer.tables.literature import records
from transformer.tables.render import files_named
from transformer.tables.seed_means import p_cell, printed

CSV = "table row quantity paper ours difference ratio scale corpus note scores scores_sha256".split()
ABOUT_ORDER = (
    "Of each quantity, the rows as the paper orders them and as ours do: pairs of rows in the same order; reversed; of "
    "these clearly, so that ours differ beyond chance; and tied in either. Single runs differ if one of them scores "
    "higher on 97.5% of the resampled test sets (paired bootstrap over sentences, which tells nothing of another "
    "seed), and means of several seeds if a t-test over seeds and sentences says so at 95%; each pair is tested for "
    "itself, so of forty pairs that differ by chance alone, about one is clearly reversed. Kendall's τ-b and "
    "Spearman's ρ: 1 is the same order, 0 none, -1 the opposite one. p: the probability that a random order has a τ-b "
    "as far from 0; where it is not small, the numbers show no agreement."
)
ABOUT_NUMBERS = (
    "Each cell: the paper's, ours, and in brackets the difference or, where it says more, the ratio. PPL is per "
    "subword, BLEU that of Moses tokens (EN-DE with compounds split), F1 in percent. FLOPs of training are counted by "
    "the same rules for the paper's runs and for ours; \"2017 code\" is the paper's model as its authors' code counted "
    "it. `comparison.csv` names the files behind each number of ours, with their sha256."
)
TEX_NOTES = (
    "Clearly reversed: ours differ beyond chance, by a paired bootstrap over sentences, or with several seeds by a "
    "t-test over seeds and sentences, at 95% for each pair.",
    "Tied: in the paper's numbers or in ours. τ-b is Kendall's, and p the probability that a random order has one as "
    "far from 0. ρ is Spearman's.",
)


def make(inputs: Inputs) -> Table:
    """Return the table of its entry's inputs."""
    return comparison_table(with_texts(inputs.numbers))


def comparison_table(numbers: pd.DataFrame) -> Table:
    """Return the comparison, from what ``with_texts`` returns; its LaTeX has the orders of rows only."""
    ours = f"{scale_of(numbers)} scale, {'; '.join(corpora_of(numbers))}"
    below: list[str | Mapping[str, Sequence[str]]] = ["## The numbers", ABOUT_NUMBERS]
    for table, rows in numbers.groupby("table", sort=False):
        note = max(rows["note"], key=len)  # some rows have more to say than others of their table
        below += [f"### {_title(str(table))}", f"**{note.removesuffix('.')}.**", _number_cells(rows)]
    order = orderings(numbers)
    return Table(
        "comparison",
        _columns(),
        [*_order_lines(order), *(_number_line(row) for row in numbers.itertuples())],
        csv=CSV,
        scale=scale_of(numbers),
        corpus="; ".join(corpora_of(numbers)),
        title="The paper against ours",
        warning=f"Ours: {ours}",
        above=["## Is the order of rows the same?", ABOUT_ORDER],
        below=below,
        caption=f"Whether our rows come in the paper's order. Ours: {ours}.",
        notes=TEX_NOTES,
        column_format="@{}llrcrrrrrrr@{}",
    )


def scale_of(numbers: pd.DataFrame) -> str:
    """Return the scale, which is the same for every table that has one."""
    return next((scale for scale in numbers["scale"] if scale), "")


def corpora_of(numbers: pd.DataFrame) -> list[str]:
    """Return the corpora that our models were trained on, each once."""
    return [corpus for corpus in numbers["corpus"].unique() if corpus]


def _number_line(row: Any) -> Line:
    """Return a number of both, which the CSV file has: the difference with four decimals, and the ratio."""
    facts = {name: getattr(row, name) for name in ("table", "row", "quantity", "scale", "corpus", "note")}
    if not isinstance(row.ours, str):
        paper = float(row.paper)
        facts |= {"difference": f"{row.ours - paper:.4f}", "ratio": f"{row.ours / paper:.4g}"}
    ours = Cell(OURS, value=row.ours if isinstance(row.ours, str) else float(row.ours), sources=row.sources)
    facts |= files_named("scores", row.sources)
    return Line([ours], row.row, is_shown=False, facts=facts | {PAPER: row.paper})


def _number_cells(rows: pd.DataFrame) -> Mapping[str, list[str]]:
    """Return one column per quantity and one row per row of the paper's table."""
    differences = rows["difference_text"].map(lambda text: f" ({text})" if text else "")
    rows = rows.assign(text=rows["paper"] + " → " + rows["ours_text"] + differences)
    wide = rows.pivot(index="row", columns="quantity", values="text").fillna("")
    wide = wide.loc[rows["row"].unique(), rows["quantity"].unique()]
    wide = wide.reset_index().rename(columns={"row": ""})
    return {str(name): list(cells) for name, cells in wide.items()}


def _columns() -> list[Column]:
    pairs = "pairs of rows"
    return [
        Column("of_table", ("table",), in_latex=False),
        Column("of_quantity", ("quantity",), in_latex=False),
        Column("title", ("",), in_markdown=False),
        Column("rows", ("rows",)),
        Column("count", ("number of rows",), latex_heads=("",)),
        Column("agrees", ("same order",)),
        Column("same", ("pairs: same",), latex_heads=(pairs, "same")),
        *(Column(name, (name,), latex_heads=(pairs, name)) for name in ("reversed", "clearly", "tied")),
        Column("kendall", ("τ-b",), latex_heads=(r"$\tau_b$",)),
        Column("p_of_order", ("p",), latex_heads=("$p$",)),
        Column("spearman", ("ρ",), latex_heads=(r"$\rho$",)),
    ]


def _order_lines(found: pd.DataFrame) -> Iterator[Line]:
    """Yield how the rows of each quantity are ordered."""
    last = ""
    for row in records(found):
        table = _title(row["table"])
        title = f"{table}, {row['quantity']}"
        agrees = "tied" if row["same"] + row["reversed"] == 0 else "no" if row["reversed"] else "yes"
        texts = {"of_table": table, "of_quantity": row["quantity"], "rows": row["rows"], "agrees": agrees}
        cells = [Cell(name, text) for name, text in texts.items()]
        cells.append(Cell("title", title if title != last else ""))
        for name in ("count", "same", "reversed", "clearly", "tied"):
            cells.append(Cell(name, f"{row[name]}", value=row[name]))
        cells += [
            _coefficient("kendall", row["kendall"]),
            replace(p := p_cell("p_of_order", row["p"]), latex=p.shown and f"${p.shown}$"),
            _coefficient("spearman", row["spearman"]),
        ]
        yield Line(cells, block=title)
        last = title


def _coefficient(name: str, value: float | None) -> Cell:
    """Return a number between -1 and 1, or a blank where the rows have no order."""
    if value is None:
        return Cell(name)
    cell = printed(Cell(name, value=value), name, 2)
    return replace(cell, latex=f"${cell.shown}$")


def _title(table: str) -> str:
    return f"Table {table.removeprefix('table')}"
