"""Rows of zeros make the shapes of matrix products few, and a softmax fast; they change no result."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from transformer.model.arithmetic import FP32, Arithmetic, round_up


@given(st.integers(1, 100_000))
def test_round_numbers(number: int) -> None:
    rounded = round_up(number)
    assert number <= rounded <= number * 17 / 16
    assert round_up(rounded) == rounded


@pytest.mark.parametrize("arithmetic", [FP32, Arithmetic("portable")])
@pytest.mark.parametrize("S", [1, 7, 15, 16, 17, 40])
def test_softmax_of_rows_shorter_and_longer_than_a_register(S: int, arithmetic: Arithmetic) -> None:
    softmax = arithmetic.softmax
    scores = 5 * torch.randn(2, 3, S)
    scores[1, 1:, : S // 2] = -math.inf
    ours, plain = (scores.clone().requires_grad_() for _ in range(2))
    weights = torch.randn_like(scores)
    (softmax(ours) * weights).sum().backward()
    (plain.softmax(-1) * weights).sum().backward()
    torch.testing.assert_close(softmax(ours), plain.softmax(-1))
    torch.testing.assert_close(ours.grad, plain.grad)
    half = softmax(scores.bfloat16())
    assert half.dtype == torch.bfloat16
    torch.testing.assert_close(half.float(), scores.bfloat16().float().softmax(-1), rtol=2**-8, atol=1e-6)
