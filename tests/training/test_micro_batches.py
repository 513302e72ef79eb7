"""The division of a batch among processes and into micro-batches, which does not change its gradient."""

from typing import Any

import pytest
import tiny
import torch
from torch import Tensor

from transformer.dataset.tokenized import TokenizedDataset
from transformer.settings.run_settings import TrainingConfig, TransformerConfig
from transformer.training.distributed import ProcessGroup
from transformer.training.loss import Objective
from transformer.training.micro_batches import Position, Worklist

START = Position(0, 0, 0)


def worklist(
    dataset: TokenizedDataset,
    *,
    count: int = 1,
    rank: int = 0,
    world_size: int = 1,
    device: str = "cpu",
    **changes: Any,
) -> Worklist:
    group = ProcessGroup(rank, world_size, torch.device(device))
    config = TrainingConfig(**tiny.training_config(**{"batch_tokens": 60} | changes))
    return Worklist(dataset, TransformerConfig(vocab_size=20, **tiny.model_config()), config, group, count)


def gradient(model: Any, store: TokenizedDataset, world_size: int, count: int) -> tuple[float, list[Tensor]]:
    """The loss and the gradients of the second batch, summed over the shares of all processes."""
    model.zero_grad()
    total = torch.zeros(())
    for rank in range(world_size):
        shares = worklist(store, rank=rank, world_size=world_size, count=count).remaining(START, 2)
        for batch, weight in zip(*[(work.micro_batches, work.weights) for work in shares][1], strict=True):
            loss = Objective(model, 0.1)(batch) * weight
            loss.backward()
            total += loss.detach()
    return float(total), [parameter.grad.clone() for parameter in model.parameters()]


@pytest.mark.parametrize(("world_size", "positions"), [(2, "sinusoidal"), (3, "words"), (8, "sinusoidal")])
def test_any_number_of_processes_has_the_same_gradient(
    store: TokenizedDataset, world_size: int, positions: str
) -> None:
    """With dropout, with as many micro-batches as max_tokens and the number of processes ask for, and with more.

    So neither padding nor the other sentences of a batch change anything.
    """
    model = tiny.model(positions=positions).double()
    loss, gradients = gradient(model, store, 1, 1)
    for count in (world_size, 2 * world_size, 4 * world_size):
        found, others = gradient(model, store, world_size, count)
        assert found == pytest.approx(loss, rel=1e-6)
        torch.testing.assert_close(others, gradients, rtol=1e-4, atol=1e-5)


def test_each_process_has_as_many_micro_batches(store: TokenizedDataset) -> None:
    """Also where a batch has fewer sentences than micro-batches."""
    for rank in range(3):
        for work in worklist(
            store, batch_tokens=12, max_length=12, count=9, rank=rank, world_size=3
        ).remaining(START, 5):
            assert len(work.micro_batches) == len(work.weights) == 3


def test_work_for_a_gpu_is_made_in_advance_in_page_locked_memory(
    store: TokenizedDataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The batches are those of a CPU."""
    monkeypatch.setattr(torch.cuda, "set_device", lambda device: None)
    monkeypatch.setattr(Tensor, "pin_memory", lambda tensor: tensor)
    found = list(worklist(store, device="cuda:3").remaining(START, 5))
    for work, plain in zip(found, worklist(store).remaining(START, 5), strict=True):
        assert work.position == plain.position
        (batch,), (expected,) = work.micro_batches, plain.micro_batches
        assert batch.source.equal(expected.source)
        assert batch.target.equal(expected.target)
