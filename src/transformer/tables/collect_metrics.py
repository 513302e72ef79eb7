"""Collect the scores of runs in two JSON files, and their training curves in CSV files, for programs that compare them.

    python src/transformer/tables/collect_metrics.py --runs results/demo/runs/base/en-de … \\
        --metrics results/metrics.json --headline results/headline.json --curves results/curves
"""

from pathlib import Path
from typing import Any

import pandas as pd

from transformer.common.arguments import Output, argument_parser
from transformer.common.artifacts import read_metrics
from transformer.common.errors import run_script
from transformer.common.files import write_all, write_json
from transformer.tables.measures import SACREBLEU
from transformer.tables.runs import LAST, PARSES, read_runs
from transformer.tables.scores import CONSTRAINED, scores_of

CURVE = ["step", "loss", "dev_perplexity"]
CURVE_SCORES = ["dev_bleu", "dev_f1"]  # of a translation run, of a parser


def main() -> None:
    parser = argument_parser(__doc__)
    add = parser.add_argument
    add("--runs", type=Path, nargs="+", required=True, help="folders of runs of Table 2")
    add("--last", type=Path, nargs="*", default=[], help="folders of runs that only Table 3 has")
    add("--parsers", type=Path, nargs="*", default=[], help="folders of scored parser runs")
    add("--metrics", type=Output, required=True, help="the JSON file to write")
    add("--headline", type=Output, required=True, help="the JSON file with one score of each run only")
    add("--curves", type=Output, required=True, help="folder for RUN.PAIR.csv")
    arguments = parser.parse_args()
    runs = [*read_runs(arguments.runs), *read_runs(arguments.last, LAST)]
    runs += read_runs(arguments.parsers, PARSES)
    curves = {
        f"{run.name}.{run.pair}.csv": curve(run.folder / "metrics.jsonl").to_csv(index=False) for run in runs
    }
    write_all(arguments.curves, curves)
    scores = scores_of(runs)
    write_json(arguments.metrics, metrics(scores))
    write_json(arguments.headline, headline(scores))


def metrics(scores: pd.DataFrame) -> dict[str, Any]:
    """Return run → pair → BLEU by measure and perplexity by split, and parser → F1 and complete match.

    Those of the last checkpoint, on the development set, are under the key ``last`` of the pair.  All values are
    rounded to four decimals.
    """
    result: dict[str, Any] = {}
    for row in scores.to_dict("records"):
        name, value, run = row["measure"], round(row["value"], 4), result.setdefault(row["run"], {})
        keys = [row["pair"], *(["last"] if row["checkpoint"] == "last" else [])]
        if row["headline"] or name == SACREBLEU:
            _at(run, *keys, "bleu")[name] = value
        elif name == "perplexity":
            _at(run, *keys, "perplexity")[row["split"]] = value
        elif name in ("f1", "complete_match") and row["decoding_method"] == CONSTRAINED:
            run[name] = value
    return result


def headline(scores: pd.DataFrame) -> dict[str, Any]:
    """Return the one score of each run that a comparison of experiments needs, rounded to two decimals.

    They are run → pair → ``bleu``, or ``dev_bleu`` of the last checkpoint on the development set, and parser → ``f1``.
    """
    result: dict[str, Any] = {}
    for row in scores.to_dict("records"):
        if row["headline"]:
            key = "dev_bleu" if row["checkpoint"] == "last" else "bleu"
            _at(result, row["run"], row["pair"])[key] = round(row["value"], 2)
        elif row["measure"] == "f1" and row["decoding_method"] == CONSTRAINED:
            _at(result, row["run"])["f1"] = round(row["value"], 2)
    return result


def _at(mapping: dict[str, Any], *keys: str) -> dict[str, Any]:
    """Return the mapping at these keys; it is made if it is not there."""
    for key in keys:
        mapping = mapping.setdefault(key, {})
    return mapping


def curve(path: Path) -> pd.DataFrame:
    """Return the lines of a run's metrics.jsonl, without the columns that depend on the clock."""
    lines = pd.DataFrame(read_metrics(path, *CURVE))
    return lines[[*CURVE, *(name for name in CURVE_SCORES if name in lines)]]


if __name__ == "__main__":
    run_script(main)
