"""Put the paper's numbers and ours side by side, from the CSV files of the tables and of the runs' sentences.

    python src/transformer/tables/compare.py --tables results/demo/tables/table{2,3}.csv \\
        --output-dir results/demo/tables --provenance results/demo/provenance/comparison.json

This writes comparison.md, comparison.csv, comparison.tex and comparison.html to the output folder.
"""

from pathlib import Path

from transformer.common.arguments import argument_parser
from transformer.common.errors import run_script
from transformer.common.files import write_all
from transformer.common.json_artifacts import write_artifact
from transformer.common.project import local_path
from transformer.tables.comparison import read_comparison
from transformer.tables.comparison_text import comparison_table, corpora_of, scale_of
from transformer.tables.provenance import comparison_provenance


def main() -> None:
    parser = argument_parser(__doc__)
    parser.add_argument("--tables", type=local_path, nargs="+", required=True, metavar="CSV")
    parser.add_argument(
        "--output-dir", type=local_path, required=True, help="folder for the comparison's files"
    )
    parser.add_argument("--provenance", type=Path, required=True, help="the JSON file to write")
    arguments = parser.parse_args()
    numbers = read_comparison(arguments.tables)
    texts = comparison_table(numbers).files()
    outputs = write_all(arguments.output_dir, texts)
    sentences = [Path(path) for path in numbers["sentences"].unique() if path]
    sources = [*arguments.tables, *sentences]
    facts = comparison_provenance(scale_of(numbers), corpora_of(numbers), outputs, sources)
    write_artifact(arguments.provenance, facts)
    print(texts["comparison.md"], end="")


if __name__ == "__main__":
    run_script(main)
