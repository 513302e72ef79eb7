"""Resampling lengths, and mixing."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from transformer.parsing.select_silver import (
    MOST_COPIES,
    Kept,
    histogram,
    length_class,
    mixed,
    resample,
    shares,
)

LENGTHS = st.lists(st.integers(1, 40), max_size=60)
SEEDS = st.integers(0, 1000)


@given(st.integers(0, 1000), st.lists(st.integers(1, 100), min_size=1, max_size=10))
def test_shares(size: int, weights: list[int]) -> None:
    parts = shares(size, weights)
    assert sum(parts) == size
    for part, weight in zip(parts, weights, strict=True):
        assert abs(part - size * weight / sum(weights)) < 1


@given(LENGTHS, LENGTHS, SEEDS)
def test_lengths_are_those_of_gold_as_far_as_there_are_sentences(
    lengths: list[int], gold: list[int], seed: int
) -> None:
    places = resample(lengths, gold, seed)
    assert places == sorted(resample(lengths, gold, seed))
    pool = Counter(map(length_class, lengths))
    wanted = {number: count for number, count in Counter(map(length_class, gold)).items() if pool[number]}
    found = Counter(length_class(lengths[place]) for place in places)
    for number, count in pool.items():
        share = len(lengths) * wanted.get(number, 0) / max(sum(wanted.values()), 1)
        assert found[number] <= MOST_COPIES * count
        assert found[number] < share + 1
        assert found[number] > share - 1 or found[number] == MOST_COPIES * count


@given(LENGTHS, LENGTHS, SEEDS)
def test_sentences_of_a_class_come_equally_often(lengths: list[int], gold: list[int], seed: int) -> None:
    copies = Counter(resample(lengths, gold, seed))
    for number in set(map(length_class, lengths)):
        of_class = [copies[place] for place, length in enumerate(lengths) if length_class(length) == number]
        assert max(of_class) - min(of_class) <= 1


@given(st.lists(st.integers(1, 40), min_size=1, max_size=60), SEEDS)
def test_gold_itself_stays_as_it_is(gold: list[int], seed: int) -> None:
    assert resample(gold, gold, seed) == list(range(len(gold)))


def test_histogram() -> None:
    assert histogram(Kept("", words) for words in (11, 5, 1, 6)) == {"1-5": 2, "6-10": 1, "11-15": 1}


@given(st.integers(0, 9), st.integers(0, 9), st.integers(1, 3), SEEDS)
def test_mixing_loses_and_invents_nothing(ours: int, theirs: int, oversample: int, seed: int) -> None:
    silver, gold = ([Kept(name, n) for n in range(count)] for name, count in (("s", ours), ("g", theirs)))
    trees = mixed(silver, gold, oversample, seed)
    assert Counter(trees) == Counter(silver + gold * oversample)
    assert trees == mixed(silver, gold, oversample, seed)


def test_silver_and_gold_are_mixed() -> None:
    trees = mixed([Kept("", 0)] * 50, [Kept("", 1)] * 10, 5, seed=1)
    assert 10 < sum(tree.words for tree in trees[:50]) < 40
