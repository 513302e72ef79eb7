"""Batches of an epoch, micro-batches and batches for evaluation: complete, within their limits, and full."""

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from transformer.dataset.batching import (
    LAST,
    Indices,
    Lengths,
    _sort,
    bucket_widths,
    epoch_batches,
    evaluation_batches,
    fill,
    split_into_micro_batches,
)

BUDGET, LONGEST = 50, 40


@st.composite
def lengths(draw: st.DrawFn, longest: int = LONGEST + 5) -> tuple[Lengths, Lengths]:
    sentences = draw(st.integers(0, 60))
    side = arrays.arrays(np.int32, sentences, elements=st.integers(1, longest))
    return draw(side), draw(side)


def caption_lengths(sentences: int = 29_000) -> tuple[Lengths, Lengths]:
    """Lengths that are distributed as those of Multi30k EN-DE are: mean 15.3 and 15.8, correlation 0.87."""
    rng = np.random.default_rng(0)
    source = rng.lognormal(2.68, 0.29, sentences)
    target = source * rng.lognormal(0.022, 0.17, sentences)
    return np.clip(source.round(), 4, 50).astype(np.int32), np.clip(target.round(), 4, 60).astype(np.int32)


def batches_of(
    sides: tuple[Lengths, Lengths],
    batch_tokens: int = BUDGET,
    max_length: int = LONGEST,
    *,
    seed: int = 1,
    epoch: int = 0,
    buckets: int | None = None,
) -> list[Indices]:
    settings: dict[str, Any] = {
        "batch_tokens": batch_tokens,
        "max_length": max_length,
        "seed": seed,
        "epoch": epoch,
    }
    return epoch_batches(*sides, **settings, buckets_per_doubling=buckets)


def joined(batches: list[Indices]) -> list[int]:
    return sorted(np.concatenate([np.empty(0, np.int64), *batches]).tolist())


@given(lengths(), st.integers(0, 3), st.sampled_from([None, 2, 4]))
def test_every_pair_that_is_not_too_long_is_in_one_batch(
    sides: tuple[Lengths, Lengths], epoch: int, buckets: int | None
) -> None:
    eligible = np.flatnonzero(np.maximum(*sides) <= LONGEST)
    assert joined(batches_of(sides, epoch=epoch, buckets=buckets)) == eligible.tolist()


@pytest.mark.parametrize("buckets", [None, 2])
def test_every_pair_is_in_one_of_many_batches(buckets: int | None) -> None:
    sides = caption_lengths(2000)
    batches = batches_of(sides, 200, 60, buckets=buckets)
    assert len(batches) > 5 * LAST
    assert joined(batches) == list(range(2000))


@given(lengths())
def test_no_batch_exceeds_the_budget(sides: tuple[Lengths, Lengths]) -> None:
    for batch in batches_of(sides):
        assert len(batch) > 0
        assert all(side[batch].sum() <= BUDGET for side in sides)


def test_the_widths_of_the_2017_code() -> None:
    """Those that comments in its common_hparams.py give, up to the longest pair that transformer_base trains on."""
    assert bucket_widths(256, 2) == [8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256]
    assert bucket_widths(256, 4)[:12] == [8, 10, 12, 14, 16, 20, 24, 28, 32, 40, 48, 56]
    assert bucket_widths(60, 2) == [8, 12, 16, 24, 32, 48, 60]
    assert bucket_widths(12, 8) == [8, 9, 10, 11, 12]
    assert bucket_widths(5, 2) == [5]


@given(lengths(), st.sampled_from([2, 4]))
def test_a_batch_of_a_bucket_holds_the_pairs_that_fit_after_padding(
    sides: tuple[Lengths, Lengths], buckets: int
) -> None:
    """A batch is padded to the width of its widest pair's bucket; a narrower one may have filled it up."""
    widths = bucket_widths(LONGEST, buckets)
    longer = np.maximum(*sides)
    batches = batches_of(sides, buckets=buckets)
    for batch in batches:
        assert 0 < len(batch) <= BUDGET // widths[int(np.searchsorted(widths, longer[batch].max()))]
    in_buckets = np.bincount(np.searchsorted(widths, longer[longer <= LONGEST]), minlength=len(widths))
    apart = sum(-(-count // (BUDGET // width)) for count, width in zip(in_buckets, widths, strict=True))
    assert len(batches) <= apart  # as many as if no bucket filled up another's


def test_full_batches_of_a_bucket_are_those_of_the_2017_code() -> None:
    """With many pairs, only the batches between two buckets and the last ones differ."""
    sides = caption_lengths()
    widths, longer = bucket_widths(60, 2), np.maximum(*sides)
    batches = batches_of(sides, 1024, 60, buckets=2)
    numbers = [set(np.searchsorted(widths, longer[batch]).tolist()) for batch in batches]
    full = [
        len(found) == 1 and len(batch) == 1024 // widths[min(found)]
        for batch, found in zip(batches, numbers, strict=True)
    ]
    assert len(full) - sum(full) <= LAST + len(widths)
    assert sum(len(found) > 1 for found in numbers) < len(widths)


@pytest.mark.parametrize(
    ("batch_tokens", "buckets", "least"),
    [(400, None, 0.8), (1250, None, 0.8), (4096, None, 0.8), (8192, None, 0.8), (1024, 2, 0.6)],
)
@pytest.mark.parametrize("sentences", [29_000, 1234, 700, 150])
def test_no_batch_is_a_small_rest(
    sentences: int, batch_tokens: int, buckets: int | None, least: float
) -> None:
    """In buckets, pairs are padded to their width, so batches that are equally full differ in their tokens."""
    sides = caption_lengths(sentences)
    for epoch in range(3):
        batches = batches_of(sides, batch_tokens, 256, epoch=epoch, buckets=buckets)
        tokens = sorted(max(int(side[batch].sum()) for side in sides) for batch in batches)
        assert tokens[0] >= least * tokens[-1]
        assert buckets or len(batches) <= 1.1 * max(side.sum() for side in sides) / batch_tokens + 1


@pytest.mark.parametrize("buckets", [None, 2])
def test_what_fits_into_one_batch_is_one(buckets: int | None) -> None:
    sides = (np.array([3, 9, 1]), np.array([4, 8, 2]))
    assert len(batches_of(sides, buckets=buckets)) == 1
    assert batches_of((np.array([], np.int32), np.array([], np.int32)), buckets=buckets) == []


@given(lengths(), st.sampled_from([None, 2]))
def test_an_epoch_is_a_function_of_seed_and_epoch(
    sides: tuple[Lengths, Lengths], buckets: int | None
) -> None:
    first, again = (batches_of(sides, seed=3, epoch=5, buckets=buckets) for _ in range(2))
    assert [batch.tolist() for batch in first] == [batch.tolist() for batch in again]


@pytest.mark.parametrize("buckets", [None, 4])
def test_epochs_and_seeds_differ_in_order_and_company(buckets: int | None) -> None:
    sides = caption_lengths()
    companies = []
    for seed, epoch in [(1, 0), (1, 1), (2, 0)]:
        batches = batches_of(sides, 4096, 256, seed=seed, epoch=epoch, buckets=buckets)
        longest = [int(sides[0][batch].max()) for batch in batches]
        assert abs(np.corrcoef(longest, range(len(longest)))[0, 1]) < 0.5  # not from short to long
        companies.append({frozenset(batch.tolist()) for batch in batches})
    for one, other in combinations(companies, 2):
        assert len(one & other) <= 0.05 * len(one)


def test_batches_of_captions_are_95_percent_full() -> None:
    sides = caption_lengths()
    batches = batches_of(sides, 4096, 256)
    assert all(fill(batches, side) >= 0.95 for side in sides)
    budgets = [max(side[batch].sum() for side in sides) / 4096 for batch in batches]
    assert np.mean(budgets) >= 0.98
    assert min(budgets) >= 0.94  # the last ones, which are smaller, too


def test_sentences_as_long_as_a_batch() -> None:
    lengths = np.array([50, 51, 49]), np.array([50, 50, 50])
    batches = batches_of(lengths, 50, 50)
    assert sorted(batch.tolist() for batch in batches) == [[0], [2]]


def test_sentences_that_do_not_fit_into_16_bits_are_sorted() -> None:
    lengths = np.array([131_071, 65_536, 65_535, 1])
    assert _sort(np.arange(4), lengths).tolist() == [3, 2, 1, 0]
    assert _sort(np.arange(2, 4), lengths).tolist() == [3, 2]
    assert _sort(np.array([1, 2]), lengths).tolist() == [2, 1]
    assert _sort(np.arange(0), lengths).tolist() == []


@given(lengths(), st.integers(1, 9))
def test_micro_batches_are_a_partition(sides: tuple[Lengths, Lengths], count: int) -> None:
    batch = np.arange(len(sides[0]))
    micro_batches = split_into_micro_batches(batch, *sides, count)
    assert len(micro_batches) == count
    assert joined(micro_batches) == batch.tolist()
    assert sum(len(part) > 0 for part in micro_batches) == min(count, len(batch))


def test_a_sentence_longer_than_all_others_leaves_no_micro_batch_empty() -> None:
    for lengths in (np.array([1, 1, 100]), np.array([1, 100, 100])):
        parts = split_into_micro_batches(np.arange(3), lengths, lengths, 3)
        assert [part.tolist() for part in parts] == [[0], [1], [2]]


@pytest.mark.parametrize("count", [2, 4, 8])
def test_micro_batches_are_balanced_and_pad_less_than_their_batch(count: int) -> None:
    sides = caption_lengths()
    for batch in batches_of(sides, 4096, 256)[:20]:
        micro_batches = split_into_micro_batches(batch, *sides, count)
        tokens = [sum(int(side[part].sum()) for side in sides) for part in micro_batches]
        cuts = np.cumsum(tokens)[:-1] - sum(tokens) * np.arange(1, count) / count
        assert (
            np.abs(cuts).max() <= (sides[0] + sides[1])[batch].max() / 2
        )  # no other cut is nearer to the share
        assert sum(fill(micro_batches, side) for side in sides) >= sum(fill([batch], side) for side in sides)


@given(lengths())
def test_evaluation_batches_hold_every_sentence_within_the_budget(sides: tuple[Lengths, Lengths]) -> None:
    batches = evaluation_batches(*sides, batch_tokens=30)
    assert joined(batches) == list(range(len(sides[0])))
    for batch in batches:
        assert len(batch) == 1 or all(len(batch) * side[batch].max() <= 30 for side in sides)


def test_fill_is_the_share_of_tokens_in_slots() -> None:
    assert fill([np.array([0, 1]), np.array([2])], np.array([2, 4, 5])) == 11 / 13
