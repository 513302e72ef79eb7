"""The whole model: which inputs influence which outputs."""

import math

import tiny
import torch

from transformer.model.arithmetic import Arithmetic
from transformer.model.layers import AddAndNorm


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
