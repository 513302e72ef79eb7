"""Equation (1), its masks, and its branch for GPUs, run on the CPU: when it is taken, and that it computes the same."""

import math
from typing import Any

import numpy as np
import pytest
import torch
from reference_transformer import softmax
from torch import Tensor
from torch.nn import functional as F

from transformer.model import attention
from transformer.model.attention import causal_mask, padding_mask, scaled_dot_product_attention
from transformer.model.dropout import Dropout, mask_rows

B, H, T, D_K, D_V = 3, 2, 6, 5, 4
LENGTHS = (6, 2, 1)

PADDING = padding_mask(torch.arange(T) >= torch.tensor(LENGTHS)[:, None])
WINDOWS = torch.full((T, T), -math.inf).triu(2) + torch.full((T, T), -math.inf).tril(-2)
MASKS: dict[str, Tensor | None] = {
    "none": None,
    "padding": PADDING,
    "causal": causal_mask(T, torch.device("cpu")),
    "both": PADDING + causal_mask(T, torch.device("cpu")),
    "windows": WINDOWS[None, None],
}


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The calls of torch's fused attention, which the CPU takes as well."""
    found: list[Any] = []
    kernel = F.scaled_dot_product_attention

    def recorded(*args: Any, **settings: Any) -> Tensor:
        found.append((args, settings))
        return kernel(*args, **settings)

    monkeypatch.setattr(attention, "FUSED_DEVICES", {"cpu"})
    monkeypatch.setattr(F, "scaled_dot_product_attention", recorded)
    return found


def inputs(dtype: torch.dtype = torch.float32) -> tuple[Tensor, Tensor, Tensor]:
    generator = torch.Generator().manual_seed(0)
    shapes = [(B, H, T, D_K), (B, H, T, D_K), (B, H, T, D_V)]
    Q, K, V = (torch.randn(shape, generator=generator).to(dtype) for shape in shapes)
    return Q, K, V


def expected(mask: Tensor | None) -> np.ndarray:
    """Equation (1) in numpy and float64."""
    Q, K, V = (x.double().numpy() for x in inputs())
    scores = Q @ np.swapaxes(K, -1, -2) / math.sqrt(D_K)
    result: np.ndarray = softmax(scores if mask is None else scores + mask.double().numpy()) @ V
    return result


@pytest.mark.parametrize("kind", MASKS)
@pytest.mark.parametrize("fused", [True, False])
def test_equation_1_with_each_mask(
    kind: str, fused: bool, calls: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    if not fused:
        monkeypatch.setattr(attention, "FUSED_DEVICES", {"cuda"})
    found = scaled_dot_product_attention(*inputs(), MASKS[kind], Dropout(0.3, T))
    np.testing.assert_allclose(found.numpy(), expected(MASKS[kind]), rtol=0, atol=2e-6)
    assert len(calls) == int(fused)


@pytest.mark.parametrize("d_k", [4, 64, 256])
def test_scores_have_variance_1_whatever_d_k(d_k: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Footnote 4: a dot product of two random vectors has variance d_k; divided by the root of d_k, it has variance 1.

    The scores are read back from the weights: the logarithms of a row's weights are its scores less a constant.
    """
    monkeypatch.setattr(attention, "FUSED_DEVICES", set())
    keys = 64
    generator = torch.Generator().manual_seed(0)
    Q, K = torch.randn(2, 1, 200, keys, d_k, dtype=torch.float64, generator=generator)
    V = torch.eye(keys, dtype=torch.float64).expand(1, 200, keys, keys)
    weights = scaled_dot_product_attention(Q, K, V, None, Dropout(0.0, keys))
    assert weights.log().var(dim=-1).mean() == pytest.approx(1, rel=0.03)


@pytest.mark.parametrize("kind", MASKS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_gradients_are_those_of_the_plain_branch(
    kind: str, dtype: torch.dtype, calls: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where the mask has another number format than the queries."""
    found = []
    weights = torch.randn(B, H, T, D_V, generator=torch.Generator().manual_seed(1))
    for devices in ({"cpu"}, set()):
        monkeypatch.setattr(attention, "FUSED_DEVICES", devices)
        Q, K, V = (x.requires_grad_() for x in inputs(dtype))
        result = scaled_dot_product_attention(Q, K, V, MASKS[kind], Dropout(0.0, T))
        assert result.dtype == dtype
        (result * weights.to(dtype)).sum().backward()
        found.append([result.detach(), *(x.grad for x in (Q, K, V))])
    rtol, atol = (1e-4, 1e-5) if dtype == torch.float32 else (0.05, 0.06)
    torch.testing.assert_close(found[0], found[1], rtol=rtol, atol=atol)
    assert len(calls) == 1


def test_deterministic_algorithms_rule_it_out(calls: list[Any]) -> None:
    """Its backward pass adds in any order."""
    torch.use_deterministic_algorithms(True)
    try:
        scaled_dot_product_attention(*inputs(), PADDING, Dropout(0.0, T))
    finally:
        torch.use_deterministic_algorithms(False)
    assert calls == []


def test_attention_with_dropout_is_computed_plainly(
    calls: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The kernel's own dropout would depend on the batch."""
    noise = mask_rows(torch.arange(B), T, dropouts=1)
    dropped = scaled_dot_product_attention(*inputs(), PADDING, Dropout(0.5, T), noise)
    assert calls == []
    monkeypatch.setattr(attention, "FUSED_DEVICES", set())
    assert dropped.equal(scaled_dot_product_attention(*inputs(), PADDING, Dropout(0.5, T), noise))
    assert not dropped.equal(scaled_dot_product_attention(*inputs(), PADDING, Dropout(0.5, T)))


def test_which_kernel_a_mask_asks_for(calls: list[Any]) -> None:
    """The causal mask is the fused kernel's own, which takes no other; the rest are added in the inputs' type."""
    Q, K, V = inputs(torch.bfloat16)
    for kind in ("none", "causal", "padding"):
        scaled_dot_product_attention(Q, K, V, MASKS[kind], Dropout(0.3, T))
    assert [(len(arguments), settings) for arguments, settings in calls] == [
        (4, {}),
        (3, {"is_causal": True}),
        (4, {}),
    ]
    assert calls[0][0][3] is None
    assert calls[2][0][3].dtype == torch.bfloat16


def test_dropout_of_nothing_does_not_keep_it_from_the_fused_kernel(calls: list[Any]) -> None:
    scaled_dot_product_attention(*inputs(), None, Dropout(0.0, T), mask_rows(torch.arange(B), T, 1))
    assert len(calls) == 1
