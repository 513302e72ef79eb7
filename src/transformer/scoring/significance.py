"""Whether one system is better than another beyond chance.

Two single systems are compared by approximate randomisation of their sentences, which is sharper than comparing their
intervals, because a sentence that is hard for one system is hard for the other as well.  It says nothing of another
training seed.  Systems that were trained with several seeds are compared by a t-test for which both seeds and sentences
are samples (Clark 1973).
"""

import math
from collections.abc import Callable, Collection, Hashable, Mapping
from dataclasses import dataclass, replace
from typing import Self, TypeVar

import numpy as np
from scipy.special import stdtr, stdtrit

from transformer.scoring.bootstrap import SEED

# A p-value from n exchanges is 1/(n + 1) at least, and Holm's correction multiplies it by the number of comparisons.
# 1000 are enough for 20, and more have 50 for each, so that the least corrected p-value is never above 0.02.
EXCHANGES, EXCHANGES_PER_COMPARISON = 1000, 50
DRAWN = 1 << 22  # random numbers in memory at once
K = TypeVar("K", bound=Hashable)


@dataclass(frozen=True)
class Trainings:
    """The scores of one system's trainings, which differ in their seed.

    ``values`` (seeds,) are their scores on the whole test set of so many ``sentences``, and ``resampled``
    (seeds, samples) those on the same resampled test sets for all systems.
    """

    values: np.ndarray
    resampled: np.ndarray
    sentences: int

    @property
    def interaction(self) -> float:
        """The variance of the mean that comes from what single trainings make of single sentences."""
        seeds = len(self.values)
        apart = self.resampled - self.resampled.mean(axis=0)
        return float(apart.var(axis=1, ddof=1).sum()) / (seeds - 1) / seeds if seeds > 1 else 0.0

    def __sub__(self, other: Self) -> Self:
        """Return what each training gains over its counterpart with the same seed."""
        differences = self.values - other.values, self.resampled - other.resampled
        return type(self)(*differences, min(self.sentences, other.sentences))


@dataclass(frozen=True)
class Estimate:
    """A difference between systems, and how it would vary with other seeds and with other test sentences.

    The variances have degrees of freedom; both are NaN over seeds if each system was trained once, and the degrees over
    sentences are NaN if there is only one.
    """

    value: float
    seed_variance: float
    seed_degrees: float
    sentence_variance: float
    sentence_degrees: float

    @property
    def error(self) -> float:
        """The standard error, over seeds and sentences together."""
        return math.sqrt(self.seed_variance + self.sentence_variance)

    @property
    def degrees(self) -> float:
        """The degrees of freedom of the standard error, by Satterthwaite's formula."""
        parts = self.seed_variance**2 / self.seed_degrees + self.sentence_variance**2 / self.sentence_degrees
        return self.error**4 / parts if parts else math.inf

    def p_above(self, bound: float) -> float:
        """Return the one-sided p-value against a true difference of at most ``bound``; NaN without several seeds."""
        if self.error == 0:
            return float(self.value <= bound)
        return float(stdtr(self.degrees, (bound - self.value) / self.error))

    def p_below(self, bound: float) -> float:
        """Return the one-sided p-value against a true difference of at least ``bound``; NaN without several seeds."""
        return replace(self, value=-self.value).p_above(-bound)

    def interval(self, level: float) -> tuple[float, float]:
        """Return the confidence interval of the true difference."""
        margin = self.quantile((1 + level) / 2) * self.error
        return self.value - margin, self.value + margin

    def detectable(self, alpha: float, power: float) -> float:
        """Return the smallest true difference that a two-sided test at ``alpha`` finds with this probability."""
        return (self.quantile(1 - alpha / 2) + self.quantile(power)) * self.error

    def quantile(self, share: float) -> float:
        """Return a quantile of Student's t with these degrees of freedom."""
        return float(stdtrit(self.degrees, share))


def contrast(weights: Mapping[K, float], systems: Mapping[K, Trainings], pooled: Collection[K]) -> Estimate:
    """Return the weighted sum of some systems' mean scores; weights of 1 and -1 give the difference of two.

    The variance over seeds is taken to be the same for the systems of the sum and for those in ``pooled``, and pooled
    over them, so that twenty of three seeds have forty degrees of freedom; no other system changes anything.  The
    variance over sentences is that of the sum on resampled test sets, without what single trainings make of single
    sentences, which is part of the variance over seeds already.  The error that is computed from both is that of the
    quasi-F ratio F' (Clark 1973), which allows for other seeds and other sentences at once.
    """
    pool = [system.values for key, system in systems.items() if key in weights or key in pooled]
    degrees = sum(len(values) - 1 for values in pool)
    squares = math.fsum(float(values.var()) * len(values) for values in pool)
    variance = squares / degrees if degrees else math.nan
    chosen = [(weight, systems[key]) for key, weight in weights.items()]
    samples = sum(weight * system.resampled.mean(axis=0) for weight, system in chosen)
    interaction = math.fsum(weight**2 * system.interaction for weight, system in chosen)
    return Estimate(
        value=math.fsum(weight * float(system.values.mean()) for weight, system in chosen),
        seed_variance=variance * math.fsum(weight**2 / len(system.values) for weight, system in chosen),
        seed_degrees=degrees or math.nan,
        sentence_variance=max(0.0, float(np.var(samples, ddof=1)) - interaction),
        sentence_degrees=min(system.sentences for _, system in chosen) - 1 or math.nan,
    )


def paired_p(
    first: np.ndarray, second: np.ndarray, score: Callable[[np.ndarray], float], comparisons: int = 1
) -> float:
    """Return the two-sided p-value of the difference between two systems by approximate randomisation.

    ``first`` and ``second`` are the counts of each sentence (sentences, columns), and ``score`` is a function of their
    sums (columns,).  If the systems were equal, each sentence could as well have the other system's output.  The
    p-value is (b + 1) / (n + 1) where b of n random exchanges leave a difference at least as large (Riezler and Maxwell
    2005, as in sacreBLEU).  It is one of so many ``comparisons``, and the more there are, the more exchanges it has, so
    that one that differs can get a mark.
    """
    exchanges = max(EXCHANGES, EXCHANGES_PER_COMPARISON * comparisons)
    rng = np.random.default_rng(SEED)
    sums, other_sums, change = first.sum(axis=0), second.sum(axis=0), (second - first).astype(float)
    observed = abs(score(sums) - score(other_sums))
    as_large, at_once = 0, max(1, DRAWN // len(change))
    for start in range(0, exchanges, at_once):
        is_exchanged = rng.random((min(at_once, exchanges - start), len(change))) < 0.5
        # A product of floating-point numbers is far faster than one of integers, and as exact below 2^53.
        for moved in (is_exchanged.astype(float) @ change).astype(np.int64):
            as_large += abs(score(sums + moved) - score(other_sums - moved)) >= observed
    return (as_large + 1) / (exchanges + 1)


def holm(p_values: Mapping[K, float]) -> dict[K, float]:
    """Return p-values corrected for their number by Holm's method (1979); those that are NaN count as no test.

    If each is compared with α, the probability of one false difference or more among all of them is at most α.
    """
    tested = sorted((key for key, p in p_values.items() if not math.isnan(p)), key=lambda key: p_values[key])
    corrected, least = dict(p_values), 0.0
    for rank, key in enumerate(tested):
        corrected[key] = least = max(least, min(1.0, (len(tested) - rank) * p_values[key]))
    return corrected
