"""Find how a quantity grows: the power of each variable, by linear regression on logarithms."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

Point = Mapping[str, float]  # values of n, d, k, r, log_k(n)


@dataclass(frozen=True)
class Term:
    """``coefficient`` times the product of each variable to the power of its exponent."""

    coefficient: float
    exponents: dict[str, float]

    def at(self, point: Point) -> float:
        """Return the value of the term at ``point``."""
        return self.coefficient * math.prod(point[name] ** power for name, power in self.exponents.items())


def fit(points: Sequence[Point], values: Sequence[float], variables: Sequence[str]) -> Term:
    """Return the term in these variables whose logarithm is closest to that of ``values`` (least squares)."""
    columns = [[1.0] * len(points), *([math.log(point[name]) for point in points] for name in variables)]
    solution, *_ = np.linalg.lstsq(np.array(columns).T, np.log(values), rcond=None)
    return Term(math.exp(solution[0]), dict(zip(variables, solution[1:].tolist(), strict=True)))


def closest_fit(points: Sequence[Point], values: Sequence[float], choices: Sequence[Sequence[str]]) -> Term:
    """Return the closest of the fits in several choices of variables."""

    def squared_error(term: Term) -> float:
        return sum(math.log(term.at(point) / value) ** 2 for point, value in zip(points, values, strict=True))

    return min((fit(points, values, variables) for variables in choices), key=squared_error)


def deviation(terms: Sequence[Term], points: Sequence[Point], values: Sequence[float]) -> float:
    """Return the largest difference between a value and the sum of the terms, as a fraction of the value."""
    return max(
        abs(sum(term.at(point) for term in terms) / value - 1)
        for point, value in zip(points, values, strict=True)
    )


def merge(terms: Sequence[Term]) -> list[Term]:
    """Add up terms whose exponents agree to two decimals."""
    groups: dict[tuple[tuple[str, float], ...], list[Term]] = {}
    for term in terms:
        key = tuple((name, round(power, 2)) for name, power in term.exponents.items())
        groups.setdefault(key, []).append(term)
    return [Term(sum(term.coefficient for term in group), group[0].exponents) for group in groups.values()]
