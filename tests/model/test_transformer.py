"""The whole model: which inputs influence which outputs."""

import math

import pytest
import tiny
import torch

from transformer.common.special_tokens import PAD
from transformer.model.arithmetic import Arithmetic
from transformer.model.layers import AddAndNorm
from transformer.model.transformer import shift_right


@pytest.mark.parametrize("positions", ["sinusoidal", "learned", "words"])
def test_a_later_target_token_changes_no_earlier_logit(positions: str) -> None:
    model = tiny.model(positions=positions)
    source, target = tiny.tokens(2, 5), tiny.tokens(2, 7)
    before = model(source, target)
    target[:, 4] = (target[:, 4] + 1) % 19 + 1
    after = model(source, target)
    torch.testing.assert_close(before[:, :4], after[:, :4], rtol=0, atol=0)
    assert (before[:, 4:] - after[:, 4:]).abs().amax(-1).min() > 1e-4  # and every later one


def test_every_source_token_counts() -> None:
    model = tiny.model()
    source, target = tiny.tokens(1, 5), tiny.tokens(1, 3)
    before = model(source, target)
    for place in range(5):
        changed = source.clone()
        changed[0, place] = (changed[0, place] + 1) % 19 + 1
        assert (model(changed, target) - before).abs().max() > 1e-4


@pytest.mark.parametrize("positions", ["sinusoidal", "learned", "words"])
def test_padding_changes_nothing(positions: str) -> None:
    model = tiny.model(positions=positions)
    source, target = tiny.tokens(1, 4), tiny.tokens(1, 3)
    alone = model(source, target)
    padded_source, padded_target = torch.full((3, 9), PAD), torch.full((3, 8), PAD)
    padded_source[0, :4], padded_target[0, :3] = source[0], target[0]
    padded_source[1:], padded_target[1:] = tiny.tokens(2, 9, seed=1), tiny.tokens(2, 8, seed=2)
    together = model(padded_source, padded_target)[:1, :3]
    torch.testing.assert_close(together, alone, rtol=1e-5, atol=1e-6)


def test_the_target_is_shifted_right() -> None:
    assert shift_right(torch.tensor([[5, 6, 1], [7, 1, 0]])).tolist() == [[0, 5, 6], [0, 7, 1]]


def test_normalisation_adds_a_millionth_to_the_variance() -> None:
    """The 2017 code's value; here the variance is a millionth, too."""
    layer = AddAndNorm(tiny.model().config).eval()
    x = torch.tensor([1e-3, -1e-3]).repeat(6)
    torch.testing.assert_close(layer(x, torch.zeros(12)), x.sign() / math.sqrt(2), rtol=1e-4, atol=0)


def test_bf16_is_close_to_fp32() -> None:
    model = tiny.model()
    source, target = tiny.tokens(4, 6), tiny.tokens(4, 5)
    exact = model(source, target).log_softmax(-1)
    with Arithmetic("bf16").autocast(torch.device("cpu")):
        logits = model(source, target)
    assert logits.dtype == torch.bfloat16
    difference = (logits.float().log_softmax(-1) - exact).abs()
    assert difference.max() < 0.1  # bf16 has 8 bits: 2^-8 of logits of about 3, through two layers
    assert difference.max() > 0
