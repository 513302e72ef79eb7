"""Equation (1), its masks, and its branch for GPUs, run on the CPU, which computes the same."""

import math

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


BRANCHES = pytest.mark.parametrize("fused", [True, False])


def take(fused: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the CPU take the branch for GPUs, torch's fused attention, or the plain one."""
    monkeypatch.setattr(attention, "FUSED_DEVICES", {"cpu"} if fused else set())


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
@BRANCHES
def test_equation_1_with_each_mask(kind: str, fused: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    take(fused, monkeypatch)
    found = scaled_dot_product_attention(*inputs(), MASKS[kind], Dropout(0.3, T))
    np.testing.assert_allclose(found.numpy(), expected(MASKS[kind]), rtol=0, atol=2e-6)


@pytest.mark.parametrize("d_k", [4, 64, 256])
def test_scores_have_variance_1_whatever_d_k(d_k: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Footnote 4: a dot product of two random vectors has variance d_k; divided by the root of d_k, it has variance 1.

    The scores are read back from the weights: the logarithms of a row's weights are its scores less a constant.
    """
    take(False, monkeypatch)
    keys = 64
    generator = torch.Generator().manual_seed(0)
    Q, K = torch.randn(2, 1, 200, keys, d_k, dtype=torch.float64, generator=generator)
    V = torch.eye(keys, dtype=torch.float64).expand(1, 200, keys, keys)
    weights = scaled_dot_product_attention(Q, K, V, None, Dropout(0.0, keys))
    assert weights.log().var(dim=-1).mean() == pytest.approx(1, rel=0.03)


@pytest.mark.parametrize("kind", MASKS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_gradients_are_those_of_the_plain_branch(
    kind: str, dtype: torch.dtype, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where the mask has another number format than the queries."""
    found = []
    weights = torch.randn(B, H, T, D_V, generator=torch.Generator().manual_seed(1))
    for fused in (True, False):
        take(fused, monkeypatch)
        Q, K, V = (x.requires_grad_() for x in inputs(dtype))
        result = scaled_dot_product_attention(Q, K, V, MASKS[kind], Dropout(0.0, T))
        assert result.dtype == dtype
        (result * weights.to(dtype)).sum().backward()
        found.append([result.detach(), *(x.grad for x in (Q, K, V))])
    rtol, atol = (1e-4, 1e-5) if dtype == torch.float32 else (0.05, 0.06)
    torch.testing.assert_close(found[0], found[1], rtol=rtol, atol=atol)


def test_when_the_fused_kernels_are_ruled_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """By deterministic algorithms, since their backward pass adds in any order, and by dropout of weights.

    Their own dropout would depend on the batch.
    """
    noise = mask_rows(torch.arange(B), T, dropouts=1)

    def results() -> list[Tensor]:
        dropped = scaled_dot_product_attention(*inputs(), PADDING, Dropout(0.5, T), noise)
        torch.use_deterministic_algorithms(True)
        try:
            return [dropped, scaled_dot_product_attention(*inputs(), PADDING, Dropout(0.0, T))]
        finally:
            torch.use_deterministic_algorithms(False)

    take(False, monkeypatch)
    plain = results()
    take(True, monkeypatch)
    monkeypatch.setattr(F, "scaled_dot_product_attention", None)
    torch.testing.assert_close(results(), plain, rtol=0, atol=0)
    assert not plain[0].equal(plain[1])
