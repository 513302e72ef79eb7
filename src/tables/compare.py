"""Put the paper's numbers and ours side by side, from the CSV files of the tables, e.g.

    python src/tables/compare.py --tables results/demo/tables/table{2,3}.csv \\
        --output-dir results/demo/tables --provenance results/demo/provenance/comparison.json

writes comparison.md, comparison.csv and comparison.tex to the output folder.
"""

import argparse
from pathlib import Path

from transformer.common.errors import run_script
from transformer.common.files import write_json, write_text
from transformer.tables.comparison import read_comparison
from transformer.tables.comparison_text import comparison_csv, comparison_markdown, comparison_tex
from transformer.tables.provenance import comparison_provenance


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tables", type=Path, nargs="+", required=True, metavar="CSV")
    parser.add_argument("--output-dir", type=Path, required=True, help="folder for the comparison's files")
    parser.add_argument("--provenance", type=Path, required=True, help="the JSON file to write")
    arguments = parser.parse_args()
    comparison = read_comparison(arguments.tables)
    texts = {
        "comparison.md": comparison_markdown(comparison),
        "comparison.csv": comparison_csv(comparison),
        "comparison.tex": comparison_tex(comparison),
    }
    outputs = {name: arguments.output_dir / name for name in texts}
    for name, text in texts.items():
        write_text(outputs[name], text)
    write_json(arguments.provenance, comparison_provenance(comparison, outputs, arguments.tables))
    print(texts["comparison.md"], end="")


if __name__ == "__main__":
    run_script(main)
