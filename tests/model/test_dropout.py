"""Dropout: its rate, scale and independence, and what its masks depend on."""

import hashlib

import numpy as np
import pytest
import torch
from torch import Tensor

from transformer.model.dropout import ROWS, Dropout, mask_rows, sentence_keys

MASKS = "8be13c93611134a1703fa6ca10f03e3c300f97a2d68e42a0d37fc2e4808b484b"


def noise(sentences: int, length: int, seed: int = 1, step: int = 1) -> Tensor:
    keys = torch.from_numpy(sentence_keys(seed, step, np.arange(sentences)))
    return mask_rows(keys, length, dropouts=3)


def dropped(rows: Tensor, width: int = 24, place: int = 0) -> Tensor:
    """Which of ``width`` elements at each position are dropped."""
    dropout = Dropout(0.5, width)
    dropout.number = place
    result: Tensor = dropout(torch.ones(*rows.shape[1:], width), rows) == 0
    return result


@pytest.mark.parametrize("p", [0.1, 0.3, 0.5])
def test_rate_and_scale(p: float) -> None:
    y = Dropout(p, 50)(torch.ones(200, 100, 50), noise(200, 100))
    assert set(y.unique().tolist()) == {0.0, torch.tensor(1 / (1 - p)).item()}
    rate = (y == 0).double()
    deviation = (p * (1 - p)) ** 0.5  # of one element
    # 20,000 positions share 16,384 masks, so the rate deviates a little more than that of independent elements.
    assert abs(rate.mean() - p) < 5 * 1.6 * deviation / rate.numel() ** 0.5
    columns = rate.flatten(0, 1)
    assert torch.allclose(columns.T.corrcoef(), torch.eye(50).double(), atol=5 * 1.6 / len(columns) ** 0.5)


@pytest.mark.parametrize("p", [0.1, 0.3])
def test_every_column_drops_the_same_number_of_rows(p: float) -> None:
    every_row = torch.arange(ROWS)[None, None]
    dropped = Dropout(p, 300)(torch.ones(1, ROWS, 300), every_row) == 0
    assert dropped.sum(1).unique().tolist() == [round(p * ROWS)]


def test_added_to_the_residual() -> None:
    x, y, numbers, dropout = torch.randn(2, 5, 24), torch.randn(2, 5, 24), noise(2, 5), Dropout(0.3, 24)
    torch.testing.assert_close(dropout.add(x, y, numbers), x + dropout(y, numbers))
    assert dropout.add(x, y, None).equal(x + y)


def test_what_differs_in_anything_has_a_mask_of_its_own() -> None:
    """Masks of neighbours in sentence, position, place, step and seed are uncorrelated."""
    plain = dropped(noise(300, 40)).double()
    others = {
        "sentence": plain.roll(1, 0),
        "position": plain.roll(1, 1),
        "place": dropped(noise(300, 40), place=1),
        "step": dropped(noise(300, 40, step=2)),
        "seed": dropped(noise(300, 40, seed=2)),
    }
    for name, other in others.items():
        correlation = torch.stack([plain.flatten(), other.double().flatten()]).corrcoef()[0, 1]
        assert abs(correlation) < 5 * 1.6 / plain.numel() ** 0.5, name
        assert (plain == other).all(-1).double().mean() < 0.001, name


def test_attention_weights_have_a_mask_for_each_head_and_query() -> None:
    numbers = noise(2, 5)
    weights = Dropout(0.5, 64)(torch.ones(2, 3, 5, 7), numbers)
    masks = {tuple(row.tolist()) for row in weights.flatten(0, 2)}
    assert len(masks) > 15  # of 30; 7 elements have 128 masks, so some are alike
    wider = Dropout(0.5, 64)(torch.ones(2, 3, 5, 200), numbers)
    assert torch.equal(wider[..., :7], weights)
    assert torch.equal(wider[..., 64:128], wider[..., :64])
    assert Dropout(0.5, 64)(torch.ones(2, 3, 5, 1, 7), numbers).squeeze(3).equal(weights)


def test_masks_are_those_that_every_version_chooses() -> None:
    """A training that a later version resumes has the masks that it would have had, at any sentence, place and head."""
    keys = sentence_keys(12, 345, np.array([0, 7, 2**31 + 5]))
    rows = mask_rows(torch.from_numpy(keys), 4, dropouts=2)
    dropout = Dropout(0.25, 6)
    dropout.number = 1
    kept = dropout(torch.ones(3, 3, 4, 6), rows) > 0  # of heads
    dropout.number = 0
    every_row = dropout(torch.ones(1, ROWS, 6), torch.arange(ROWS)[None, None]) > 0
    found = repr([keys.tolist(), rows.tolist(), kept.tolist(), every_row.tolist()])
    assert hashlib.sha256(found.encode()).hexdigest() == MASKS
