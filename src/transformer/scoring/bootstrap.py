"""Confidence intervals by the percentile bootstrap over sentences (Koehn, 2004).

The test set is one draw of sentences; another draw would score otherwise.  The bootstrap plays this
through: it draws as many sentences from the test set, with replacement, scores that draw, and repeats.  The
middle 95% of those scores is the interval.  It speaks of the choice of test sentences only, not of the
training seed.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

SAMPLES = 1000
LEVEL = 0.95


@dataclass(frozen=True)
class Interval:
    """The middle ``level`` of the scores of ``samples`` resampled test sets."""

    low: float
    high: float
    level: float
    samples: int
    seed: int


def resampled_sums(statistics: np.ndarray, samples: int, seed: int) -> np.ndarray:
    """Summed counts of ``samples`` resampled corpora.

    ``statistics`` is (sentences, columns), one row of counts a sentence; returns (samples, columns).  The
    same seed and number of sentences draw the same sentences, so intervals of two measures rest on the same
    draws.
    """
    generator = np.random.default_rng(seed)
    sentences = len(statistics)
    draws = (generator.integers(sentences, size=sentences) for _ in range(samples))
    # How often each sentence was drawn, times its counts: a product a sample, so memory stays that of one draw.
    return np.stack([np.bincount(draw, minlength=sentences) @ statistics for draw in draws])


def percentile_interval(
    statistics: np.ndarray,
    score: Callable[[np.ndarray], float],
    *,
    samples: int = SAMPLES,
    level: float = LEVEL,
    seed: int = 0,
) -> Interval:
    """The interval of ``score``, a function of summed counts (columns,), over resampled sentences.

    Raises ValueError when there is no sentence.
    """
    if len(statistics) == 0:
        raise ValueError("no sentences to resample")
    scores = [score(sums) for sums in resampled_sums(statistics, samples, seed)]
    tail = 100 * (1 - level) / 2
    low, high = np.percentile(scores, [tail, 100 - tail])
    return Interval(float(low), float(high), level, samples, seed)
