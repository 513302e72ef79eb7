"""Make a table of the paper from the paper's own numbers and the scores of our runs.

    python src/transformer/tables/make_table.py table2 --literature config/literature.yaml \\
        --devices config/devices.yaml --runs results/demo/runs/{base,big}/{en-de,en-fr} \\
        --output-dir results/demo/tables --provenance results/demo/provenance.json

This writes table2.tex, .csv, .md and .html, cost.csv, cost.md and table2.sha256, which has the sha256 of these files,
to the output folder; and provenance.json.  The other tables have no cost.  table1 is made from --layers instead of
runs, and test_sets from --tests as well as runs.  The scale and the corpus in the caption are those in the runs'
config.json.
"""

import argparse
import hashlib
from pathlib import Path

from transformer.common.arguments import argument_parser
from transformer.common.checksums import sums_text
from transformer.common.errors import run_script
from transformer.common.files import write_all
from transformer.common.json_artifacts import write_artifact
from transformer.common.project import SCHEMAS, config_file, local_path
from transformer.common.yaml_files import read_yaml
from transformer.corpus.licences import add_own_data, licence_note, terms_of, with_own
from transformer.tables.by_name import Inputs, build_table, cost_files
from transformer.tables.literature import Literature, read_literature
from transformer.tables.provenance import table_provenance
from transformer.tables.runs import AVERAGED, LAST, PARSES, read_further_tests, read_runs
from transformer.tables.table import Table
from transformer.tables.table2 import PAPER_PAIRS
from transformer.tables.table3 import PAPER_PAIR

RUN_FILES = {"table3": LAST, "table4": PARSES}  # other tables read the scores of the averaged model


def main() -> None:
    """Read and render everything before writing anything."""
    arguments = parse_arguments()
    literature = read_literature(arguments.literature, SCHEMAS / "literature.schema.yaml")
    named = terms_of(arguments.data, read_yaml(arguments.sources) if arguments.data else {})
    terms = with_own(named, arguments.own_data)
    table = build(arguments, literature).with_note(licence_note(terms))
    texts = table.files()
    if arguments.table == "table2":
        texts |= cost_files(table.runs, literature, arguments.devices, SCHEMAS / "devices.schema.yaml")
    sums = {name: hashlib.sha256(text.encode()).hexdigest() for name, text in texts.items()}
    outputs = write_all(arguments.output_dir, texts | {f"{arguments.table}.sha256": sums_text(sums)})
    write_artifact(
        arguments.provenance,
        table_provenance(table, outputs, arguments.literature, literature.version, terms),
    )
    print(texts[f"{arguments.table}.md"], end="")


def build(arguments: argparse.Namespace, literature: Literature) -> Table:
    """Return the table that was asked for."""
    given = vars(arguments)
    others = ("layers", "baselines", "pairs", "pair", "paper_settings")
    inputs = Inputs(
        runs=read_runs(given.get("runs", ()), RUN_FILES.get(arguments.table, AVERAGED)),
        further_tests=read_further_tests(given.get("tests", ())),
        **{name: given[name] for name in others if name in given},
    )
    return build_table(arguments.table, literature, inputs)


def parse_arguments() -> argparse.Namespace:
    """Parse the command line; each table has its own options."""
    parser = argument_parser(__doc__)
    tables = parser.add_subparsers(required=True, metavar="table", dest="table")
    helps = {
        "table1": "costs of the layer types",
        "table2": "BLEU and training cost of translation models",
        "table3": "variations of the Transformer",
        "table4": "constituency parsers",
        "test_sets": "BLEU of the runs of Table 2 on each test set",
    }
    for name, about in helps.items():
        table = tables.add_parser(name, help=about)
        table.add_argument("--literature", type=local_path, required=True, help="the paper's own numbers")
        about_data = "the sources of the corpora, names in --sources; none if the project generated them"
        table.add_argument("--data", nargs="*", default=[], metavar="NAME", help=about_data)
        table.add_argument(
            "--sources", type=Path, default=config_file("sources.yaml"), help="the registry of sources"
        )
        add_own_data(table)
        table.add_argument(
            "--output-dir", type=local_path, required=True, help="folder for the table's files"
        )
        table.add_argument("--provenance", type=Path, required=True, help="the JSON file to write")
        if name == "table1":
            about_layers = "JSON file of src/transformer/inspection/measure_layers.py"
            table.add_argument("--layers", type=local_path, required=True, metavar="FILE", help=about_layers)
        else:
            about_runs = "folders of scored runs"
            table.add_argument(
                "--runs", type=local_path, nargs="+", required=True, metavar="FOLDER", help=about_runs
            )
        if name == "table2":
            about_pairs = "the table has columns for these, in this order (default: the paper's)"
            table.add_argument("--pairs", nargs="+", default=PAPER_PAIRS, metavar="PAIR", help=about_pairs)
            about_baselines = "JSON files of src/transformer/scoring/score_baselines.py, for a note"
            about_devices = "config/devices.yaml, for the training cost by the paper's formula"
            table.add_argument("--devices", type=Path, required=True, help=about_devices)
            table.add_argument("--baselines", type=local_path, nargs="*", default=[], help=about_baselines)
        if name == "test_sets":
            about_tests = "folders of scores on further test sets, RUN/tests/NAME"
            table.add_argument("--tests", type=local_path, nargs="*", default=[], help=about_tests)
        if name == "table3":
            table.add_argument(
                "--pair", default=PAPER_PAIR, help="the language pair of the runs (the paper's)"
            )
            about_settings = "config/runs.yaml, which has each row at the paper's size"
            table.add_argument("--paper-settings", type=Path, required=True, help=about_settings)
    return parser.parse_args()


if __name__ == "__main__":
    run_script(main)
