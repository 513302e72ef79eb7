"""Sentences as padded tensors."""

from pathlib import Path

import numpy as np
import pytest
import tiny
import torch

from transformer.dataset.padding import make_batch, pad
from transformer.dataset.tokenized import TokenizedDataset

CPU = torch.device("cpu")


@pytest.fixture
def dataset(tmp_path: Path) -> TokenizedDataset:
    tiny.write_store(tmp_path / "train")
    return TokenizedDataset.open(tmp_path / "train")


def test_padding_at_the_end() -> None:
    ids = pad([np.array([5, 1], np.uint16), [6, 7, 1], [1]], CPU)
    assert ids.tolist() == [[5, 1, 0], [6, 7, 1], [1, 0, 0]]
    assert ids.dtype == torch.int64


def test_a_batch_of_a_dataset(dataset: TokenizedDataset) -> None:
    batch = make_batch(dataset, np.array([7, 3]))
    for side, ids in ((dataset.source, batch.source), (dataset.target, batch.target)):
        assert ids.shape == (2, max(side.lengths[[7, 3]]))
        for row, number in zip(ids, (7, 3), strict=True):
            assert row[row != 0].tolist() == side[number].tolist()
    assert batch.is_padding is not None
    assert torch.equal(batch.is_padding, batch.source == 0)
    assert torch.equal(batch.targets, torch.nonzero(batch.target.flatten())[:, 0])


def test_no_padding_needs_no_mask(dataset: TokenizedDataset) -> None:
    assert make_batch(dataset, np.array([7])).is_padding is None
