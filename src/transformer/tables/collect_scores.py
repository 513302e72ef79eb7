"""Collect everything that was measured at a scale in one tidy table with one row per number.

    python -m transformer.tables.collect_scores --runs results/demo/runs/{base,big}/{en-de,en-fr} \\
        --last results/demo/runs/*/en-de --parsers results/demo/runs/parser/en-trees --output results/scores.csv

docs/formats.md explains the columns.
"""

from transformer.common.arguments import Output, argument_parser
from transformer.common.errors import run_script
from transformer.common.files import write_text
from transformer.tables.runs import add_all_runs, read_all_runs
from transformer.tables.scores import scores_of


def main() -> None:
    parser = argument_parser(__doc__)
    add_all_runs(parser)
    parser.add_argument("--output", type=Output, required=True)
    arguments = parser.parse_args()
    scores = scores_of(read_all_runs(arguments))
    write_text(arguments.output, scores.to_csv(index=False, lineterminator="\n"))
    print(f"{len(scores)} numbers of {scores['run'].nunique()} runs")


if __name__ == "__main__":
    run_script(main)
