"""Rank correlations, which say whether two lists put the same items in the same order; ties are allowed."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pandas as pd


@dataclass(frozen=True)
class RankCorrelation:
    """How two lists of the same length order their items.

    ``same`` and ``reversed`` count the pairs of items that both lists put in the same order, and in opposite ones; in
    ``tied`` pairs at least one list has equal values.  The two coefficients are in [-1, 1], or None where there is no
    order: all values of a list are equal, or there is only one item.
    """

    same: int
    reversed: int
    tied: int
    kendall: float | None
    spearman: float | None


def rank_correlation(first: Iterable[float], second: Iterable[float]) -> RankCorrelation:
    """Return Kendall's τ-b (Kendall 1945: ties shorten the possible range) and Spearman's ρ (Pearson's r of ranks)."""
    lists = np.array([list(first), list(second)], dtype=float)
    pairs = np.triu_indices(lists.shape[1], 1)
    a, b = (np.sign(np.subtract.outer(values, values))[pairs] for values in lists)
    same, other = int((a * b > 0).sum()), int((a * b < 0).sum())
    untied = int((a != 0).sum()) * int((b != 0).sum())
    ranks = [pd.Series(values).rank() for values in lists]
    return RankCorrelation(
        same=same,
        reversed=other,
        tied=len(a) - same - other,
        kendall=(same - other) / math.sqrt(untied) if untied else None,
        spearman=float(ranks[0].corr(ranks[1])) if untied else None,
    )
