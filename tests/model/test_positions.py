"""Section 3.5: the formula of the sinusoids, and learned positions."""

import math

import torch

from transformer.model.positions import LearnedPositions, SinusoidalPositions, sinusoids


def test_the_formula() -> None:
    table, d_model = sinusoids(3000, 8), 8
    for position in (0, 1, 17, 2999):
        for i in range(d_model // 2):
            angle = position / 10000 ** (2 * i / d_model)
            assert math.isclose(table[position, 2 * i], math.sin(angle), abs_tol=1e-7)
            assert math.isclose(table[position, 2 * i + 1], math.cos(angle), abs_tol=1e-7)


def test_the_table_grows_and_is_in_no_checkpoint() -> None:
    positions = SinusoidalPositions(6, length=4)
    assert torch.equal(positions(3, 90), sinusoids(90, 6)[3:])
    assert torch.equal(positions(0, 4), sinusoids(4, 6))
    assert not positions.state_dict()


def test_learned_positions_end_with_their_last_row() -> None:
    positions = LearnedPositions(6, length=4)
    assert torch.equal(positions(1, 3), positions.table[1:3])
    assert torch.equal(positions(2, 7), positions.table[[2, 3, 3, 3, 3]])
