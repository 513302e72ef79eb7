"""All measurements of runs as one tidy DataFrame with one row per number.

The tables are made from it, and ``results/scores.csv`` publishes it (docs/formats.md).
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from transformer.tables.runs import LAST, Run

COLUMNS = (
    "run pair split test_set decoding_method checkpoint measure headline value low high seed parameters training_flops "
    "steps scale corpus path key sha256"
).split()
# The ways of decoding a parser's trees, by the name of the file that holds their scores.
CONSTRAINED = "constrained"
OF_PARSES = {"parses": CONSTRAINED, "unconstrained": "unconstrained, repaired"}
COUNTS = ("sentences", "errors", "skipped")
Figure = dict[str, Any]


def scores_of(runs: Sequence[Run]) -> pd.DataFrame:
    """Return one row for each number of each run, in the order of ``COLUMNS``.

    ``low`` and ``high`` are the bootstrap interval, NaN where there is none; ``key`` is the place of ``value`` in the
    JSON file ``path``; ``headline`` marks the BLEU that the tables show. No number depends on time or machine.  A
    number that several tables show is there once.
    """
    rows = [
        {
            **_facts(run),
            **figure,
            "test_set": run.corpus if figure.get("split") == "test" else "",
            "path": run.path(name).as_posix(),
            "sha256": run.sha256[name],
        }
        for run in runs
        for name, figure in _figures(run)
    ]
    return _frame(rows).drop_duplicates(ignore_index=True)


def _frame(rows: list[Figure]) -> pd.DataFrame:
    frame = pd.DataFrame(rows, columns=COLUMNS)
    text = ["split", "test_set", "decoding_method", "checkpoint"]
    integers = dict.fromkeys(["seed", "parameters", "steps"], "Int64")
    # Python's own integers: the operations of a training at the paper's size do not fit into 64 bits.
    objects = dict.fromkeys(["training_flops", *text], object)
    frame = frame.astype({**integers, **objects, **dict.fromkeys(["value", "low", "high"], float)})
    return frame.fillna(dict.fromkeys(text, "")).assign(headline=frame["headline"].eq(True))


def _facts(run: Run) -> Figure:
    """Return the columns that all figures of a run share."""
    training = run.content["training"]
    return {
        **{name: training[name] for name in ("parameters", "training_flops", "steps")},
        "run": run.name,
        "pair": run.pair,
        "seed": run.seed,
        "scale": run.scale,
        "corpus": run.corpus,
        "checkpoint": "last" if run.files == LAST else "averaged",
    }


def _figures(run: Run) -> Iterator[tuple[str, Figure]]:
    """Yield each figure with the name of the file that contains it."""
    for key in ("parameters", "training_flops"):
        value = run.content["training"][key]
        yield "training", {"checkpoint": "", "measure": key, "value": value, "key": key}
    if "scores" in run.files:
        common = {"split": "dev" if run.files == LAST else "test", "decoding_method": "beam search"}
        scores = run.content["scores"]
        for figure in _measures(scores["measures"], "measures", scores["headline"]):
            yield "scores", common | figure
    for split in ("dev", "test"):
        if content := run.content.get("perplexity", {}).get(split):
            key, value = f"{split}.perplexity", content["perplexity"]
            yield "perplexity", {"split": split, "measure": "perplexity", "value": value, "key": key}
    for name, method in OF_PARSES.items():
        if name in run.files:
            for figure in _parse_figures(run.content[name]):
                yield name, {"split": "test", "decoding_method": method, **figure}


def _measures(measures: Mapping[str, Any], key: str, headline: str) -> Iterator[Figure]:
    """Yield BLEU by measure."""
    for name, content in measures.items():
        yield {
            "measure": name,
            "headline": name == headline,
            "value": content["value"],
            "low": content["interval"]["low"],
            "high": content["interval"]["high"],
            "key": f"{key}.{name}.value",
        }


def _parse_figures(scores: Mapping[str, Any]) -> Iterator[Figure]:
    """Yield what ``score_parses.py`` counted over all sentences, and over those of up to 40 words."""
    for part, suffix in (("all", ""), ("up_to_40", "_up_to_40")):
        content = scores[part]
        for name, value in content.items():
            if name not in ("interval", "valid") and content["valid"]:
                interval = content["interval"] if name == "f1" else {}
                bounds = {bound: interval.get(bound) for bound in ("low", "high")}
                yield {"measure": name + suffix, "value": value, **bounds, "key": f"{part}.{name}"}
    for name in COUNTS:
        yield {"measure": name, "value": scores[name], "key": name}
    if "decoding" in scores:
        value = scores["decoding"]["malformed"]
        yield {"measure": "malformed", "value": value, "key": "decoding.malformed"}
