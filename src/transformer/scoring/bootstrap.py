"""Confidence intervals by the percentile bootstrap over sentences (Koehn 2004).

The test set is a sample of sentences, and another sample would give another score.  The bootstrap simulates this: it
draws a sample of the same size from the test set, with replacement, scores it, and repeats.  The interval contains the
middle 95% of these scores.  It measures the effect of the choice of test sentences only, not of the training seed.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

SAMPLES = 1000
LEVEL = 0.95
SEED = 0


@dataclass(frozen=True)
class Interval:
    """The middle ``level`` of the scores of ``samples`` resampled test sets."""

    low: float
    high: float
    level: float
    samples: int
    seed: int


def resampled_sums(statistics: np.ndarray, samples: int, seed: int) -> np.ndarray:
    """Return the summed counts (samples, columns) of resampled test sets.

    ``statistics`` is (sentences, columns), the counts of each sentence.  The same seed and number of sentences give
    the same samples, so that two measures or two systems are scored on the same sentences.
    """
    rng = np.random.default_rng(seed)
    sentences = len(statistics)
    draws = (rng.integers(sentences, size=sentences) for _ in range(samples))
    # Multiply how often each sentence was drawn by its counts; memory holds one sample at a time.
    return np.stack([np.bincount(draw, minlength=sentences) @ statistics for draw in draws])


def resampled_scores(
    statistics: np.ndarray, score: Callable[[np.ndarray], float], samples: int = SAMPLES, seed: int = SEED
) -> np.ndarray:
    """Return the scores (samples,) of resampled test sets; ``score`` is a function of summed counts (columns,)."""
    return np.array([score(sums) for sums in resampled_sums(statistics, samples, seed)])


def percentile_interval(
    statistics: np.ndarray, score: Callable[[np.ndarray], float], samples: int = SAMPLES, seed: int = SEED
) -> Interval:
    """Return the interval of ``score``, a function of summed counts (columns,), over resampled sentences."""
    scores = resampled_scores(statistics, score, samples, seed)
    tail = 100 * (1 - LEVEL) / 2
    low, high = np.percentile(scores, [tail, 100 - tail])
    return Interval(float(low), float(high), LEVEL, samples, seed)
