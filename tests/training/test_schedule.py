"""Equation (3)."""

import pytest

from transformer.training.schedule import learning_rate


@pytest.mark.parametrize("step", [1, 100, 3999, 4000, 4001, 100_000])
def test_equation_3(step: int) -> None:
    expected = 512**-0.5 * min(step**-0.5, step * 4000**-1.5)
    assert learning_rate(step, 512, 4000) == pytest.approx(expected)
    assert learning_rate(step, 512, 4000, 2.5) == pytest.approx(2.5 * expected)
