"""Sentences as padded tensors."""

from pathlib import Path

import numpy as np
import tiny
import torch

from transformer.dataset.padding import pad, padded_batch
from transformer.dataset.tokenized import TokenizedDataset

CPU = torch.device("cpu")


def test_padding_at_the_end() -> None:
    ids = pad([np.array([5, 1], np.uint16), [6, 7, 1], [1]], CPU)
    assert ids.tolist() == [[5, 1, 0], [6, 7, 1], [1, 0, 0]]
    assert ids.dtype == torch.int64


def test_a_batch_of_a_dataset(tmp_path: Path) -> None:
    tiny.write_store(tmp_path / "train")
    dataset = TokenizedDataset.open(tmp_path / "train")
    source, target = padded_batch(dataset, np.array([7, 3]), CPU)
    for side, ids in ((dataset.source, source), (dataset.target, target)):
        assert ids.shape == (2, max(side.lengths[[7, 3]]))
        for row, number in zip(ids, (7, 3), strict=True):
            assert row[row != 0].tolist() == side[number].tolist()
