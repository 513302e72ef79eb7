"""Do two lists put the same things in the same order?  Rank correlations that know ties, in plain Python."""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations


@dataclass(frozen=True)
class RankCorrelation:
    """How two lists of the same length order their items.

    ``same`` and ``reversed`` count the pairs of items that both lists put in the same order, and in opposite ones; in
    ``tied`` pairs one list at least has equal values.  The two coefficients lie in [-1, 1]; None where all values of a
    list are equal, or there is one item only, and nothing is ordered.
    """

    same: int
    reversed: int
    tied: int
    kendall: float | None
    spearman: float | None

    @property
    def agrees(self) -> bool:
        """Whether no pair is the other way round."""
        return self.reversed == 0


def rank_correlation(first: Sequence[float], second: Sequence[float]) -> RankCorrelation:
    """Kendall's τ-b (Kendall 1945: ties shorten the possible range) and Spearman's ρ (Pearson's r of mean ranks)."""
    signs = [
        (_sign(a - b), _sign(x - y)) for (a, x), (b, y) in combinations(zip(first, second, strict=True), 2)
    ]
    same = sum(a * x > 0 for a, x in signs)
    other = sum(a * x < 0 for a, x in signs)
    untied = sum(a != 0 for a, _ in signs) * sum(x != 0 for _, x in signs)
    return RankCorrelation(
        same=same,
        reversed=other,
        tied=len(signs) - same - other,
        kendall=(same - other) / math.sqrt(untied) if untied else None,
        spearman=statistics.correlation(ranks(first), ranks(second)) if untied else None,
    )


def ranks(values: Sequence[float]) -> list[float]:
    """The rank of each value from 1, the smallest; equal values share the mean of theirs.

    >>> ranks([20.0, 10.0, 20.0])
    [2.5, 1.0, 2.5]
    """
    ordered = sorted(values)
    return [ordered.index(value) + (ordered.count(value) + 1) / 2 for value in values]


def _sign(value: float) -> int:
    return (value > 0) - (value < 0)
