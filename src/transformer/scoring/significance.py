"""Whether one system is better than another beyond chance.

Two single systems are compared by the paired bootstrap (Koehn 2004): both are scored on the same resampled test sets.
This is sharper than comparing their intervals, because a sentence that is hard for one system is hard for the other as
well.  Where a p-value is wanted, the test is approximate randomisation.  Neither says anything of another training
seed.  Systems that were trained with several seeds are compared by Welch's t-test of their means, which allows for
unequal deviations.
"""

import math
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from transformer.scoring.bootstrap import LEVEL, SAMPLES, SEED

K = TypeVar("K", bound=Hashable)


@dataclass(frozen=True)
class Seeds:
    """The scores of one system's trainings: their mean, sample standard deviation, and number (2 or more)."""

    mean: float
    deviation: float
    count: int


def clearly_above(first: np.ndarray, second: np.ndarray) -> bool:
    """Return whether the first system scores higher on at least 97.5% of the resampled test sets.

    The two arrays (samples,) are scores of both systems on the same samples.  This is a two-sided test at LEVEL.
    """
    return bool(np.mean(first > second) >= (1 + LEVEL) / 2)


def paired_p(first: np.ndarray, second: np.ndarray, score: Callable[[np.ndarray], float]) -> float:
    """Return the two-sided p-value of the difference between two systems by approximate randomisation.

    ``first`` and ``second`` are the counts of each sentence (sentences, columns), and ``score`` is a function of their
    sums (columns,).  If the systems were equal, each sentence could as well have the other system's output.  The
    p-value is the share of random exchanges that leave a difference at least as large, where one more sample counts as
    such (Riezler and Maxwell 2005, as in sacreBLEU).
    """
    rng = np.random.default_rng(SEED)
    sums, other_sums, change = first.sum(axis=0), second.sum(axis=0), second - first
    observed = abs(score(sums) - score(other_sums))
    exchanged = ((rng.random(len(first)) < 0.5) @ change for _ in range(SAMPLES))
    as_large = sum(abs(score(sums + moved) - score(other_sums - moved)) >= observed for moved in exchanged)
    return (as_large + 1) / (SAMPLES + 1)


def holm(p_values: Mapping[K, float]) -> dict[K, float]:
    """Return p-values corrected for their number by Holm's method (1979); those that are NaN count as no test.

    If each is compared with α, the probability of one false difference or more among all of them is at most α.
    """
    tested = sorted((key for key, p in p_values.items() if not math.isnan(p)), key=lambda key: p_values[key])
    corrected, least = dict(p_values), 0.0
    for rank, key in enumerate(tested):
        corrected[key] = least = max(least, min(1.0, (len(tested) - rank) * p_values[key]))
    return corrected


def means_differ(first: Seeds, second: Seeds) -> bool:
    """Return whether the means differ by Welch's t-test, two-sided at LEVEL."""
    return welch_p(first, second) < 1 - LEVEL


def welch_p(first: Seeds, second: Seeds) -> float:
    """Return the two-sided p-value of the difference of the means by Welch's t-test."""
    variances = [seeds.deviation**2 / seeds.count for seeds in (first, second)]
    if not sum(variances):
        return float(first.mean == second.mean)
    t = abs(first.mean - second.mean) / math.sqrt(sum(variances))
    # The degrees of freedom by Welch and Satterthwaite.
    parts = [
        variance**2 / (seeds.count - 1) for variance, seeds in zip(variances, (first, second), strict=True)
    ]
    return student_tails(t, sum(variances) ** 2 / sum(parts))


def student_tails(t: float, degrees: float) -> float:
    """Return the probability that Student's t, of at least one degree of freedom, lies beyond -t or t.

    With t = √degrees · tan θ, the density in θ is proportional to cos(θ)^(degrees - 1), which is summed numerically.
    """
    start = math.atan(t / math.sqrt(degrees))
    tail, half = (np.cos(np.linspace(low, math.pi / 2, 20_001)) ** (degrees - 1) for low in (start, 0.0))
    # The mean height times the width; the ends count half.
    areas = [(heights[1:] + heights[:-1]).mean() for heights in (tail, half)]
    return float(areas[0] * (math.pi / 2 - start) / (areas[1] * math.pi / 2))
