"""Rank correlations: published examples, and the laws they follow."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transformer.tables.rank_correlation import rank_correlation

pairs = st.lists(st.tuples(st.integers(-5, 5), st.integers(-5, 5)), min_size=2, max_size=12)


def sides(pairs: list[tuple[int, int]]) -> tuple[list[int], list[int]]:
    return [x for x, _ in pairs], [y for _, y in pairs]


def test_examples_of_scipy_s_documentation() -> None:
    """Of kendalltau (with ties) and spearmanr (with a tie)."""
    assert rank_correlation([12, 2, 1, 12, 2], [1, 4, 7, 1, 0]).kendall == pytest.approx(-0.47140452079103173)
    assert rank_correlation([1, 2, 3, 4, 5], [5, 6, 7, 8, 7]).spearman == pytest.approx(0.8207826816681233)


def test_pairs_are_counted() -> None:
    found = rank_correlation([1, 2, 2, 3], [10, 30, 20, 20])
    assert (found.same, found.reversed, found.tied) == (3, 1, 2)
    assert rank_correlation([1, 2, 2], [1, 2, 3]).reversed == 0


@pytest.mark.parametrize("values", [[], [1.0], [2.0, 2.0, 2.0]])
def test_without_an_order_there_is_no_correlation(values: list[float]) -> None:
    found = rank_correlation(values, values)
    assert (found.kendall, found.spearman) == (None, None)


@given(pairs)
def test_laws(pairs: list[tuple[int, int]]) -> None:
    """A list against itself; backwards; stretched; and in the other order of arguments."""
    first, second = sides(pairs)
    found = rank_correlation(first, second)
    assert found.same + found.reversed + found.tied == len(pairs) * (len(pairs) - 1) // 2
    assert rank_correlation(second, first).kendall == pytest.approx(found.kendall)
    stretched = rank_correlation([x**3 for x in first], second)
    assert (stretched.kendall, stretched.spearman) == (found.kendall, found.spearman)
    backwards = rank_correlation([-x for x in first], second)
    assert (backwards.same, backwards.reversed) == (found.reversed, found.same)
    if found.kendall is not None and found.spearman is not None:
        assert backwards.kendall == -found.kendall
        assert backwards.spearman == pytest.approx(-found.spearman)
        assert rank_correlation(first, first).kendall == pytest.approx(1)
        assert rank_correlation(first, first).spearman == pytest.approx(1)
