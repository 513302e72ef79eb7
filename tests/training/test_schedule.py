"""Equation (3)."""

import pytest

from transformer.training.schedule import learning_rate


@pytest.mark.parametrize("step", [1, 100, 3999, 4000, 4001, 100_000])
def test_equation_3(step: int) -> None:
    expected = 512**-0.5 * min(step**-0.5, step * 4000**-1.5)
    assert learning_rate(step, 512, 4000) == pytest.approx(expected)
    assert learning_rate(step, 512, 4000, 2.5) == pytest.approx(2.5 * expected)


def test_it_rises_in_a_line_to_the_end_of_the_warm_up_then_falls() -> None:
    rates = [learning_rate(step, 512, 4000) for step in range(1, 8001)]
    assert max(rates) == rates[3999] == pytest.approx((512 * 4000) ** -0.5)
    assert rates[1999] == pytest.approx(rates[3999] / 2)
    assert rates[7999] == pytest.approx(rates[3999] / 2**0.5)
