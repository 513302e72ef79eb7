"""Properties of the bootstrap: determinism, coverage, and agreement with a plain loop."""

from collections.abc import Sequence

import numpy as np
import pytest
from sacrebleu.metrics import BLEU
from sacrebleu.significance import PairedTest, Result

from transformer.scoring.bootstrap import SAMPLES, SEED, percentile_interval, resampled_scores
from transformer.scoring.multi_bleu import corpus_statistics, multi_bleu


def mean(sums: np.ndarray) -> float:
    return float(sums[0] / sums[1])


def statistics(sentences: int, seed: int = 0) -> np.ndarray:
    values = np.random.default_rng(seed).integers(0, 100, size=sentences)
    return np.stack([values, np.ones_like(values)], axis=1)


def test_scores_equal_a_plain_loop() -> None:
    """So the same seed draws the same sentences."""
    counts = statistics(20)
    rng = np.random.default_rng(SEED)
    expected = [mean(counts[rng.integers(20, size=20)].sum(axis=0)) for _ in range(SAMPLES)]
    assert resampled_scores(counts, mean).tolist() == expected


@pytest.mark.parametrize("rate", [0.1, 0.4])
def test_the_interval_of_bleu_is_sacrebleu_s(rate: float) -> None:
    """Up to its random samples; sacreBLEU gives the middle and half the width."""
    rng = np.random.default_rng(4)
    references = rng.integers(0, 50, (150, 12))
    system = np.where(rng.random(references.shape) < rate, 99, references)
    texts = [[" ".join(map(str, row)) for row in rows] for rows in (system, references)]
    ours = percentile_interval(corpus_statistics(*texts), lambda sums: multi_bleu(sums).value)
    named: list[tuple[str, Sequence[str]]] = [("one", texts[0]), ("same", texts[0])]
    metric = {"BLEU": BLEU(tokenize="none", smooth_method="none")}
    _, found = PairedTest(named, metric, [texts[1]], test_type="bs", n_samples=1000)()
    theirs = found["BLEU"][0]
    assert isinstance(theirs, Result)
    assert theirs.ci
    assert (ours["high"] - ours["low"]) / 2 == pytest.approx(theirs.ci, rel=0.1)
    assert (ours["high"] + ours["low"]) / 2 == pytest.approx(theirs.mean, abs=0.2 * theirs.ci)
