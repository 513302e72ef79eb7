"""The claims that need no trained model: counts of operations.

Each function has the name that resources/claims.yaml gives, and returns what was found.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from transformer.tables.literature import Literature, records

CLOSE = 0.1  # between a fitted exponent and the paper's
# The term of attention's own projections, which the paper's column leaves out.
PROJECTIONS = {"n": 1.0, "d": 2.0}


@dataclass(frozen=True)
class Measured:
    """What the claims are decided by; ``flops`` are operations of training by run, of base and rows (A)."""

    literature: Literature
    layers: Mapping[str, Any]  # of layers.json
    flops: Mapping[str, float]


@dataclass(frozen=True)
class Found:
    """Whether a claim holds, and in which numbers that is seen."""

    holds: bool
    text: str


def equal_operations(measured: Measured) -> Found | None:
    """Compare the operations of training with each number of heads with base's."""
    flops = measured.flops
    ratios = [count / flops["base"] for run, count in flops.items() if run != "base"]
    if not ratios:
        return None
    text = f"rows (A) take {min(ratios):.3f} to {max(ratios):.3f} of base's operations in training"
    return Found(all(abs(ratio - 1) < CLOSE for ratio in ratios), text)


def complexity(measured: Measured) -> Found:
    return _growth(measured, "flops", "complexity")


def sequential_operations(measured: Measured) -> Found:
    return _growth(measured, "sequential_operations", "sequential_operations")


def path_length(measured: Measured) -> Found:
    return _growth(measured, "path_length", "path_length")


def _growth(measured: Measured, counted: str, printed: str) -> Found:
    """Compare the exponents of what was counted in each layer type with the paper's expression."""
    types = records(measured.literature.layer_types)
    as_printed = []
    for row in types:
        terms = [_exponents(term["exponents"]) for term in measured.layers[row["layer"]][counted]["terms"]]
        if "attention" in row["name"].lower() and counted == "flops":
            terms = [term for term in terms if not _close(term, PROJECTIONS)]
        paper = terms_of(row[printed])
        as_printed.append(len(terms) == len(paper) and all(any(_close(a, b) for b in terms) for a in paper))
    return Found(all(as_printed), f"{sum(as_printed)} of {len(types)} layer types")


def terms_of(expression: str) -> list[dict[str, float]]:
    """Return the exponents in each term of an expression of the paper's.

    >>> terms_of("k · n · d + n · d^2")
    [{'k': 1.0, 'n': 1.0, 'd': 1.0}, {'n': 1.0, 'd': 2.0}]
    >>> terms_of("n/r"), terms_of("1")
    ([{'n': 1.0, 'r': -1.0}], [{}])
    """
    terms = []
    for term in expression.split(" + "):
        above, _, below = term.partition("/")
        factors = [*((factor, 1) for factor in above.split(" · ")), *((name, -1) for name in below.split())]
        powers = {
            name: sign * float(power or 1)
            for name, _, power, sign in ((*f.partition("^"), s) for f, s in factors)
        }
        terms.append(_exponents({name: power for name, power in powers.items() if name != "1"}))
    return terms


def _exponents(fitted: Mapping[str, float]) -> dict[str, float]:
    return {name: power for name, power in fitted.items() if abs(power) > CLOSE}


def _close(first: Mapping[str, float], second: Mapping[str, float]) -> bool:
    return first.keys() == second.keys() and all(abs(first[name] - second[name]) < CLOSE for name in first)


FUNCTIONS = {
    function.__name__: function
    for function in (equal_operations, complexity, sequential_operations, path_length)
}
