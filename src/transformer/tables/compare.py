"""Put the paper's numbers and ours side by side, from the CSV files of the tables and of the runs' sentences.

    python src/transformer/tables/compare.py --tables results/demo/tables/table{2,3}.csv \\
        --output-dir results/demo/tables --provenance results/demo/provenance/comparison.json

This writes comparison.md, comparison.csv and comparison.tex to the output folder.
"""

from pathlib import Path

import pandas as pd

from transformer.common.arguments import argument_parser
from transformer.common.errors import run_script
from transformer.common.files import write_all
from transformer.common.json_artifacts import write_artifact
from transformer.common.project import local_path
from transformer.tables.comparison import orderings, read_comparison, sentence_files
from transformer.tables.latex_text import from_markdown
from transformer.tables.provenance import comparison_provenance
from transformer.tables.table import Column, Table

CSV = "table row quantity paper ours difference ratio scale corpus note scores scores_sha256".split()
ABOUT_ORDER = (
    "Of each quantity, the rows as the paper orders them and as ours do: pairs of rows in the same order; reversed; of "
    "these clearly, so that ours differ beyond chance; and tied in either. Single runs differ if one of them scores "
    "higher on 97.5% of the resampled test sets (paired bootstrap over sentences, which tells nothing of another "
    "seed), and means of several seeds if a t-test over seeds and sentences says so at 95%; each pair is tested for "
    "itself, so of forty pairs that differ by chance alone, about one is clearly reversed. Kendall's τ-b and "
    "Spearman's ρ: 1 is the same order, 0 none, -1 the opposite one. Brackets: 95% bootstrap interval over rows. p: "
    "the share of random orders whose τ-b is as far from 0; where it is not small, the figures show no agreement."
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
    "Tied: in the paper's figures or in ours. τ-b is Kendall's, with its 95% bootstrap interval over rows, and p the "
    "share of random orders whose τ-b is as far from 0. ρ is Spearman's.",
)


def main() -> None:
    parser = argument_parser(__doc__)
    parser.add_argument("--tables", type=local_path, nargs="+", required=True, metavar="CSV")
    parser.add_argument("--output-dir", type=local_path, required=True, help="folder for its files")
    parser.add_argument("--provenance", type=Path, required=True, help="the JSON file to write")
    arguments = parser.parse_args()
    numbers = read_comparison(arguments.tables)
    texts = comparison_table(numbers).files()
    outputs = write_all(arguments.output_dir, texts)
    sources = [*arguments.tables, *sentence_files(numbers)]
    facts = comparison_provenance(scale_of(numbers), corpora_of(numbers), outputs, sources)
    write_artifact(arguments.provenance, facts)
    print(texts["comparison.md"], end="")


def comparison_table(numbers: pd.DataFrame) -> Table:
    """Return the comparison, from what ``read_comparison`` read; its LaTeX has the orders of rows only."""
    order = orderings(numbers)
    ours = f"{scale_of(numbers)} scale, {'; '.join(corpora_of(numbers))}"
    below: list[str | pd.DataFrame] = ["## The numbers", ABOUT_NUMBERS]
    for table, rows in numbers.groupby("table", sort=False):
        note = max(rows["note"], key=len)  # some rows have more to say than others of their table
        below += [f"### {_title(str(table))}", f"**{note.removesuffix('.')}.**", _number_cells(rows)]
    return Table(
        "comparison",
        _data(numbers),
        _order_columns(order),
        above=[
            "# The paper against ours",
            f"**Ours: {ours}.**",
            "## Is the order of rows the same?",
            ABOUT_ORDER,
        ],
        below=below,
        caption=f"Whether our rows come in the paper's order. Ours: {ours}.",
        notes=TEX_NOTES,
        column_format="@{}llrcrrrrrrr@{}",
        blocks=list(order["table"] + order["quantity"]),
    )


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


def _number_cells(rows: pd.DataFrame) -> pd.DataFrame:
    """Return one column per quantity and one row per row of the paper's table."""
    differences = rows["difference_text"].map(lambda text: f" ({text})" if text else "")
    rows = rows.assign(text=rows["paper"] + " → " + rows["ours_text"] + differences)
    wide = rows.pivot(index="row", columns="quantity", values="text").fillna("")
    wide = wide.loc[rows["row"].unique(), rows["quantity"].unique()]
    return wide.reset_index().rename(columns={"row": ""})


def _order_columns(found: pd.DataFrame) -> list[Column]:
    tables = list(map(_title, found["table"]))
    titles = [f"{table}, {quantity}" for table, quantity in zip(tables, found["quantity"], strict=True)]
    changes = [title != before for title, before in zip(titles, ["", *titles], strict=False)]
    agrees = (found["reversed"] == 0).map({True: "yes", False: "no"})
    agrees = agrees.where((found["same"] + found["reversed"]) > 0, "tied")
    new_titles = [from_markdown(title) * new for title, new in zip(titles, changes, strict=True)]
    columns = [
        Column("table", None, tables),
        Column("quantity", None, found["quantity"]),
        Column(None, ("", ""), titles, new_titles),
        Column("rows", ("", "rows"), found["rows"]),
        Column("number of rows", ("", ""), found["count"].astype(str)),
        Column("same order", ("", "same order"), agrees),
    ]
    for name in ("same", "reversed", "clearly", "tied"):
        head = "pairs: same" if name == "same" else name
        counts = ["" if pd.isna(count) else f"{count}" for count in found[name]]
        columns.append(Column(head, ("pairs of rows", name), counts))
    for name, head, latex in (
        ("kendall", "τ-b", r"$\tau_b$"),
        ("p", "p", "$p$"),
        ("spearman", "ρ", r"$\rho$"),
    ):
        digits = 4 if name == "p" else 2
        cells = ["" if pd.isna(value) else f"{value:.{digits}f}" for value in found[name]]
        if name == "kendall":
            bounds = zip(cells, found["low"], found["high"], strict=True)
            cells = [f"{cell} [{low:.2f}, {high:.2f}]" if cell else "" for cell, low, high in bounds]
        columns.append(Column(head, ("", latex), cells, [f"${cell}$" if cell else "" for cell in cells]))
    return columns


def _title(table: str) -> str:
    return f"Table {table.removeprefix('table')}"


if __name__ == "__main__":
    run_script(main)
