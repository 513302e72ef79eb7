"""The division of a batch among processes and into micro-batches, which does not change its gradient."""

from typing import Any

import numpy as np
import pytest
import tiny
import torch
from torch import Tensor

from transformer.dataset.tokenized import TokenizedDataset
from transformer.model.config import TransformerConfig
from transformer.training.micro_batches import Position, Worklist
from transformer.training.objective import Objective

START = Position(0, 0, 0)


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> TokenizedDataset:
    prefix = tmp_path_factory.mktemp("store") / "train"
    tiny.write_store(prefix)
    return TokenizedDataset.open(prefix)


def worklist(dataset: TokenizedDataset, **changes: Any) -> Worklist:
    settings: dict[str, Any] = {
        "batch_tokens": 60, "max_length": 40, "buckets_per_doubling": None, "seed": 1, "count": 1, "rank": 0,
        "world_size": 1, "device": torch.device("cpu"),
    } | changes  # fmt: skip
    return Worklist(dataset, TransformerConfig(vocab_size=20, **tiny.model_config()), **settings)


def gradient(
    model: Any, dataset: TokenizedDataset, world_size: int, count: int
) -> tuple[float, list[Tensor]]:
    """The loss and the gradients of the second batch, summed over the shares of all processes."""
    model.zero_grad()
    total = torch.zeros(())
    for rank in range(world_size):
        shares = worklist(dataset, rank=rank, world_size=world_size, count=count).remaining(START, 2)
        for batch, weight in zip(*[(work.micro_batches, work.weights) for work in shares][1], strict=True):
            loss = Objective(model, 0.1)(batch) * weight
            loss.backward()
            total += loss.detach()
    return float(total), [parameter.grad.clone() for parameter in model.parameters()]


@pytest.mark.parametrize("world_size", range(2, 9))
def test_any_number_of_processes_has_the_same_gradient(dataset: TokenizedDataset, world_size: int) -> None:
    """With dropout, with as many micro-batches as max_tokens and the number of processes ask for, and with more."""
    model = tiny.model().double()
    loss, gradients = gradient(model, dataset, 1, 1)
    for count in (world_size, 2 * world_size, 4 * world_size):
        found, others = gradient(model, dataset, world_size, count)
        assert found == pytest.approx(loss, rel=1e-6)
        torch.testing.assert_close(others, gradients, rtol=1e-4, atol=1e-5)


def test_each_process_has_as_many_micro_batches(dataset: TokenizedDataset) -> None:
    """Also where a batch has fewer sentences than micro-batches."""
    for rank in range(3):
        for work in worklist(
            dataset, batch_tokens=12, max_length=12, count=9, rank=rank, world_size=3
        ).remaining(START, 5):
            assert len(work.micro_batches) == len(work.weights) == 3


def test_work_after_an_interruption_is_the_same(dataset: TokenizedDataset) -> None:
    whole = list(worklist(dataset).remaining(START, 30))
    assert [work.position.step for work in whole] == list(range(1, 31))
    assert whole[-1].position.epoch > 1
    rest = list(worklist(dataset).remaining(whole[11].position, 30))
    for one, other in zip(rest, whole[12:], strict=True):
        assert one.position == other.position
        for batch, expected in zip(one.micro_batches, other.micro_batches, strict=True):
            assert batch.source.equal(expected.source)
            assert batch.keys is not None
            assert expected.keys is not None
            assert batch.keys.equal(expected.keys)


def test_the_largest_work_has_the_longest_sentence_and_the_most_padded_positions(
    dataset: TokenizedDataset,
) -> None:
    largest = [work.micro_batches[0] for work in worklist(dataset).largest()]
    all_work = [work.micro_batches[0] for work in worklist(dataset).remaining(START, 12)]

    def size(batch: Any) -> int:
        return batch.source.numel() + batch.target.numel()

    def longest(batch: Any) -> int:
        return max(batch.source.shape[1], batch.target.shape[1])

    assert max(map(size, largest)) >= max(map(size, all_work[:6]))
    assert max(map(longest, largest)) == max(*dataset.source.lengths, *dataset.target.lengths)


def test_the_count_of_operations_does_not_depend_on_the_division(dataset: TokenizedDataset) -> None:
    counts = [[work.flops for work in worklist(dataset, count=count).remaining(START, 6)] for count in (1, 5)]
    assert counts[0] == counts[1]
    assert np.min(counts) > 0


def test_work_for_a_gpu_is_made_in_advance_in_page_locked_memory(
    dataset: TokenizedDataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By a thread that uses this process's GPU, and in lengths that 8 divides; the sentences are the same."""
    devices: list[torch.device] = []
    pinned: list[Tensor] = []

    def pin(tensor: Tensor) -> Tensor:
        pinned.append(tensor)
        return tensor

    monkeypatch.setattr(torch.cuda, "set_device", devices.append)
    monkeypatch.setattr(Tensor, "pin_memory", pin)
    device = torch.device("cuda", 3)
    found = list(worklist(dataset, device=device).remaining(START, 5))
    assert devices == [device]
    assert len(pinned) >= 5 * 3
    for work, plain in zip(found, worklist(dataset).remaining(START, 5), strict=True):
        assert work.position == plain.position
        (batch,), (expected,) = work.micro_batches, plain.micro_batches
        assert batch.source.shape[1] % 8 == batch.target.shape[1] % 8 == 0
        S = expected.source.shape[1]
        assert batch.source[:, :S].equal(expected.source)
        assert not batch.source[:, S:].any()
