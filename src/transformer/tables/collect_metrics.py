"""Collect one score of each run in a JSON file, and the training curves in CSV files, for programs that compare them.

    python src/transformer/tables/collect_metrics.py --runs results/demo/runs/base/en-de … \\
        --metrics results/metrics.json --curves results/curves
"""

from pathlib import Path
from typing import Any

import pandas as pd

from transformer.common.arguments import Output, argument_parser
from transformer.common.artifacts import read_metrics
from transformer.common.errors import run_script
from transformer.common.files import write_json, write_text
from transformer.tables.runs import add_all_runs, read_all_runs
from transformer.tables.scores import CONSTRAINED, scores_of

CURVE = ["step", "loss", "dev_perplexity"]
CURVE_SCORES = ["dev_bleu", "dev_f1"]  # of a translation run, of a parser


def main() -> None:
    parser = argument_parser(__doc__)
    add_all_runs(parser)
    add = parser.add_argument
    add("--metrics", type=Output, required=True, help="the JSON file to write")
    add("--curves", type=Output, required=True, help="folder for RUN.PAIR.csv")
    arguments = parser.parse_args()
    runs = read_all_runs(arguments)
    curves = {
        f"{run.name}.{run.pair}.csv": curve(run.folder / "metrics.jsonl").to_csv(index=False) for run in runs
    }
    for name, text in curves.items():
        write_text(arguments.curves / name, text)
    write_json(arguments.metrics, metrics(scores_of(runs)))


def metrics(scores: pd.DataFrame) -> dict[str, Any]:
    """Return the one score of each run that a comparison of experiments needs, rounded to two decimals.

    They are run → pair → ``bleu``, or ``dev_bleu`` of the last checkpoint on the development set, and parser → ``f1``.
    """
    result: dict[str, Any] = {}
    for row in scores.to_dict("records"):
        run, value = result.setdefault(row["run"], {}), round(row["value"], 2)
        if row["headline"]:
            key = "dev_bleu" if row["checkpoint"] == "last" else "bleu"
            run.setdefault(row["pair"], {})[key] = value
        elif row["measure"] == "f1" and row["decoding_method"] == CONSTRAINED:
            run["f1"] = value
    return result


def curve(path: Path) -> pd.DataFrame:
    """Return the lines of a run's metrics.jsonl, without the columns that depend on the clock."""
    lines = pd.DataFrame(read_metrics(path))
    return lines[[*CURVE, *(name for name in CURVE_SCORES if name in lines)]]


if __name__ == "__main__":
    run_script(main)
