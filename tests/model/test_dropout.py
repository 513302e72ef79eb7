"""Dropout: its rate, scale and independence, and that a seed determines it."""

import pytest
import torch

from transformer.model.dropout import Dropout


@pytest.mark.parametrize("p", [0.1, 0.3, 0.5])
def test_rate_and_scale(p: float) -> None:
    torch.manual_seed(0)
    x = torch.ones(1000, 1001)
    y = Dropout(p)(x)
    assert set(y.unique().tolist()) == {0.0, torch.tensor(1 / (1 - p)).item()}
    rate = (y == 0).double()
    deviation = (p * (1 - p)) ** 0.5  # of one element
    assert abs(rate.mean() - p) < 5 * deviation / x.numel() ** 0.5
    # Each of the four numbers from one random integer, and any two of them together.
    quarters = rate.flatten()[: x.numel() // 4 * 4].view(-1, 4)
    assert torch.allclose(
        quarters.mean(0), torch.tensor(p).double(), atol=5 * deviation / len(quarters) ** 0.5
    )
    assert torch.allclose(quarters.T.corrcoef(), torch.eye(4).double(), atol=5 / len(quarters) ** 0.5)


def test_a_seed_determines_it() -> None:
    x = torch.ones(7, 13)
    results = []
    for seed in (1, 1, 2):
        torch.manual_seed(seed)
        results.append(Dropout(0.5)(x))
    assert torch.equal(results[0], results[1])
    assert not torch.equal(results[0], results[2])


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_gradients_have_the_same_mask(dtype: torch.dtype) -> None:
    torch.manual_seed(0)
    x = torch.ones(50, 3, dtype=dtype, requires_grad=True)
    y = Dropout(0.25)(x)
    y.sum().backward()
    assert y.dtype == dtype
    assert torch.equal(x.grad, y)  # type: ignore[arg-type]


def test_nothing_is_dropped_in_evaluation() -> None:
    x = torch.ones(100)
    assert torch.equal(Dropout(0.9).eval()(x), x)
    assert torch.equal(Dropout(0.0)(x), x)
