"""The likelihood of a corpus: how it is summed, and by how many processes (its value: test_reference_training.py)."""

from typing import Any

import pytest
import tiny
import torch
from torch import Tensor

from transformer.dataset.tokenized import TokenizedDataset
from transformer.training import score_perplexity as module
from transformer.training.distributed import ProcessGroup
from transformer.training.score_perplexity import negative_log_likelihood

CPU = torch.device("cpu")
ALONE = ProcessGroup(0, 1, CPU)


def test_a_small_batch_counts_in_a_large_sum(
    store: TokenizedDataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    sums = iter([2.0**24, 1.0])  # fp32 does not have their sum

    def likelihood(*_: Any) -> Tensor:
        return torch.tensor(next(sums, 0.0))

    monkeypatch.setattr(module, "summed_negative_log_likelihood", likelihood)
    assert negative_log_likelihood(tiny.model(), store, 40, ALONE)[0] == 2**24 + 1


def test_processes_share_the_batches(store: TokenizedDataset, monkeypatch: pytest.MonkeyPatch) -> None:
    model = tiny.model()
    alone, tokens = negative_log_likelihood(model, store, 40, ALONE)
    parts: list[float] = []

    def all_reduce_sum(group: ProcessGroup, values: Tensor) -> Tensor:
        parts.append(float(values))
        return values + 1

    monkeypatch.setattr(ProcessGroup, "all_reduce_sum", all_reduce_sum)
    shared = [negative_log_likelihood(model, store, 40, ProcessGroup(rank, 3, CPU)) for rank in range(3)]
    assert sum(parts) == pytest.approx(alone, rel=1e-12)
    assert min(parts) > 0
    assert shared == [(part + 1, tokens) for part in parts]
