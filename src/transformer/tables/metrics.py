"""The figures of each run for programs: its scores as JSON, its training curve as CSV."""

from pathlib import Path
from typing import Any

import pandas as pd

from transformer.common.metrics_file import read_metrics
from transformer.tables.scores_frame import DECODINGS
from transformer.tables.table2 import SACREBLEU

CURVE = ["step", "loss", "dev_perplexity"]
CURVE_SCORES = ["dev_bleu", "dev_f1"]  # of a translation run, of a parser


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
        elif name in ("f1", "complete_match") and row["decoding"] == DECODINGS["parses"]:
            run[name] = value
    return result


def headline(scores: pd.DataFrame) -> dict[str, Any]:
    """Return the one score of each run that a comparison of experiments needs, rounded to two decimals.

    They are run → pair → ``bleu``, or ``dev_bleu`` of the last checkpoint on the development set, and parser → ``f1``.
    """
    result: dict[str, Any] = {}
    for row in scores[scores["headline"]].to_dict("records"):
        key = "dev_bleu" if row["checkpoint"] == "last" else "bleu"
        _at(result, row["run"], row["pair"])[key] = round(row["value"], 2)
    parses = scores[(scores["measure"] == "f1") & (scores["decoding"] == DECODINGS["parses"])]
    for row in parses.to_dict("records"):
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
