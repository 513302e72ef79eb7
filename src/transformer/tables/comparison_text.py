"""The comparison with the paper as CSV and as a page for Markdown and the web; its orderings as LaTeX."""

import pandas as pd

from transformer.tables.comparison import orderings
from transformer.tables.latex_table import latex_table, rules
from transformer.tables.latex_text import from_markdown
from transformer.tables.table import Cells, Table, traced

HEADS = (
    "table, quantity, rows, number of rows, same order, pairs: same, reversed, clearly, tied, τ-b, ρ".split(
        ", "
    )
)
CSV = "table row quantity paper ours difference ratio scale corpus note scores scores_sha256".split()
ABOUT_ORDER = (
    "Of each quantity, the rows as the paper orders them and as ours do: pairs of rows in the same order; reversed; of "
    "these clearly, so that ours differ beyond chance; and tied in either. Single runs differ if one of them scores "
    "higher on 97.5% of the resampled test sets (paired bootstrap over sentences, which tells nothing of another "
    "seed), and means of several seeds if Welch's t-test says so at 95%; each pair is tested for itself, so of forty "
    "pairs that differ by chance alone, about one is clearly reversed. Blank: there is neither. Kendall's τ-b and "
    "Spearman's ρ: 1 is the same order, 0 none, -1 the opposite one."
)
ABOUT_NUMBERS = (
    "Each cell: the paper's, ours, and in brackets the difference or, where it says more, the ratio. PPL is per "
    "subword, BLEU that of Moses tokens (EN-DE with compounds split), F1 in percent. FLOPs of training are counted by "
    "the same rules for the paper's runs and for ours; \"2017 code\" is the paper's model as its authors' code counted "
    "it. `comparison.csv` names the files behind each number of ours, with their sha256."
)
TEX_NOTES = (
    "Clearly reversed: ours differ beyond chance, by a paired bootstrap over sentences, or with several seeds by "
    "Welch's t-test, at 95% for each pair.",
    "Tied: in the paper's figures or in ours. τ-b is Kendall's, ρ Spearman's.",
)


def comparison_table(numbers: pd.DataFrame) -> Table:
    """Return the comparison in all formats, from what ``read_comparison`` read."""
    order = _order_cells(orderings(numbers))
    ours = f"{scale_of(numbers)} scale, {'; '.join(corpora_of(numbers))}"
    document: list[str | Cells] = ["# The paper against ours", f"**Ours: {ours}.**"]
    document += [
        "## Is the order of rows the same?",
        ABOUT_ORDER,
        Cells(order),
        "## The numbers",
        ABOUT_NUMBERS,
    ]
    for table, rows in numbers.groupby("table", sort=False):
        note = max(rows["note"], key=len)  # some rows have more to say than others of their table
        document += [f"### {_title(str(table))}", f"**{note.removesuffix('.')}.**", _number_cells(rows)]
    return Table("comparison", _data(numbers), document, _latex(order, ours), numbers=())


def scale_of(numbers: pd.DataFrame) -> str:
    """Return the scale, which is the same for every table that has one."""
    return next((scale for scale in numbers["scale"] if scale), "")


def corpora_of(numbers: pd.DataFrame) -> list[str]:
    """Return the corpora that our models were trained on, each once."""
    return [corpus for corpus in numbers["corpus"].unique() if corpus]


def _data(numbers: pd.DataFrame) -> pd.DataFrame:
    """Return one row per number, with four decimals."""
    data = numbers.assign(difference="", ratio="")
    real = numbers["table"] != "table1"
    ours, paper = numbers.loc[real, "ours"].astype(float), numbers.loc[real, "paper"].astype(float)
    data.loc[real, "ours"] = ours.map("{:.4f}".format)
    data.loc[real, "difference"] = (ours - paper).map("{:.4f}".format)
    data.loc[real, "ratio"] = (ours / paper).map("{:.4g}".format)
    return data[CSV]


def _number_cells(rows: pd.DataFrame) -> Cells:
    """Return one column per quantity and one row per row of the paper's table."""
    differences = rows["difference_text"].map(lambda text: f" ({text})" if text else "")
    rows = rows.assign(
        text=rows["paper"] + " → " + rows["ours_text"] + differences,
        source=list(map(traced, rows["scores"], rows["scores_sha256"])),
    )
    wide = rows.pivot(index="row", columns="quantity", values=["text", "source"]).fillna("")
    wide, quantities = wide.loc[rows["row"].unique()], rows["quantity"].unique()
    text = wide["text"][quantities].reset_index().rename(columns={"row": ""})
    return Cells(text, {quantity: list(wide["source", quantity]) for quantity in quantities})


def _order_cells(found: pd.DataFrame) -> pd.DataFrame:
    ordered = (found["same"] + found["reversed"]) > 0
    agrees = (found["reversed"] == 0).map({True: "yes", False: "no"}).where(ordered, "tied")
    text = found.assign(table=found["table"].map(_title), agrees=agrees)
    for name in ("kendall", "spearman"):
        text[name] = found[name].map(lambda value: "" if pd.isna(value) else f"{value:.2f}")
    text["clearly"] = found["clearly"].map(lambda count: "" if pd.isna(count) else f"{count}")
    names = "table quantity rows count agrees same reversed clearly tied kendall spearman".split()
    return text[names].astype(str).set_axis(HEADS, axis="columns")


def _latex(order: pd.DataFrame, ours: str) -> str:
    heads = [("", ""), ("", "rows"), ("", ""), ("", "same order")]
    heads += [("pairs of rows", name) for name in ("same", "reversed", "clearly", "tied")]
    heads += [("", r"$\tau_b$"), ("", r"$\rho$")]
    titles = order["table"] + ", " + order["quantity"]
    text = order.drop(columns=["table", "quantity"]).map(from_markdown)
    for name in ("τ-b", "ρ"):
        text[name] = text[name].map(lambda value: f"${value}$" if value else "")
    text.insert(0, "", titles.map(from_markdown).where(titles != titles.shift(), ""))
    return latex_table(
        text.set_axis(pd.MultiIndex.from_tuples(heads), axis="columns"),
        label="comparison",
        caption=f"Whether our rows come in the paper's order. Ours: {ours}.",
        notes=TEX_NOTES,
        column_format="@{}llrcrrrrrr@{}",
        above=rules(list(titles)),
    )


def _title(table: str) -> str:
    return f"Table {table.removeprefix('table')}"
