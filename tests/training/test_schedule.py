"""Equation (3), and the cooldown after it."""

import itertools

import pytest

from transformer.training.schedule import cooldown_factor, learning_rate


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


def test_without_a_cooldown_nothing_changes() -> None:
    assert {cooldown_factor(step, 100, 0.0) for step in range(1, 101)} == {1.0}


@pytest.mark.parametrize("cooldown", [0.3, 0.5, 1.0])
def test_a_cooldown_falls_in_a_line_from_1_to_just_above_0(cooldown: float) -> None:
    factors = [cooldown_factor(step, 100, cooldown) for step in range(1, 101)]
    begins = round(100 * (1 - cooldown))
    assert factors[:begins] == [1.0] * begins
    assert factors[-1] == pytest.approx(1 / (100 * cooldown + 1))
    falls = [one - next for one, next in itertools.pairwise([1.0, *factors[begins:], 0.0])]
    assert falls == pytest.approx([factors[-1]] * len(falls))
