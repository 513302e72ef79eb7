"""Test the paper's claims on our numbers: each holds, fails or is undecided.

    python src/transformer/tables/make_claims.py --claims resources/claims.yaml \\
        --literature resources/literature.yaml --tables results/demo/tables/table{1,2,3,4}.csv \\
        --layers results/demo/layers.json --properties results/demo/properties.json \\
        --runs results/demo/runs/{base,A-h1,A-h4,A-h16,A-h32}/en-de \\
        --output-dir results/demo/tables --provenance results/demo/provenance/claims.json

This writes claims.md, .csv and .tex to the output folder.  --runs are base and rows (A) of Table 3.
"""

import itertools
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from transformer.common.arguments import argument_parser
from transformer.common.errors import run_script
from transformer.common.files import write_all
from transformer.common.json_artifacts import read_artifact, write_artifact
from transformer.common.project import local_path
from transformer.common.yaml_files import read_yaml
from transformer.scoring.bootstrap import LEVEL
from transformer.tables.claims import (
    POWER,
    Row,
    average_files,
    averaged_rows,
    counts_of,
    lines_of,
    rows_of,
    table_data,
)
from transformer.tables.compare import corpora_of, scale_of
from transformer.tables.comparison import read_numbers, sentence_files
from transformer.tables.counted_claims import Measured
from transformer.tables.latex_text import from_markdown
from transformer.tables.literature import read_literature
from transformer.tables.provenance import comparison_provenance
from transformer.tables.table import Column, Table

ABOUT = (
    "Each claim is tested on our numbers. It holds or fails if chance alone would seldom give what was found, and is "
    "undecided otherwise. Differences of BLEU and F1 are in points, and the claim is true above 0; those of perplexity "
    "(PPL) are ratios, and it is true above 1. A claim that two rows hardly differ is true near 0 or 1."
)
ABOUT_TESTS = (
    f"Brackets: intervals that all hold at once with {LEVEL:.0%}. p: t-test over seeds and sentences, for heads of "
    "attention a sign test, after Holm's correction for the number of tests, which makes it a little sharper than the "
    "brackets. One training of each row decides nothing, since another seed may give another result. Counts and "
    "equations need no test. A head of attention is chosen on the development set and tested on the test set, in one "
    "training."
)
ABOUT_POWER = (
    f"Found from: the smallest true difference that would be found with a probability of {POWER:.0%}."
)
ONLY_MARKDOWN = ("source", "found from", "to decide it")  # columns for which a page of LaTeX has no room
WRAPPED = ("claim", "paper", "ours")  # its columns whose texts may take several lines


def main() -> None:
    parser = argument_parser(__doc__)
    add = parser.add_argument
    add("--claims", type=local_path, required=True, help="what the paper asserts")
    add("--literature", type=local_path, required=True, help="the paper's own numbers")
    add("--tables", type=local_path, nargs="+", required=True, metavar="CSV")
    add("--layers", type=local_path, required=True, help="from measure_layers.py")
    add("--properties", type=local_path, required=True, help="from measure_properties.py")
    add("--runs", type=local_path, nargs="*", default=[], help="folders of base and rows (A) of Table 3")
    add("--output-dir", type=local_path, required=True, help="folder for its files")
    add("--provenance", type=Path, required=True, help="the JSON file to write")
    arguments = parser.parse_args()
    runs = [run / "training.json" for run in arguments.runs]
    measures = arguments.layers, arguments.properties
    claims, numbers = read_yaml(arguments.claims), read_numbers(arguments.tables)
    texts = claims_texts(claims, arguments.literature, numbers, *measures, runs)
    outputs = write_all(arguments.output_dir, texts)
    sources = [arguments.claims, arguments.literature, *arguments.tables, *measures, *runs]
    averages = average_files(numbers, averaged_rows(claims))
    sources += [*sentence_files(numbers), *itertools.chain.from_iterable(averages.values())]
    facts = comparison_provenance(scale_of(numbers), corpora_of(numbers), outputs, sources)
    write_artifact(arguments.provenance, facts)
    print(texts["claims.md"], end="")


def claims_texts(
    claims: Sequence[Mapping[str, Any]],
    literature: Path,
    numbers: pd.DataFrame,
    layers: Path,
    properties: Path,
    trainings: Sequence[Path],
) -> dict[str, str]:
    """Return the text of each file by its name.

    ``numbers`` is what ``read_numbers`` read, and ``trainings`` are the training.json of base and rows (A) of Table 3.
    """
    measured = Measured(
        read_literature(literature),
        read_artifact(layers, "layers")["layers"],
        read_artifact(properties, "properties"),
        {_run_of(path): read_artifact(path, "training")["training_flops"] for path in trainings},
    )
    lines = lines_of(claims, numbers, corpora_of(numbers), measured)
    return claims_files(rows_of(lines), scale_of(numbers), corpora_of(numbers))


def _run_of(training: Path) -> str:
    """Return the name of a run without its seed."""
    return re.sub(r"-seed\d+$", "", training.parts[-3])


def claims_files(rows: Sequence[Row], scale: str, corpora: Sequence[str]) -> dict[str, str]:
    """Return the text of each file by its name."""
    note = f"Ours: {scale} scale, {'; '.join(corpora)}"
    summary = ", ".join(counts_of(rows))
    table = Table(
        "claims",
        table_data(rows, scale, note),
        _columns(rows),
        above=["# The paper's claims", f"**{summary.capitalize()}. {note}.**", ABOUT],
        below=[f"{ABOUT_TESTS} {ABOUT_POWER}"],
        caption=f"The paper's claims, tested. {note}: {summary}.",
        notes=[ABOUT_TESTS],
        column_format="@{}p{7.7cm}lp{0.9cm}p{5.2cm}ll@{}",
        blocks=[""] * len(rows),
        size=r"\tiny",
        space="2.5pt",
    )
    return table.files()


def _columns(rows: Sequence[Row]) -> list[Column]:
    claims = [row["claim"] for row in rows]
    new = [claim != before for claim, before in zip(claims, ["", *claims], strict=False)]
    sources = [row["source"] for row in rows]
    shown = {
        "claim": [text * is_new for text, is_new in zip(claims, new, strict=True)],
        "source": [text * is_new for text, is_new in zip(sources, new, strict=True)],
        "quantity": [row["quantity"] for row in rows],
        "paper": [row["paper"] for row in rows],
        "ours": [_with_interval(row) for row in rows],
        "p": ["" if pd.isna(row["p_holm"]) else f"{row['p_holm']:.4f}" for row in rows],
        "found from": [row.get("detectable", "") for row in rows],
        "verdict": [f"**{row['verdict']}**" for row in rows],
        "to decide it": [row["needed"] for row in rows],
    }
    latex = {head: (head,) for head in shown if head not in ONLY_MARKDOWN}
    wrapped = {head: [rf"\raggedright {from_markdown(cell)}" for cell in shown[head]] for head in WRAPPED}
    return [Column(head, latex.get(head), cells, wrapped.get(head)) for head, cells in shown.items()]


def _with_interval(row: Row) -> str:
    return f"{row['ours']} [{row['low']}, {row['high']}]" if "low" in row else str(row["ours"])


if __name__ == "__main__":
    run_script(main)
