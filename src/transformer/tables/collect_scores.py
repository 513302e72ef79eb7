"""Collect everything that was measured at a scale in one tidy table with one row per number.

    python -m transformer.tables.collect_scores --runs results/demo/runs/{base,big}/{en-de,en-fr} \\
        --last results/demo/runs/*/en-de --parsers results/demo/runs/parser/en-trees --output results/scores.csv

docs/formats.md explains the columns.
"""

from transformer.common.arguments import Output, argument_parser
from transformer.common.errors import run_script
from transformer.common.files import write_text
from transformer.common.project import local_path
from transformer.tables.runs import LAST, PARSES, read_runs
from transformer.tables.scores import scores_of


def main() -> None:
    parser = argument_parser(__doc__)
    add = parser.add_argument
    add("--runs", type=local_path, nargs="+", required=True, help="folders of runs of Table 2")
    add("--last", type=local_path, nargs="*", default=[], help="folders of runs of Table 3")
    add("--parsers", type=local_path, nargs="*", default=[], help="folders of parser runs")
    add("--output", type=Output, required=True)
    arguments = parser.parse_args()
    runs = [
        *read_runs(arguments.runs),
        *read_runs(arguments.last, LAST),
        *read_runs(arguments.parsers, PARSES),
    ]
    scores = scores_of(runs)
    write_text(arguments.output, scores.to_csv(index=False, lineterminator="\n"))
    print(f"{len(scores)} numbers of {scores['run'].nunique()} runs")


if __name__ == "__main__":
    run_script(main)
