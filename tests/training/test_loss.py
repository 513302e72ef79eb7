"""The loss and its hand-written gradients against the plain formula and autograd."""

import pytest
import torch
from torch import Tensor

from transformer.model.arithmetic import FP32
from transformer.training import loss

POSITIONS, D_MODEL, V = 11, 6, 17


def plain(states: Tensor, weight: Tensor, targets: Tensor, smoothing: float) -> tuple[Tensor, Tensor]:
    """The formula: 1 - ε on the true entry, ε / (V - 1) on each other one."""
    log_p = (states @ weight.T).log_softmax(-1)
    wanted = torch.full_like(log_p, smoothing / (V - 1)).scatter(1, targets[:, None], 1 - smoothing)
    return -(wanted * log_p).sum(), -log_p.gather(1, targets[:, None]).sum()


@pytest.mark.parametrize("smoothing", [0.0, 0.1, 0.5])
@pytest.mark.parametrize(
    "chunk", [1, V * 4, V * POSITIONS, 1 << 20]
)  # a position, 4 (11 = 4 + 4 + 3), all, more
def test_loss_and_gradients(monkeypatch: pytest.MonkeyPatch, smoothing: float, chunk: int) -> None:
    monkeypatch.setitem(loss.CHUNK_ELEMENTS, "cpu", chunk)
    torch.manual_seed(0)
    states, weight = torch.randn(POSITIONS, D_MODEL), torch.randn(V, D_MODEL)
    targets = torch.randint(V, (POSITIONS,))
    exact = [x.double().requires_grad_() for x in (states, weight)]
    expected = plain(exact[0], exact[1], targets, smoothing)
    (expected[0] * 3).backward()
    ours = [x.requires_grad_() for x in (states, weight)]
    found = loss.linear_cross_entropy(ours[0], ours[1], targets, smoothing, FP32)
    (found * 3).backward()
    log_p = loss.log_likelihoods(ours[0].detach(), ours[1].detach(), targets, FP32)
    likelihood = -torch.cat(list(log_p)).sum()
    for value, wanted in zip((found, likelihood), expected, strict=True):
        torch.testing.assert_close(value.double(), wanted, rtol=1e-6, atol=0)
    for x, wanted in zip(ours, exact, strict=True):
        torch.testing.assert_close(x.grad.double(), wanted.grad, rtol=1e-5, atol=1e-6)  # type: ignore[union-attr]


@pytest.mark.parametrize("chunk", [1, V * 70, V * 2000])  # a position; 69, with 3 rows of zeros; all, with 36
def test_in_bf16_only_the_products_are_rounded(monkeypatch: pytest.MonkeyPatch, chunk: int) -> None:
    """Loss and likelihood are computed in fp32, and the gradient of the matrix is summed in it."""
    monkeypatch.setitem(loss.CHUNK_ELEMENTS, "cpu", chunk)
    torch.manual_seed(0)
    states, weight = torch.rand(1500, D_MODEL).bfloat16(), torch.randn(V, D_MODEL).bfloat16()
    targets = torch.zeros(1500, dtype=torch.long)
    logits = (states @ weight.T).float()
    expected = torch.nn.functional.cross_entropy(logits, targets, reduction="sum")
    likelihood = -torch.cat(list(loss.log_likelihoods(states, weight, targets, FP32))).sum()
    torch.testing.assert_close(likelihood, expected, rtol=1e-5, atol=0)
    weight.requires_grad_()
    found = loss.linear_cross_entropy(states, weight, targets, 0.0, FP32)
    torch.testing.assert_close(found, expected, rtol=1e-5, atol=0)
    found.backward()
    gradient = logits.softmax(1)
    gradient[:, 0] -= 1
    assert weight.grad is not None
    torch.testing.assert_close(weight.grad.float(), gradient.T @ states.float(), rtol=0.01, atol=0)
