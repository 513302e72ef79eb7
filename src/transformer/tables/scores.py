"""All measurements of runs as one tidy DataFrame with one row per number, which ``results/scores.csv`` publishes."""

from collections.abc import Iterator, Sequence
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


def scores_of(runs: Sequence[Run]) -> pd.DataFrame:
    """Return one row for each number of each run, in the order of ``COLUMNS``.

    ``low`` and ``high`` are the bootstrap interval, NaN where there is none; ``key`` is the place of ``value`` in the
    JSON file ``path``; ``headline`` marks the BLEU that the tables show. No number depends on time or machine.  A
    number that several tables show is there once.
    """
    frame = pd.DataFrame([row for run in runs for row in _rows(run)], columns=COLUMNS)
    text = ["split", "test_set", "decoding_method", "checkpoint"]
    integers = dict.fromkeys(["seed", "parameters", "steps"], "Int64")
    # Python's own integers: the operations of a training at the paper's size do not fit into 64 bits.
    objects = dict.fromkeys(["training_flops", *text], object)
    frame = frame.astype({**integers, **objects, **dict.fromkeys(["value", "low", "high"], float)})
    frame = frame.fillna(dict.fromkeys(text, "")).assign(headline=frame["headline"].eq(True))
    return frame.drop_duplicates(ignore_index=True)


def _rows(run: Run) -> Iterator[dict[str, Any]]:
    of_run = {name: run.content["training"][name] for name in ("parameters", "training_flops", "steps")}
    of_run |= {name: getattr(run, name) for name in ("pair", "scale", "corpus")}
    of_run |= {"run": run.name, "checkpoint": "last" if run.files == LAST else "averaged"}
    for file, key, about in _numbers(run):
        test_set = run.corpus if about.get("split") == "test" else ""
        yield {**of_run, "test_set": test_set, **about, **vars(run.number(file, key))}


def _numbers(run: Run) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield for each number of a run its file, its place there, and what else its row says."""
    for key in ("parameters", "training_flops"):
        yield "training", key, {"checkpoint": "", "measure": key}
    if scores := run.content.get("scores"):
        about = {"split": "dev" if run.files == LAST else "test", "decoding_method": "beam search"}
        for name in scores["measures"]:
            of_measure = {"measure": name, "headline": name == scores["headline"]}
            yield "scores", f"measures.{name}.value", about | of_measure
    for split in ("dev", "test"):
        if split in run.content.get("perplexity", {}):
            yield "perplexity", f"{split}.perplexity", {"split": split, "measure": "perplexity"}
    for file, method in OF_PARSES.items():
        for key, measure in _of_parses(run.content.get(file, {})):
            yield file, key, {"split": "test", "decoding_method": method, "measure": measure}


def _of_parses(scores: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the places of what was counted over all sentences and those of up to 40 words, each with its name."""
    for part, suffix in (("all", ""), ("up_to_40", "_up_to_40")):
        numbers = scores.get(part, {})
        yield from (
            (f"{part}.{name}", name + suffix)
            for name in numbers
            if name not in ("interval", "valid") and numbers["valid"]
        )
    yield from ((name, name) for name in COUNTS if name in scores)
    if "decoding" in scores:
        yield "decoding.malformed", "malformed"
