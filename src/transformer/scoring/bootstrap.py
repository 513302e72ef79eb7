"""Confidence intervals by the percentile bootstrap over sentences (Koehn 2004).

The test set is a sample of sentences, and another sample would give another score.  The bootstrap simulates this: it
draws a sample of the same size from the test set, with replacement, scores it, and repeats.  The interval contains the
middle 95% of these scores.  It measures the effect of the choice of test sentences only, not of the training seed.
"""

from collections.abc import Callable

import numpy as np

SAMPLES = 1000
LEVEL = 0.95
SEED = 0


def resampled_scores(statistics: np.ndarray, score: Callable[[np.ndarray], float]) -> np.ndarray:
    """Return the scores (SAMPLES,) of resampled test sets; ``score`` is a function of summed counts (columns,).

    ``statistics`` is (sentences, columns), the counts of each sentence.  The same number of sentences gives the same
    samples, so that two measures or two systems are scored on the same sentences.
    """
    rng = np.random.default_rng(SEED)
    sentences = len(statistics)
    draws = (rng.integers(sentences, size=sentences) for _ in range(SAMPLES))
    # Multiply how often each sentence was drawn by its counts.
    return np.array([score(np.bincount(draw, minlength=sentences) @ statistics) for draw in draws])


def percentile_interval(statistics: np.ndarray, score: Callable[[np.ndarray], float]) -> dict[str, float]:
    """Return the interval of ``score``, a function of summed counts (columns,), and how it was computed, as in JSON."""
    tail = 100 * (1 - LEVEL) / 2
    low, high = np.percentile(resampled_scores(statistics, score), [tail, 100 - tail])
    return {"low": float(low), "high": float(high), "level": LEVEL, "samples": SAMPLES, "seed": SEED}
