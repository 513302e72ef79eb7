"""Make a table of the paper from the paper's own numbers and the scores of our runs.

    python src/make_table.py table2 --literature config/literature.yaml \\
        --runs results/demo/runs/{base,big}/{en-de,en-fr} \\
        --output-dir results/demo/tables --provenance results/demo/provenance.json

writes table2.tex, table2.csv, table2.md and cost.csv to the output folder, and provenance.json.  The scale
and the corpus that the caption names are those in the runs' config.json.
"""

import argparse
from pathlib import Path

from transformer.errors import run_script
from transformer.files import write_json, write_text
from transformer.tables.cost import cost_csv
from transformer.tables.literature import read_literature
from transformer.tables.provenance import table2_provenance
from transformer.tables.runs import read_runs
from transformer.tables.table2 import build_table2, table2_csv, table2_markdown
from transformer.tables.table2_tex import table2_tex

SCHEMA = Path(__file__).parent.parent / "workflow" / "schemas" / "literature.schema.yaml"


def main() -> None:
    """Read everything, render everything, and only then write."""
    arguments = parse_arguments()
    runs = read_runs(arguments.runs)
    table = build_table2(read_literature(arguments.literature, SCHEMA), runs)
    texts = {
        "table2.tex": table2_tex(table),
        "table2.csv": table2_csv(table),
        "table2.md": table2_markdown(table),
        "cost.csv": cost_csv(runs, arguments.sustained_tflops),
    }
    outputs = {name: arguments.output_dir / name for name in texts}
    for name, text in texts.items():
        write_text(outputs[name], text)
    write_json(arguments.provenance, table2_provenance(table, outputs, arguments.literature))
    print(texts["table2.md"], end="")


def parse_arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    tables = parser.add_subparsers(required=True, metavar="table")
    table2 = tables.add_parser("table2", help="BLEU and training cost of translation models")
    table2.add_argument("--literature", type=Path, required=True, help="the paper's own numbers")
    table2.add_argument(
        "--runs", type=Path, nargs="+", required=True, metavar="FOLDER", help="folders of scored runs"
    )
    table2.add_argument(
        "--output-dir", type=Path, required=True, help="folder for table2.{tex,csv,md} and cost.csv"
    )
    table2.add_argument("--provenance", type=Path, required=True, help="the provenance.json to write")
    table2.add_argument(
        "--sustained-tflops",
        type=float,
        help="of the device that trained, if it is none of the paper's; for cost.csv",
    )
    arguments = parser.parse_args()
    if arguments.sustained_tflops is not None and arguments.sustained_tflops <= 0:
        table2.error(f"--sustained-tflops {arguments.sustained_tflops}: must be positive")
    return arguments


if __name__ == "__main__":
    run_script(main)
