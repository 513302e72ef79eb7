"""Section 3.5: the formula of the sinusoids, and learned positions."""

import math
from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from transformer.model.positions import (
    LearnedPositions,
    SinusoidalPositions,
    WordPositions,
    sinusoids,
    sinusoids_in_halves,
)


@pytest.mark.parametrize("d_model", [8, 12])  # 1/12 has no exact value, unlike 1/8
def test_the_formula(d_model: int) -> None:
    table = sinusoids(3000, d_model)
    for position in (0, 1, 17, 2999):
        for i in range(d_model // 2):
            angle = position / 10000 ** (2 * i / d_model)
            assert math.isclose(table[position, 2 * i], math.sin(angle), abs_tol=1e-7)
            assert math.isclose(table[position, 2 * i + 1], math.cos(angle), abs_tol=1e-7)


@pytest.mark.parametrize("offset", [1, 7, 100])
def test_an_offset_rotates_the_encoding(offset: int) -> None:
    """Section 3.5: PE(pos + k) is a linear function of PE(pos), the same at each position: a rotation."""
    d_model, positions = 16, 50
    table = sinusoids(positions + offset, d_model).double()
    rotation = torch.zeros(d_model, d_model, dtype=torch.float64)
    for i in range(0, d_model, 2):
        angle = offset / 10000 ** (i / d_model)
        sin, cos = math.sin(angle), math.cos(angle)
        rotation[i : i + 2, i : i + 2] = torch.tensor([[cos, sin], [-sin, cos]])
    torch.testing.assert_close(table[:positions] @ rotation.T, table[offset:], rtol=0, atol=1e-6)


@pytest.mark.parametrize("half", [4, 8])
def test_the_formula_of_the_2017_code(half: int) -> None:
    table = sinusoids_in_halves(3000, 2 * half)
    for position in (0, 1, 17, 2999):
        for i in range(half):
            angle = position / 10000 ** (i / (half - 1))
            assert math.isclose(table[position, i], math.sin(angle), abs_tol=1e-7)
            assert math.isclose(table[position, half + i], math.cos(angle), abs_tol=1e-7)


@pytest.mark.parametrize("formula", [sinusoids, sinusoids_in_halves])
def test_the_table_grows_by_its_formula_and_is_in_no_checkpoint(
    formula: Callable[[int, int], Tensor],
) -> None:
    positions = SinusoidalPositions(6, length=4, formula=formula)
    assert torch.equal(positions(3, 90), formula(90, 6)[3:])
    assert torch.equal(positions(0, 4), formula(4, 6))
    assert not positions.state_dict()


def test_learned_positions_end_with_their_last_row() -> None:
    positions = LearnedPositions(6, length=4)
    assert torch.equal(positions(1, 3), positions.table[1:3])
    assert torch.equal(positions(2, 7), positions.table[[2, 3, 3, 3, 3]])


def word_positions() -> WordPositions:
    """Source tokens 3 and 4 begin words; target token 5 stands for a word."""
    positions = WordPositions(8, source_size=6, target_size=6)
    positions.set_words([id in (3, 4) for id in range(6)], [id == 5 for id in range(6)])
    return positions


def test_a_source_token_has_its_word_and_a_target_token_the_next() -> None:
    positions = word_positions()
    source = torch.tensor([[3, 2, 2, 4, 3, 1], [4, 1, 0, 0, 0, 0]])
    assert positions.count_source(source).tolist() == [[1, 1, 1, 2, 3, 3], [1, 1, 1, 1, 1, 1]]
    target = torch.tensor([[0, 2, 5, 5, 3, 5]])
    assert positions.count_target(target).tolist() == [[1, 1, 2, 3, 3, 4]]


def test_counting_in_parts_equals_counting_at_once() -> None:
    positions, target = word_positions(), torch.tensor([[0, 5, 2, 5, 5, 2], [0, 2, 2, 5, 3, 5]])
    whole, before = positions.count_target(target), None
    for place in range(target.shape[1]):
        before = positions.count_target(target[:, place : place + 1], before)
        assert torch.equal(before, whole[:, place : place + 1])


def test_half_of_an_encoding_is_the_token_s_and_half_the_word_s() -> None:
    words = torch.tensor([[7, 7, 8], [1, 2, 2]])
    encodings = word_positions()(6, 9, words)
    assert encodings.shape == (2, 3, 8)
    for row in range(2):
        assert torch.equal(encodings[row, :, :4], sinusoids(9, 4)[6:])
        assert torch.equal(encodings[row, :, 4:], sinusoids(9, 4)[words[row]])
