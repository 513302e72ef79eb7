"""Properties of the bootstrap: determinism, coverage, and agreement with a plain loop."""

import numpy as np
import pytest

from transformer.scoring.bootstrap import SAMPLES, SEED, percentile_interval, resampled_scores


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


def test_identical_sentences_give_an_interval_of_width_0() -> None:
    interval = percentile_interval(np.tile([5, 1], (10, 1)), mean)
    assert (interval["low"], interval["high"]) == (5, 5)


def test_width_is_that_of_the_normal_approximation() -> None:
    """For a mean of n values, the interval is ± 1.96 standard errors."""
    counts = statistics(400)
    interval = percentile_interval(counts, mean)
    assert interval["high"] - interval["low"] == pytest.approx(2 * 1.96 * counts[:, 0].std() / 20, rel=0.06)
    assert interval["low"] < counts[:, 0].mean() < interval["high"]
