"""Collect the scores of runs in two JSON files, and their training curves in CSV files, for programs that compare them.

    python src/transformer/tables/collect_metrics.py --runs results/demo/runs/base/en-de … \\
        --metrics results/metrics.json --headline results/headline.json --curves results/curves
"""

from pathlib import Path

from transformer.common.arguments import argument_parser
from transformer.common.errors import run_script
from transformer.common.files import write_all, write_json
from transformer.tables.metrics import curve, headline, metrics
from transformer.tables.runs import LAST, PARSES, read_runs
from transformer.tables.scores_frame import scores_frame


def main() -> None:
    parser = argument_parser(__doc__)
    parser.add_argument("--runs", type=Path, nargs="+", required=True, help="folders of runs of Table 2")
    about_last = "folders of runs that only Table 3 has, for their scores on the development set"
    parser.add_argument("--last", type=Path, nargs="*", default=[], help=about_last)
    parser.add_argument("--parsers", type=Path, nargs="*", default=[], help="folders of scored parser runs")
    parser.add_argument("--metrics", type=Path, required=True, help="the JSON file to write")
    about_headline = "the JSON file to write with one score of each run only"
    parser.add_argument("--headline", type=Path, required=True, help=about_headline)
    parser.add_argument("--curves", type=Path, required=True, help="folder for RUN.PAIR.csv")
    arguments = parser.parse_args()
    runs = [*read_runs(arguments.runs), *read_runs(arguments.last, LAST)]
    runs += read_runs(arguments.parsers, PARSES)
    curves = {
        f"{run.name}.{run.pair}.csv": curve(run.folder / "metrics.jsonl").to_csv(index=False) for run in runs
    }
    write_all(arguments.curves, curves)
    scores = scores_frame(runs)
    write_json(arguments.metrics, metrics(scores))
    write_json(arguments.headline, headline(scores))


if __name__ == "__main__":
    run_script(main)
