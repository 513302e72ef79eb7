"""Dropout: its rate, scale and independence, and what its masks depend on."""

import numpy as np
import pytest
import torch
from torch import Tensor

from transformer.model.dropout import ROWS, Dropout, mask_rows, sentence_keys


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
    """The same rule in Python's whole numbers.

    A training that a later version resumes has the masks that it would have had.
    """
    golden, first, second = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB  # those of splitmix64

    def signed(number: int) -> int:
        return (number + 2**63) % 2**64 - 2**63

    def key(seed: int, step: int, sentence: int) -> int:
        x = (sentence * golden + seed * first + step * second) % 2**64
        x = (x ^ (x >> 30)) * first % 2**64
        x = (x ^ (x >> 27)) * second % 2**64
        return signed(x ^ (x >> 31))

    def row(key: int, place: int, position: int) -> int:
        x = signed(key + (position + 1) * golden)
        x = signed((x ^ (x >> 30)) * signed(first))
        x = signed((x ^ (x >> 27)) + (place + 1) * second)
        return signed((x ^ (x >> 31)) * signed(first)) >> 48 & 0x3FFF

    sentences, length, heads, width = np.array([0, 7, 2**31 + 5]), 4, 3, 6
    keys = sentence_keys(12, 345, sentences)
    assert keys.tolist() == [key(12, 345, sentence) for sentence in sentences.tolist()]
    rows = mask_rows(torch.from_numpy(keys), length, dropouts=2)
    assert rows.tolist() == [
        [[row(key, place, position) for position in range(length)] for key in keys.tolist()]
        for place in range(2)
    ]

    def kept_by_rule(row: int, column: int) -> bool:
        hashed = (column + 1) * golden % 2**64
        hashed = (hashed ^ (hashed >> 30)) * first % 2**64
        hashed = (hashed ^ (hashed >> 27)) * second % 2**64
        column_key = (hashed ^ (hashed >> 31)) >> 36
        x = row ^ (column_key % 2**14)
        for factor in (11573, column_key >> 14 | 1, 9041):
            x = x * factor % 2**14
            x ^= x >> 7
        return x >= 2**14 * 0.25

    table = np.array([[kept_by_rule(row, column) for column in range(width)] for row in range(1 << 14)])
    dropout = Dropout(0.25, width)
    dropout.number = 1
    kept = dropout(torch.ones(3, heads, length, width), rows) > 0
    for head in range(heads):
        assert np.array_equal(kept[:, head].numpy(), table[(rows[1].numpy() + 5471 * head) % (1 << 14)])
    dropout.number = 0
    every_row = torch.arange(1 << 14)[None, None]
    assert np.array_equal(dropout(torch.ones(1, 1 << 14, width), every_row)[0].numpy() > 0, table)
