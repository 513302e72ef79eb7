"""Rows of zeros make the shapes of matrix products few, and a softmax fast; they change no result."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from transformer.model.arithmetic import FP32, Arithmetic, Linear, round_up, with_round_size

CPU = torch.device("cpu")


def both(bias: bool) -> tuple[Linear, nn.Linear]:
    torch.manual_seed(1)
    ours, plain = Linear(6, 5, bias=bias), nn.Linear(6, 5, bias=bias)
    plain.load_state_dict(ours.state_dict())
    return ours, plain


@given(st.integers(1, 100_000))
def test_round_numbers(number: int) -> None:
    rounded = round_up(number)
    assert number <= rounded <= number * 17 / 16
    assert round_up(rounded) == rounded


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("shape", [(33, 6), (3, 11, 6), (1, 1, 1, 6)])
def test_outputs_and_gradients_are_those_of_a_plain_linear_map(bias: bool, shape: tuple[int, ...]) -> None:
    results = []
    for layer in both(bias):
        x = torch.linspace(-1, 1, torch.Size(shape).numel()).reshape(shape).requires_grad_()
        with Arithmetic("bf16").autocast(CPU):
            y = layer(x)
        assert y.dtype == torch.bfloat16
        y.float().square().sum().backward()
        results.append([y, x.grad, *(parameter.grad for parameter in layer.parameters())])
    for ours, plain in zip(*results, strict=True):
        assert ours.shape == plain.shape
        torch.testing.assert_close(ours, plain, rtol=1e-2, atol=1e-3)


def test_fp32_has_no_rows_of_zeros() -> None:
    """MKL, which multiplies fp32 matrices, compiles no kernels."""
    layer, plain = both(bias=True)
    x = torch.ones(33, 6)
    assert with_round_size(x) is x
    assert torch.equal(layer(x), plain(x))


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
