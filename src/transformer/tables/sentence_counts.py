"""The counts of each sentence of a test set, from which a score is computed again on other samples of its sentences.

They are in a CSV file beside the scores: ``scores.csv`` beside ``scores.json``, likewise ``parses.csv`` and
``perplexity.csv``.
"""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from transformer.common.artifacts import AGAIN, Kind, check_sha256, read_artifact
from transformer.common.errors import UserError, reading
from transformer.scoring.bootstrap import resampled_scores
from transformer.scoring.multi_bleu import COUNTS, multi_bleu
from transformer.scoring.significance import Trainings, exchanges_for, paired_p

BRACKETS = ["matched", "gold", "predicted"]  # the counts that F1 is computed from


def beside(scores: Path | str) -> Path:
    """Return the file of sentences beside a file of scores."""
    return Path(scores).with_suffix(".csv")


def trainings(paths: Sequence[Path], longer_than: int = 0) -> Trainings:
    """Return the scores of one system's trainings from their files of sentences, perplexity as its logarithm.

    Perplexity is of sentences ``longer_than`` so many tokens.  Raises UserError as ``read_sentences`` does, and when
    they are not of the same test set.
    """
    read = [(path, *read_sentences(path, longer_than)) for path in paths]
    for path, counts, _ in read:
        check_same_test_set(paths[0], read[0][1], path, counts)
    values = [score(counts.sum(axis=0)) for _, counts, score in read]
    samples = [resampled_scores(counts, score) for _, counts, score in read]
    return Trainings(np.array(values), np.array(samples), len(read[0][1]))


def check_same_test_set(path: Path, counts: np.ndarray, other: Path, others: np.ndarray) -> None:
    """Raise UserError when two files have different numbers of sentences."""
    if len(counts) != len(others):
        raise UserError(
            f"{path} has {len(counts)} sentences, but {other} has {len(others)}; "
            "score both runs again on one test set"
        )


def read_sentences(path: Path, longer_than: int = 0) -> tuple[np.ndarray, Callable[[np.ndarray], float]]:
    """Read the counts of each sentence (sentences, columns); return the score as a function of their sum, too.

    Perplexity is of those sentences whose translation, with its end, is ``longer_than`` so many tokens.  Raises
    UserError when there is none, and when the counts are not those whose sha256 the scores beside them have.
    """
    scores_file = path.with_suffix(".json")
    kinds: dict[str, Kind] = {"parses": "parses", "perplexity": "perplexity"}
    kind = kinds.get(path.stem, "scores")
    scores = read_artifact(scores_file, kind)
    with reading(path, AGAIN, "no counts of sentences"):
        check_sha256(path, scores["per_sentence"]["sha256"], scores_file)
        if (
            kind == "perplexity"
        ):  # of the first set in the file, which is the development set if it has several
            rows = pd.read_csv(path)
            rows = rows[(rows["split"] == rows["split"].iloc[0]) & (rows["tokens"] > longer_than)]
            if rows.empty:
                raise UserError(f"{path}: no translation has more than {longer_than} tokens")
            # In whole millionths of a nat, whose sums do not depend on their order.
            counts = {"nll": (1e6 * rows["nll"]).round(), "tokens": rows["tokens"]}
            return pd.DataFrame(counts).to_numpy(dtype=np.int64), _log_perplexity
        rows = pd.read_csv(path, dtype=np.int64)
        if kind == "scores":
            return rows[list(COUNTS)].to_numpy(), lambda sums: multi_bleu(sums).value
        valid = (rows["status"] == 0).to_numpy()  # as EVALB, which leaves out the others
        return rows[BRACKETS].to_numpy() * valid[:, None], _f1


def paired_p_of(first: Path, second: Path, comparisons: int = 1) -> float:
    """Return the p-value of the difference between two files of sentences, one of so many comparisons."""
    (one, score), (other, _) = read_sentences(first), read_sentences(second)
    check_same_test_set(first, one, second, other)
    return paired_p(one, other, score, exchanges_for(comparisons))


def _log_perplexity(sums: np.ndarray) -> float:
    nll, tokens = sums.tolist()
    return float(nll) / 1e6 / tokens


def _f1(sums: np.ndarray) -> float:
    matched, gold, predicted = sums.tolist()
    return 200.0 * matched / (gold + predicted) if gold + predicted else 0.0
