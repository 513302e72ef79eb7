"""Test the paper's claims on our numbers: each holds, fails or is undecided.

    python src/transformer/tables/make_claims.py --claims resources/claims.yaml \\
        --literature resources/literature.yaml --tables results/demo/tables/table{1,2,3,4}.json \\
        --layers results/demo/layers.json \\
        --runs results/demo/runs/{base,A-h1,A-h4,A-h16,A-h32}/en-de \\
        --output-dir results/demo/tables

This writes claims.json, and its renderings claims.md, .csv and .tex to the output folder.  --runs are base and
rows (A) of Table 3.
"""

import argparse
import itertools
from collections.abc import Sequence
from dataclasses import replace

from transformer.common.arguments import argument_parser
from transformer.common.artifacts import read_artifact
from transformer.common.errors import run_script
from transformer.common.project import local_path
from transformer.common.run_names import name_and_seed
from transformer.scoring.bootstrap import LEVEL
from transformer.tables.cells import Cell, Column, Line, Table
from transformer.tables.claims import (
    POWER,
    Row,
    average_files,
    lines_of,
    rows_of,
    summary,
)
from transformer.tables.claims_file import LONGER, averaged_rows, read_claims
from transformer.tables.compare import corpora_of, scale_of
from transformer.tables.comparison import read_numbers, sentence_files
from transformer.tables.counted_claims import Measured
from transformer.tables.latex_text import from_markdown
from transformer.tables.literature import read_literature
from transformer.tables.provenance import behind_table
from transformer.tables.render import write_table
from transformer.tables.seed_means import p_cell

ABOUT = (
    "Each claim is tested on our numbers. It holds or fails if chance alone would seldom give what was found, and is "
    "undecided otherwise. Differences of BLEU and F1 are in points, and the claim is true above 0; those of perplexity "
    "(PPL) are ratios, and it is true above 1. A claim that two rows hardly differ is true near 0 or 1. A claim with "
    "several quantities holds if it holds in each, and fails if it fails in any. The last lines need no trained model."
)
ABOUT_TESTS = (
    f"Brackets: intervals that all hold at once with {LEVEL:.0%}. p: t-test over seeds and sentences, "
    "after Holm's correction for the number of tests, which makes it a little sharper than the brackets. One training "
    "of each row decides nothing, since another seed may give another result. Counts need no test."
)
ABOUT_POWER = (
    f"Detectable: the smallest true difference that would be found with a probability of {POWER:.0%}."
)
SHOWN = "claim source quantity paper ours p_holm detectable verdict needed".split()
HEADS = ("claim", "source", "quantity", "paper", "ours", "p", "detectable", "verdict", "to decide it")
ONLY_MARKDOWN = ("source", "detectable", "to decide it")  # columns for which a page of LaTeX has no room
COLUMNS = (
    "claim about source quantity verdict claim_verdict paper ours low high p p_holm detectable seeds needed scale note"
).split()
WRAPPED = ("claim", "paper", "ours")  # its columns whose texts may take several lines


def main() -> None:
    arguments = parse_arguments()
    print(write_table(table_of(arguments), arguments.output_dir), end="")


def parse_arguments(words: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argument_parser(__doc__)
    add = parser.add_argument
    add("--claims", type=local_path, required=True, help="what the paper asserts")
    add("--literature", type=local_path, required=True, help="the paper's own numbers")
    add("--tables", type=local_path, nargs="+", required=True, metavar="JSON")
    add("--layers", type=local_path, required=True, help="from measure_layers.py")
    add("--runs", type=local_path, nargs="*", default=[], help="folders of base and rows (A) of Table 3")
    add("--output-dir", type=local_path, required=True, help="folder for its files")
    return parser.parse_args(words)


def table_of(arguments: argparse.Namespace) -> Table:
    """Return the claims with their verdicts and everything behind them."""
    claims, numbers = read_claims(arguments.claims), read_numbers(arguments.tables)
    trainings = [run / "training.json" for run in arguments.runs]
    measured = Measured(
        read_literature(arguments.literature),
        read_artifact(arguments.layers, "layers")["layers"],
        {
            name_and_seed(path.parts[-3], 0)[0]: read_artifact(path, "training")["training_flops"]
            for path in trainings
        },
    )
    lines = lines_of(claims, numbers, corpora_of(numbers), measured)
    table = claims_table(rows_of(lines), scale_of(numbers), corpora_of(numbers))
    averages = itertools.chain.from_iterable(average_files(numbers, averaged_rows(claims)).values())
    files = [*trainings, *sentence_files(numbers), *averages]
    return replace(table, behind=behind_table(arguments, more=files))


def claims_table(rows: Sequence[Row], scale: str, corpora: Sequence[str]) -> Table:
    """Return the table of what ``rows_of`` found."""
    note = f"Ours: {scale} scale, {'; '.join(corpora)}"
    counted = summary(rows)
    before = ["", *(row["claim"] for row in rows)]
    lines = [_line(row, row["claim"] != last, note) for row, last in zip(rows, before, strict=False)]
    return Table(
        "claims",
        [
            Column(name, (head,), in_latex=head not in ONLY_MARKDOWN)
            for name, head in zip(SHOWN, HEADS, strict=True)
        ],
        lines,
        csv=COLUMNS,
        scale=scale,
        corpus="; ".join(corpora),
        title="The paper's claims",
        warning=f"{counted}. {note}",
        above=[ABOUT],
        below=[f"{ABOUT_TESTS} {ABOUT_POWER}"],
        caption=f"The paper's claims, tested. {note}: {counted}.",
        notes=[ABOUT_TESTS],
        column_format="@{}p{7.7cm}lp{0.9cm}p{5.2cm}ll@{}",
        size=r"\tiny",
        space="2.5pt",
    )


def _line(row: Row, is_new: bool, note: str) -> Line:
    """Return what was found of a claim in one quantity; one that is not new is not said again."""
    cells = []
    for name in SHOWN:
        value = row.get(name, "")
        cell = Cell(name, str(value), value=value)
        if name in ("claim", "source"):
            cell = replace(cell, shown=value * is_new)
        elif value == LONGER and "sentences" in row:
            cell = replace(cell, shown=f"{value} ({row['sentences']} sentences)")
        elif name == "ours" and "low" in row:
            cell = replace(cell, spread=f" [{row['low']}, {row['high']}]")
        elif name == "p_holm":
            cell = p_cell(name, value)
        elif name == "verdict":
            cell = replace(cell, is_bold=True)
        if name in WRAPPED:
            cell = replace(cell, latex=rf"\raggedright {from_markdown(cell.shown + cell.spread)}")
        cells.append(cell)
    facts = ("about", "claim_verdict", "low", "high", "seeds")
    more: Row = {name: row.get(name, "") for name in facts}
    return Line([*cells, p_cell("p", row["p"])], row["claim"], facts={**more, "note": note})


if __name__ == "__main__":
    run_script(main)
