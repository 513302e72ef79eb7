"""The rules that choose layers and heads."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from transformer.figures.heads import Weights, least_alike, next_to_last, strongest


def weights(h: int, T: int, S: int, seed: int) -> Weights:
    """Return random weights, which sum to 1 for each query."""
    return np.random.default_rng(seed).dirichlet(np.full(S, 0.3), (h, T))


SIZES = {"h": st.integers(1, 6), "T": st.integers(1, 5), "S": st.integers(1, 5), "seed": st.integers(0, 99)}


@pytest.mark.parametrize(("layers", "number"), [(6, 4), (3, 1), (2, 0), (1, 0)])
def test_the_paper_shows_layer_5_of_6(layers: int, number: int) -> None:
    assert next_to_last(layers) == number


@given(**SIZES, data=st.data())
def test_no_other_head_gives_the_antecedent_more_weight(
    h: int, T: int, S: int, seed: int, data: st.DataObject
) -> None:
    W = weights(h, T, S, seed)
    query, key = data.draw(st.integers(0, T - 1)), data.draw(st.integers(0, S - 1))
    heads = strongest(W, query, key)
    assert len(heads) == min(2, h)
    assert [W[head, query, key] for head in heads] == sorted(W[:, query, key], reverse=True)[:2]


@given(**SIZES)
def test_no_other_pair_of_heads_differs_more(h: int, T: int, S: int, seed: int) -> None:
    W = weights(h, T, S, seed)

    def distance(a: int, b: int) -> float:
        return sum(abs(W[a, t, s] - W[b, t, s]) for t in range(T) for s in range(S))

    chosen = least_alike(W)
    if h == 1:
        assert chosen == [0]
    else:
        assert chosen[0] < chosen[1]
        most = max(itertools.starmap(distance, itertools.combinations(range(h), 2)))
        assert distance(*chosen) == pytest.approx(most)


def test_of_equal_heads_the_first_are_chosen() -> None:
    W = np.full((4, 2, 2), 0.5)
    assert strongest(W, 0, 1) == least_alike(W) == [0, 1]
