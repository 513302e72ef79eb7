"""Make a table of the paper from the paper's own numbers and the scores of our runs, e.g.

    python src/tables/make_table.py table2 --literature config/literature.yaml \\
        --runs results/demo/runs/{base,big}/{en-de,en-fr} \\
        --output-dir results/demo/tables --provenance results/demo/provenance.json

writes table2.tex, table2.csv, table2.md and cost.csv to the output folder, and provenance.json; table3 and table4
likewise, without cost.csv, and table1 from --layers in place of runs.  The scale and the corpus that the caption names
are those in the runs' config.json.
"""

import argparse
from collections.abc import Mapping
from pathlib import Path

from transformer.common.errors import run_script
from transformer.common.files import write_json, write_text
from transformer.common.yaml_files import read_yaml
from transformer.tables.cost import cost_csv
from transformer.tables.literature import read_literature
from transformer.tables.provenance import (
    table1_provenance,
    table2_provenance,
    table3_provenance,
    table4_provenance,
)
from transformer.tables.runs import LAST, PARSES, read_runs
from transformer.tables.table1 import build_table1, table1_csv, table1_markdown
from transformer.tables.table1_tex import table1_tex
from transformer.tables.table2 import build_table2, table2_csv, table2_markdown
from transformer.tables.table2_tex import table2_tex
from transformer.tables.table3 import build_table3, table3_csv, table3_markdown
from transformer.tables.table3_tex import table3_tex
from transformer.tables.table4 import build_table4, table4_csv, table4_markdown
from transformer.tables.table4_tex import table4_tex

SCHEMA = Path(__file__).parents[2] / "workflow" / "schemas" / "literature.schema.yaml"


def main() -> None:
    """Read everything, render everything, and only then write."""
    arguments = parse_arguments()
    arguments.make(arguments)


def make_table1(arguments: argparse.Namespace) -> None:
    """Table 1."""
    table = build_table1(read_literature(arguments.literature, SCHEMA), arguments.layers)
    texts = {
        "table1.tex": table1_tex(table),
        "table1.csv": table1_csv(table),
        "table1.md": table1_markdown(table),
    }
    outputs = write_all(arguments.output_dir, texts)
    write_json(arguments.provenance, table1_provenance(table, outputs, arguments.literature))
    print(texts["table1.md"], end="")


def make_table2(arguments: argparse.Namespace) -> None:
    """Table 2 and cost.csv."""
    runs = read_runs(arguments.runs)
    table = build_table2(read_literature(arguments.literature, SCHEMA), runs)
    texts = {
        "table2.tex": table2_tex(table),
        "table2.csv": table2_csv(table),
        "table2.md": table2_markdown(table),
        "cost.csv": cost_csv(runs, arguments.sustained_tflops),
    }
    outputs = write_all(arguments.output_dir, texts)
    write_json(arguments.provenance, table2_provenance(table, outputs, arguments.literature))
    print(texts["table2.md"], end="")


def make_table3(arguments: argparse.Namespace) -> None:
    """Table 3."""
    paper = read_yaml(arguments.paper_settings)
    table = build_table3(
        read_literature(arguments.literature, SCHEMA),
        read_runs(arguments.runs, LAST),
        {run: paper["base"] | changes for run, changes in paper.items()},
    )
    texts = {
        "table3.tex": table3_tex(table),
        "table3.csv": table3_csv(table),
        "table3.md": table3_markdown(table),
    }
    outputs = write_all(arguments.output_dir, texts)
    write_json(arguments.provenance, table3_provenance(table, outputs, arguments.literature))
    print(texts["table3.md"], end="")


def make_table4(arguments: argparse.Namespace) -> None:
    """Table 4."""
    runs = read_runs(arguments.runs, PARSES)
    table = build_table4(read_literature(arguments.literature, SCHEMA), runs)
    texts = {
        "table4.tex": table4_tex(table),
        "table4.csv": table4_csv(table),
        "table4.md": table4_markdown(table),
    }
    outputs = write_all(arguments.output_dir, texts)
    write_json(arguments.provenance, table4_provenance(table, outputs, arguments.literature))
    print(texts["table4.md"], end="")


def write_all(folder: Path, texts: Mapping[str, str]) -> dict[str, Path]:
    """Write each text to the file of its name; give their paths."""
    outputs = {name: folder / name for name in texts}
    for name, text in texts.items():
        write_text(outputs[name], text)
    return outputs


def parse_arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    tables = parser.add_subparsers(required=True, metavar="table")
    table1 = tables.add_parser("table1", help="what layer types cost")
    table1.set_defaults(make=make_table1)
    table2 = tables.add_parser("table2", help="BLEU and training cost of translation models")
    table2.set_defaults(make=make_table2)
    table3 = tables.add_parser("table3", help="variations of the Transformer")
    table3.set_defaults(make=make_table3)
    table4 = tables.add_parser("table4", help="constituency parsers")
    table4.set_defaults(make=make_table4)
    for table in (table1, table2, table3, table4):
        table.add_argument("--literature", type=Path, required=True, help="the paper's own numbers")
        table.add_argument("--output-dir", type=Path, required=True, help="folder for the table's files")
        table.add_argument("--provenance", type=Path, required=True, help="the JSON file to write")
    table1.add_argument(
        "--layers",
        type=Path,
        required=True,
        metavar="FILE",
        help="what src/inspection/measure_layers.py measured",
    )
    for table in (table2, table3, table4):
        table.add_argument(
            "--runs", type=Path, nargs="+", required=True, metavar="FOLDER", help="folders of scored runs"
        )
    table3.add_argument(
        "--paper-settings", type=Path, required=True, help="config/runs.yaml: each row at the paper's size"
    )
    table2.add_argument(
        "--sustained-tflops",
        type=float,
        help="of the device that trained, if it is none of the paper's; for cost.csv",
    )
    arguments = parser.parse_args()
    if (
        arguments.make is make_table2
        and arguments.sustained_tflops is not None
        and arguments.sustained_tflops <= 0
    ):
        table2.error(f"--sustained-tflops {arguments.sustained_tflops}: must be positive")
    return arguments


if __name__ == "__main__":
    run_script(main)
