"""The counts of each sentence of a test set, from which a score is computed again on other samples of its sentences.

They are in a CSV file beside the scores: ``scores.csv`` beside ``scores.json``, likewise ``parses.csv`` and
``perplexity.csv``.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from transformer.common.artifacts import AGAIN, Kind, check_sha256, read_artifact
from transformer.common.errors import UserError, reading
from transformer.scoring.bootstrap import resampled_scores
from transformer.scoring.multi_bleu import COUNTS, multi_bleu
from transformer.scoring.significance import Trainings, paired_p

BRACKETS = ["matched", "gold", "predicted"]  # the counts that F1 is computed from


@dataclass(frozen=True)
class Sentences:
    """The counts of each sentence of a test set (sentences, columns), and the score as a function of their sum."""

    path: Path  # of the file that they are from
    counts: np.ndarray
    score: Callable[[np.ndarray], float]


def sentence_file(scores: Path | str) -> Path:
    """Return the file of the counts of each sentence, which lies beside a file of scores."""
    return Path(scores).with_suffix(".csv")


def trainings(paths: Sequence[Path], longer_than: int = 0) -> Trainings:
    """Return the scores of one system's trainings from their files of sentences, perplexity as its logarithm.

    Perplexity is of sentences ``longer_than`` so many tokens.  Raises UserError as ``read_sentences`` does, and when
    they are not of the same test set.
    """
    return as_trainings([read_sentences(path, longer_than) for path in paths])


def as_trainings(read: Sequence[Sentences]) -> Trainings:
    """Return the scores of one system's trainings from the counts of each of their sentences."""
    for other in read:
        check_same_test_set(read[0], other)
    values = [of.score(of.counts.sum(axis=0)) for of in read]
    samples = [resampled_scores(of.counts, of.score) for of in read]
    return Trainings(np.array(values), np.array(samples), len(read[0].counts))


def check_same_test_set(first: Sentences, other: Sentences) -> None:
    """Raise UserError when the two have different numbers of sentences."""
    if len(first.counts) != len(other.counts):
        raise UserError(
            f"{first.path} has {len(first.counts)} sentences, but {other.path} has {len(other.counts)}; "
            "score both runs again on one test set"
        )


def read_sentences(path: Path, longer_than: int = 0) -> Sentences:
    """Read the counts of each sentence.

    Perplexity is of those sentences whose translation, with its end, is ``longer_than`` so many tokens.  Raises
    UserError when there is none, and when the counts are not those whose sha256 the scores beside them have.
    """
    scores_file = path.with_suffix(".json")
    kinds: dict[str, Kind] = {"parses": "parses", "perplexity": "perplexity"}
    kind = kinds.get(path.stem, "scores")
    scores = read_artifact(scores_file, kind)
    with reading(path, AGAIN, "no counts of sentences", raises=(KeyError, ValueError)):
        check_sha256(path, scores["per_sentence"]["sha256"], scores_file)
        # The first set in the file is the development set if it has several.
        if kind == "perplexity":
            rows = pd.read_csv(path)
            rows = rows[(rows["split"] == rows["split"].iloc[0]) & (rows["tokens"] > longer_than)]
            if rows.empty:
                raise UserError(f"{path}: no translation has more than {longer_than} tokens")
            # In whole millionths of a nat, whose sums do not depend on their order.
            counts = {"nll": (1e6 * rows["nll"]).round(), "tokens": rows["tokens"]}
            return Sentences(path, pd.DataFrame(counts).to_numpy(dtype=np.int64), _log_perplexity)
        rows = pd.read_csv(path, dtype=np.int64)
        if kind == "scores":
            return Sentences(path, rows[list(COUNTS)].to_numpy(), lambda sums: multi_bleu(sums).value)
        valid = (rows["status"] == 0).to_numpy()  # as EVALB, which leaves out the others
        return Sentences(path, rows[BRACKETS].to_numpy() * valid[:, None], _f1)


def paired_p_of(first: Sentences, second: Sentences, comparisons: int = 1) -> float:
    """Return the p-value of the difference between two systems, one of so many comparisons."""
    check_same_test_set(first, second)
    return paired_p(first.counts, second.counts, first.score, comparisons)


def _log_perplexity(sums: np.ndarray) -> float:
    nll, tokens = sums.tolist()
    return float(nll) / 1e6 / tokens


def _f1(sums: np.ndarray) -> float:
    matched, gold, predicted = sums.tolist()
    return 200.0 * matched / (gold + predicted) if gold + predicted else 0.0
