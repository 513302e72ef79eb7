"""Initial weights: the distribution of every matrix, by the rules of docs/protocol.md."""

import math
from typing import Any

import pytest
import tiny
import torch

D, D_FF, H, D_K, D_V, V = 96, 160, 4, 20, 28, 700

# The uniform Glorot matrices by the ends of their names, and the widths of their inputs and outputs.
GLOROT = {
    "W_QKV": (D, H * (2 * D_K + D_V)),
    "W_Q": (D, H * D_K),
    "W_KV": (D, H * (D_K + D_V)),
    "W_O": (H * D_V, D),
    "W_1": (D, D_FF),
    "W_2": (D_FF, D),
    "W": (D, 3 * D // 2),  # of a recurrence, half of whose width runs in each direction
    "U": (D // 2, 3 * D // 2),
    "kernel": (3 * D, 3 * D),  # of 3 positions
    "target_space": (D, 32),
}
NORMAL = ("embedding", "own_target_embedding", "own_softmax", "positions.table")


@pytest.mark.parametrize(
    "changes",
    [
        {"attention_bias": True, "target_space": True, "positions": "learned"},
        {"target_vocab_size": 500, "tied_softmax": False},
        {"encoder_layer": "recurrent"},
        {"encoder_layer": "convolutional"},
    ],
    ids=str,
)
def test_every_weight(changes: dict[str, Any]) -> None:
    """Uniform Glorot for matrices, N(0, 1/d_model) for embeddings, 0 for biases, 1 for the gains of norms."""
    model = tiny.model(V, d_model=D, d_ff=D_FF, h=H, d_k=D_K, d_v=D_V, max_length=400, **changes)
    kinds = {"uniform": 0, "normal": 0}
    for name, weight in model.named_parameters():
        part = name.removesuffix(".weight")
        if name.endswith(".bias"):
            assert not weight.any(), name
        elif part.endswith(".norm"):
            assert (weight == 1).all(), name
        elif name in NORMAL:
            check_normal(name, weight.detach(), D**-0.5)
            kinds["normal"] += 1
        else:
            check_uniform(name, weight.detach(), math.sqrt(6 / sum(GLOROT[part.rpartition(".")[2]])))
            kinds["uniform"] += 1
    assert kinds["uniform"] >= 18
    assert kinds["normal"] >= 1


def check_uniform(name: str, weight: torch.Tensor, bound: float) -> None:
    """Mean, variance and range of numbers that are uniform between -bound and bound, to five deviations."""
    n = weight.numel()
    assert bound * (1 - 20 / n) < weight.abs().max() <= bound, name
    assert abs(weight.mean()) < 5 * bound / math.sqrt(3 * n), name
    assert weight.var().item() == pytest.approx(bound**2 / 3, rel=5 * math.sqrt(0.8 / n)), name


def check_normal(name: str, weight: torch.Tensor, deviation: float) -> None:
    """Mean, variance and fourth moment of normal numbers, to five deviations."""
    n = weight.numel()
    assert abs(weight.mean()) < 5 * deviation / math.sqrt(n), name
    assert weight.var().item() == pytest.approx(deviation**2, rel=5 * math.sqrt(2 / n)), name
    fourth = (weight / deviation).pow(4).mean().item()
    assert fourth == pytest.approx(3, abs=5 * math.sqrt(96 / n)), name


def test_no_two_matrices_have_the_same_numbers() -> None:
    model = tiny.model(attention_bias=False)
    matrices = [weight.flatten()[:20] for weight in model.parameters() if weight.dim() > 1]
    for i, one in enumerate(matrices):
        assert not any(one.equal(other) for other in matrices[:i])
