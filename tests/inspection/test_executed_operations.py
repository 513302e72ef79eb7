"""Operations of layers that are so small that the answer is obvious."""

import pytest
import torch
from torch import Tensor

from transformer.inspection.layer_costs import connecting_stack, longest_chain


def side_by_side(x: Tensor, _: Tensor | None) -> Tensor:
    """Two operations on each half, which are independent of each other, and one that joins them."""
    left, right = x.chunk(2, 1)  # views
    return torch.cat((left.sin().cos(), right.tanh().sin()), 1)


def one_after_the_other(x: Tensor, _: Tensor | None) -> Tensor:
    """A cumulative sum written as a loop: one operation for each position, and one that joins them."""
    sums = [x[:, 0]]
    for t in range(1, x.shape[1]):
        sums.append(sums[-1] + x[:, t])
    return torch.stack(sums, 1)


def test_a_chain_counts_dependent_operations_only() -> None:
    x = torch.zeros(1, 8, 2)
    assert longest_chain([side_by_side], x) == 3
    assert longest_chain([one_after_the_other], x) == 7 + 1
    assert longest_chain([side_by_side, one_after_the_other], x) == 3 + 8


def test_operations_that_do_not_depend_on_the_input_are_in_no_chain() -> None:
    weights = torch.ones(2)
    assert longest_chain([lambda x, _: x + weights.exp().exp().exp()], torch.zeros(1, 8, 2)) == 1


@pytest.mark.parametrize(
    ("kind", "size"), [("restricted", {"r": 5}), ("separable", {"k": 3}), ("contiguous", {"k": 5})]
)
def test_a_stack_connects_all_positions(kind: str, size: dict[str, int]) -> None:
    """Each sentence of a batch has NaN at one position, and it is everywhere just when the last layer has seen it."""
    x = torch.zeros(20, 20, 8)
    x[range(20), range(20)] = torch.nan
    for layer in connecting_stack(kind, 20, **size):
        assert not x.isnan().all()
        x = layer(x, None)
    assert x.isnan().all()
