"""The loss and its hand-written gradients against the plain formula and autograd."""

import pytest
import tiny
import torch
from torch import Tensor

from transformer.common.special_tokens import PAD
from transformer.model.transformer import shift_right
from transformer.training import loss
from transformer.training.objective import Objective

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
    found = loss.linear_cross_entropy(ours[0], ours[1], targets, smoothing)
    (found[0] * 3).backward()
    for value, wanted in zip(found, expected, strict=True):
        torch.testing.assert_close(value.double(), wanted, rtol=1e-6, atol=0)
    for x, wanted in zip(ours, exact, strict=True):
        torch.testing.assert_close(x.grad.double(), wanted.grad, rtol=1e-5, atol=1e-6)  # type: ignore[union-attr]


def test_not_the_smoothing_of_torch() -> None:
    """torch also gives the true entry a share of ε: its ε is ours times V / (V - 1)."""
    torch.manual_seed(0)
    states, weight, targets = (
        torch.randn(POSITIONS, D_MODEL),
        torch.randn(V, D_MODEL),
        torch.arange(POSITIONS),
    )
    ours = loss.linear_cross_entropy(states, weight, targets, 0.1)[0]

    def of_torch(smoothing: float) -> Tensor:
        return torch.nn.functional.cross_entropy(
            states @ weight.T, targets, reduction="sum", label_smoothing=smoothing
        )

    torch.testing.assert_close(ours, of_torch(0.1 * V / (V - 1)))
    assert abs(ours - of_torch(0.1)) > 0.01


def test_padding_counts_nothing() -> None:
    objective = Objective(tiny.model(), 0.1)
    source, target = tiny.tokens(2, 4), tiny.tokens(2, 5)
    source[1, 3:], target[1, 2:] = PAD, PAD
    apart = [objective(source[:1], target[:1]), objective(source[1:, :3], target[1:, :2])]
    for found, *parts in zip(objective(source, target), *apart, strict=True):
        torch.testing.assert_close(found, parts[0] + parts[1], rtol=1e-5, atol=0)


def test_the_objective_is_the_loss_of_the_logits() -> None:
    model = tiny.model()
    source, target = tiny.tokens(2, 4), tiny.tokens(2, 5)
    logits = model(source, shift_right(target))
    expected = torch.nn.functional.cross_entropy(logits.flatten(0, 1), target.flatten(), reduction="sum")
    torch.testing.assert_close(Objective(model, 0.0)(source, target)[0], expected)


def test_the_objective_trains_a_softmax_of_its_own() -> None:
    model = tiny.model(tied_softmax=False)
    source, target = tiny.tokens(2, 5), tiny.tokens(2, 4)
    total, likelihood = Objective(model, label_smoothing=0.0).eval()(source, target)
    log_p = model(source, shift_right(target)).log_softmax(-1)
    torch.testing.assert_close(likelihood, -log_p.gather(2, target[..., None]).sum())
    total.backward()
    assert model.own_softmax.grad.abs().max() > 0
