"""The counts of each sentence, from which BLEU or F1 is computed again on resampled test sets.

They are in a CSV file beside the scores: ``scores.csv`` beside ``scores.json``, ``parses.csv`` beside ``parses.json``.
The JSON file has the sha256 of the CSV file.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from transformer.common.checksums import AGAIN, check_sha256
from transformer.common.errors import UserError
from transformer.common.json_artifacts import read_artifact
from transformer.scoring.bootstrap import resampled_scores
from transformer.scoring.multi_bleu import COUNTS, multi_bleu
from transformer.scoring.significance import paired_p

BRACKETS = ("matched", "gold", "predicted")  # the counts that F1 is computed from


@dataclass(frozen=True)
class Sentences:
    """The counts of each sentence (sentences, columns), and the score of a test set as a function of their sum."""

    counts: np.ndarray
    score: Callable[[np.ndarray], float]


def read_sentences(path: Path) -> Sentences:
    """Read the counts for BLEU or F1.

    Raises UserError when the file is missing, is something else, or is not the one that belongs to the scores.
    """
    if not path.exists():
        raise UserError(f"{path}: no such file; make it with: snakemake --cores all {path}")
    beside = path.with_suffix(".json")
    scores = read_artifact(beside, "parses" if path.stem == "parses" else "scores")
    if "per_sentence" not in scores:
        raise UserError(f"{beside}: no sha256 of {path.name}; {AGAIN}")
    check_sha256(path, scores["per_sentence"]["sha256"], beside)
    try:
        rows = pd.read_csv(path, dtype=np.int64)
    except (ValueError, OverflowError) as error:
        raise UserError(f"{path}: not a table of counts ({str(error).splitlines()[0]}); {AGAIN}") from None
    if len(rows) != scores["sentences"]:
        raise UserError(f"{path}: {len(rows)} sentences, but {beside} is of {scores['sentences']}; {AGAIN}")
    if set(COUNTS) <= set(rows):
        return Sentences(rows[list(COUNTS)].to_numpy(), lambda sums: multi_bleu(sums).value)
    if {*BRACKETS, "status"} <= set(rows):
        valid = (rows["status"] == 0).to_numpy()  # as EVALB, which leaves out the others
        return Sentences(rows[list(BRACKETS)].to_numpy() * valid[:, None], _f1)
    raise UserError(f"{path}: no counts of sentences; delete the file and make it again")


def resampled(path: Path) -> np.ndarray:
    """Return BLEU or F1 on resampled test sets (samples,), the same samples for all files of as many sentences."""
    sentences = read_sentences(path)
    return resampled_scores(sentences.counts, sentences.score)


def paired_p_of(first: Path, second: Path) -> float:
    """Return the p-value of the difference in BLEU or F1 between two files of sentences, of the same test set."""
    systems = [read_sentences(path) for path in (first, second)]
    if len(systems[0].counts) != len(systems[1].counts):
        raise UserError(
            f"{first} has {len(systems[0].counts)} sentences, but {second} has {len(systems[1].counts)}; "
            "score both runs again on one test set"
        )
    return paired_p(systems[0].counts, systems[1].counts, systems[0].score)


def _f1(sums: np.ndarray) -> float:
    matched, gold, predicted = sums.tolist()
    return 200.0 * matched / (gold + predicted) if gold + predicted else 0.0
