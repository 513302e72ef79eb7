"""Fits are exact where the law holds."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transformer.inspection.layer_costs import Term, closest_fit, deviation, fit

POINTS = [{"n": n, "d": d} for n, d in itertools.product((8, 16, 64), (4, 32))]


@given(coefficient=st.floats(0.1, 100), n=st.floats(-2, 3), d=st.floats(-2, 3))
def test_a_product_of_powers_is_found(coefficient: float, n: float, d: float) -> None:
    law = Term(coefficient, {"n": n, "d": d})
    values = [law.at(point) for point in POINTS]
    found = fit(POINTS, values, ["n", "d"])
    assert found.coefficient == pytest.approx(coefficient)
    assert found.exponents == pytest.approx({"n": n, "d": d}, abs=1e-9)
    assert deviation([found], POINTS, values) < 1e-9


def test_the_closer_of_two_laws_is_taken() -> None:
    points = [{"n": 2**power, "log(n)": power} for power in range(1, 9)]
    for values, name in (
        ([3.0 * p["n"] for p in points], "n"),
        ([3.0 * p["log(n)"] for p in points], "log(n)"),
    ):
        assert closest_fit(points, values, [["n"], ["log(n)"]]).exponents == pytest.approx({name: 1})


def test_deviation_is_relative() -> None:
    assert deviation([Term(2, {"n": 1}), Term(1, {})], [{"n": 5}, {"n": 2}], [10, 5]) == pytest.approx(0.1)
