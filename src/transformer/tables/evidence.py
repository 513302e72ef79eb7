"""Whether two rows of ours differ clearly: by their deviation over seeds, otherwise by their sentences.

The counts of each sentence are in a CSV file beside the scores: ``scores.csv`` beside ``scores.json``, ``parses.csv``
beside ``parses.json``.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from transformer.common.errors import UserError
from transformer.scoring.bleu import COUNTS, multi_bleu
from transformer.scoring.bootstrap import resampled_scores
from transformer.scoring.significance import Seeds, clearly_above, means_differ, paired_p

BRACKETS = ("matched", "gold", "predicted")  # the counts that F1 is computed from
Evidence = Seeds | np.ndarray  # the array has the scores on resampled test sets, (samples,)


def evidence_of(row: pd.Series) -> Evidence | None:
    """Return what is known of the spread of a row's score: of a mean over seeds, or of one run by its ``sentences``.

    Returns None if neither is known.  Raises UserError when the file of sentences is missing or is something else.
    """
    if row["sd"]:
        return Seeds(float(row["ours"]), float(row["sd"]), len(row["seeds"].split()))
    return resampled(Path(row["sentences"])) if row["sentences"] else None


@dataclass(frozen=True)
class Sentences:
    """The counts of each sentence (sentences, columns), and the score of a test set as a function of their sum."""

    counts: np.ndarray
    score: Callable[[np.ndarray], float]


def read_sentences(path: Path) -> Sentences:
    """Read the counts for BLEU or F1.  Raises UserError when the file is missing or is something else."""
    try:
        rows = pd.read_csv(path)
    except FileNotFoundError:
        raise UserError(f"{path}: no such file; make it with: snakemake --cores all {path}") from None
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
    matched, gold, predicted = (int(count) for count in sums)
    return 200.0 * matched / (gold + predicted) if gold + predicted else 0.0


def differ_clearly(higher: Evidence, lower: Evidence) -> bool:
    """Return whether the first row, whose score is higher, is clearly above the second."""
    if isinstance(higher, Seeds) and isinstance(lower, Seeds):
        return means_differ(higher, lower)
    assert isinstance(higher, np.ndarray)
    assert isinstance(lower, np.ndarray)
    return clearly_above(higher, lower)


def sentences_beside(scores: pd.Series) -> pd.Series:
    """Return the path of the file of sentences beside each score file; an empty path stays empty."""
    return scores.str.replace(r"\.json$", ".csv", regex=True)
