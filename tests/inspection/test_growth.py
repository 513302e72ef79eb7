"""Fits are exact where the law holds."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transformer.inspection.layer_costs import fit

POINTS = [{"n": n, "d": d} for n, d in itertools.product((8, 16, 64), (4, 32))]


@given(coefficient=st.floats(0.1, 100), n=st.floats(-2, 3), d=st.floats(-2, 3))
def test_a_product_of_powers_is_found(coefficient: float, n: float, d: float) -> None:
    values = [coefficient * point["n"] ** n * point["d"] ** d for point in POINTS]
    found = fit(POINTS, values, ["n", "d"])
    assert found.coefficient == pytest.approx(coefficient)
    assert found.exponents == pytest.approx({"n": n, "d": d}, abs=1e-9)
    assert found.values == pytest.approx(values)
