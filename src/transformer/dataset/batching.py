"""Batches of sentence pairs with similar lengths, their order in an epoch, and their division into micro-batches.

The paper batches pairs "by approximate sequence length", about 25,000 source and 25,000 target tokens each
(section 5.1).  The authors' code put a pair in the bucket of its longer side and limited the padded size of a batch;
``buckets_per_doubling`` asks for such batches.  By default, batches are similar in both lengths, so that neither side
is padded much, and the limit applies to real tokens, so that every step learns from the same amount.  What is left at
the end of an epoch makes no small batch, whose update would count as much as another's: the last batches share it.
Batches depend on the lengths, the seed and the epoch alone.
"""

from collections.abc import Callable, Iterable
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

Lengths = NDArray[np.integer]  # (sentences,) tokens, EOS included
Sides = tuple[Lengths, Lengths]  # of the sources, and of the targets
Indices = NDArray[np.integer]  # (B,) indices of sentence pairs in the dataset

# The sizes, in batches, that are tried for a strip (see _batches_of_similar_lengths); more sizes gain nothing.
STRIP_SIZES = (1, 2, 3, 4, 6, 8, 10, 12, 16, 20, 24)
LAST = STRIP_SIZES[-1]  # about so many batches at the end of an epoch are made equally full


def epoch_batches(
    source_lengths: Lengths,
    target_lengths: Lengths,
    *,
    batch_tokens: int,
    max_length: int,
    seed: int,
    epoch: int,
    buckets_per_doubling: int | None = None,
) -> list[Indices]:
    """Return the batches of one epoch, in the order of training.

    A batch has at most ``batch_tokens`` source tokens and at most ``batch_tokens`` target tokens.  One side of every
    batch is as full as whole sentences allow, except in the last ``LAST``, which are smaller and about
    equally full.  Every pair with no side over ``max_length`` tokens is in exactly one batch; which pairs of similar
    lengths share a batch differs from epoch to epoch.  Needs 40 bytes per pair.

    With ``buckets_per_doubling``, batches are those of the 2017 code: each is from one bucket (:func:`bucket_widths`),
    and ``batch_tokens`` is the number of positions of one side after padding to the bucket's width.  That code keeps
    the pairs that fill no batch for later; here the next narrower bucket fills their batch up.
    """
    rng = np.random.default_rng([seed, epoch])
    eligible = np.flatnonzero((source_lengths <= max_length) & (target_lengths <= max_length))
    if len(source_lengths) < 2**31:
        eligible = eligible.astype(np.int32)  # half the memory
    order, sides = rng.permutation(eligible), (source_lengths, target_lengths)
    if buckets_per_doubling is None:
        order = _sort(order, source_lengths)
        batches = _batches_of_similar_lengths(order, sides, batch_tokens)
    else:
        widths = bucket_widths(max_length, buckets_per_doubling)
        batches = _bucket_batches(order, sides, widths, batch_tokens)
    return [batches[index] for index in rng.permutation(len(batches))]


def bucket_widths(max_length: int, buckets_per_doubling: int) -> list[int]:
    """Return the length up to which each of the 2017 code's buckets takes a pair, by its longer side.

    The first bucket ends at 8, the last at ``max_length``.  The others divide each doubling of the length into
    ``buckets_per_doubling`` equal parts of at least one token: 8, 12, 16, 24, 32, 48 … if it is 2.
    """
    widths, width = [], 8
    while width < max_length:
        widths.append(width)
        doubling = 1 << (width.bit_length() - 1)  # the power of two at or below the width
        width += max(1, doubling // buckets_per_doubling)
    return [*widths, max_length]


def split_into_micro_batches(
    batch: Indices, source_lengths: Lengths, target_lengths: Lengths, count: int
) -> list[Indices]:
    """Split a batch into ``count`` micro-batches with about the same number of tokens, each of similar lengths.

    They are shared out among processes and gradient-accumulation steps.  A micro-batch is empty only if the batch has
    fewer than ``count`` sentence pairs.
    """
    batch = batch[np.lexsort((target_lengths[batch], source_lengths[batch]))]
    tokens = _cumulative(batch, source_lengths) + _cumulative(batch, target_lengths)
    # The cut nearest to each micro-batch's share of the tokens, with at least one sentence between two cuts.
    number = np.arange(1, count)
    cuts = np.searchsorted((tokens[:-1] + tokens[1:]) / 2, tokens[-1] * number / count)
    cuts = np.maximum.accumulate(np.maximum(cuts - number, 0)) + number
    cuts = np.minimum(cuts, np.maximum(len(batch) - count + number, number))
    return np.split(batch, np.minimum(cuts, len(batch)))


def evaluation_batches(source_lengths: Lengths, target_lengths: Lengths, batch_tokens: int) -> list[Indices]:
    """Return all sentence pairs, longest first, in batches of at most ``batch_tokens`` padded tokens per side.

    A pair over the limit is a batch of its own.
    """
    longer = np.maximum(source_lengths, target_lengths)
    order = np.argsort(-longer, kind="stable")
    batches: list[Indices] = []
    start = 0
    while start < len(order):
        count = max(1, batch_tokens // int(longer[order[start]]))
        batches.append(order[start : start + count])
        start += count
    return batches


def fill(batches: Iterable[Indices], lengths: Lengths) -> float:
    """Return the share of positions that are not padding, on one side of ``batches``."""
    batches = list(batches)
    tokens = sum(int(lengths[batch].sum()) for batch in batches)
    return tokens / sum(len(batch) * int(lengths[batch].max()) for batch in batches)


def _bucket_batches(order: Indices, sides: Sides, widths: list[int], slots: int) -> list[Indices]:
    """Cut the pairs of each bucket, which keep their ``order``, into batches of as many pairs as ``slots`` hold.

    The widest bucket comes first, and the last batch of each is filled up with pairs of the next.
    """
    numbers = np.searchsorted(widths, np.maximum(*(lengths[order] for lengths in sides)))
    places = np.argsort(-numbers, kind="stable")
    order, of_pairs = order[places], np.asarray(widths)[numbers[places]]

    def cut(start: int, slots: int) -> list[Indices]:
        batches = []
        while start < len(order):
            end = start + slots // int(of_pairs[start])
            batches.append(order[start:end])
            start = end
        return batches

    batches = cut(0, slots)[:-LAST]
    start = sum(map(len, batches))
    lowest = int(of_pairs[start]) if len(order) else slots
    return batches + _evened(lambda slots: cut(start, slots), lowest, slots, sides)


def _batches_of_similar_lengths(order: Indices, sides: Sides, batch_tokens: int) -> list[Indices]:
    """Cut ``order``, sorted by source length, into batches in which both lengths are similar."""
    batches, rest = _cut_strips(order, sides, batch_tokens, leave=LAST * batch_tokens)
    rest = _sort(rest, sides[0])
    longest = max(int(lengths[rest].max(initial=1)) for lengths in sides)

    def cut(tokens: int) -> list[Indices]:
        return _cut_strips(rest, sides, tokens, leave=0)[0]

    return batches + _evened(cut, longest, batch_tokens, sides)


def _evened(cut: Callable[[int], list[Indices]], lowest: int, most: int, sides: Sides) -> list[Indices]:
    """Return batches that are about equally full: those that ``cut`` makes for a limit between ``lowest`` and ``most``.

    They are no more than for ``most``, the limit of a full batch.  The lower the limit, the more is left for the last
    one, so the lowest is looked for by bisection.  Of all that it tries, those whose smallest is largest are returned.
    """

    def smallest(batches: list[Indices]) -> int:
        return min(max(int(lengths[batch].sum()) for lengths in sides) for batch in batches)

    best = cut(most)
    count, lowest = len(best), max(lowest, most // 2)
    while count > 1 and lowest < most:
        limit = (lowest + most) // 2
        batches = cut(limit)
        if len(batches) > count:
            lowest = limit + 1
        else:
            most, best = limit, max(best, batches, key=smallest)
    return best


def _cut_strips(order: Indices, sides: Sides, batch_tokens: int, leave: int) -> tuple[list[Indices], Indices]:
    """Cut batches from ``order``, sorted by source length, until ``leave`` tokens a side are left; return both.

    A strip, which holds as many pairs as the next few batches need, is sorted by target length and cut.  The wider
    the strip, the more similar are the target lengths in a batch and the less similar the source lengths; the size in
    ``STRIP_SIZES`` that needs the least padding is used.  Pairs left over from a strip join the next one.
    """
    totals = [_cumulative(order, lengths) for lengths in sides]
    batches: list[Indices] = []
    position, rest = 0, order[:0]

    def left() -> int:
        """Return how many tokens are left on the side that has more."""
        tokens = zip(totals, sides, strict=True)
        return max(int(total[-1] - total[position] + lengths[rest].sum()) for total, lengths in tokens)

    while left() > leave:
        candidates = []
        for size in STRIP_SIZES:
            room = [size * batch_tokens - int(lengths[rest].sum()) for lengths in sides]
            reach = min(_reach(total, position, tokens) for total, tokens in zip(totals, room, strict=True))
            end = max(position, reach)
            strip = _sort(np.concatenate((rest, order[position:end])), sides[1])
            most = size if end < len(order) else len(strip)  # batches to cut; at the end, all
            cuts = _cuts(strip, sides, batch_tokens)[: most + 1]
            made = [strip[start:stop] for start, stop in pairwise(cuts)]
            fullness = sum(fill(made, lengths) for lengths in sides)
            candidates.append((fullness, made, strip[cuts[-1] :], end))
            if end == len(order):
                break  # a wider strip would hold the same pairs
        _, made, rest, position = max(candidates, key=lambda candidate: candidate[0])
        batches += made
    return batches, np.concatenate((rest, order[position:]))


def _cuts(order: Indices, sides: Sides, batch_tokens: int) -> list[int]:
    """Return where to cut ``order`` so that each piece is as long as ``batch_tokens`` allows on both sides."""
    totals = [_cumulative(order, lengths) for lengths in sides]
    cuts = [0]
    while cuts[-1] < len(order):
        cuts.append(min(_reach(total, cuts[-1], batch_tokens) for total in totals))
    return cuts


def _reach(total: NDArray[np.int64], start: int, tokens: int) -> int:
    """Return the last position whose cumulative count exceeds that of ``start`` by at most ``tokens``."""
    return int(np.searchsorted(total, total[start] + tokens, side="right")) - 1


def _cumulative(order: Indices, lengths: Lengths) -> NDArray[np.int64]:
    return np.concatenate(([0], np.cumsum(lengths[order], dtype=np.int64)))


def _sort(order: Indices, lengths: Lengths) -> Indices:
    keys = lengths[order]
    if len(keys) and keys.max() < 2**16:
        keys = keys.astype(np.uint16)  # numpy sorts 16-bit integers by radix, several times as fast
    return order[np.argsort(keys, kind="stable")]
