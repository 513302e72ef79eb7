"""Batches of similar lengths under a budget of tokens, the order of an epoch, and the shards of a batch.

The paper batches pairs "by approximate sequence length", about 25,000 source and as many target tokens each
(section 5.1).  The authors' code put a pair in the bucket of its longer side and budgeted padded slots; here both
lengths count, so that neither side is padded much, and the budget is of real tokens, so that every step learns
from the same amount.  All is a function of the lengths, the seed and the epoch alone.
"""

from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from transformer.common.special_tokens import PAD

Lengths = NDArray[np.integer]  # (sentences,) tokens, EOS included
Indices = NDArray[np.integer]  # (batch,) numbers of sentences

# The sizes, in batches, that are tried for a strip (see _batches_of_similar_lengths); more would gain nothing.
STRIP_SIZES = (1, 2, 3, 4, 6, 8, 10, 12, 16, 20, 24)


def epoch_batches(
    source_lengths: Lengths,
    target_lengths: Lengths,
    *,
    batch_tokens: int,
    max_length: int,
    seed: int,
    epoch: int,
) -> list[Indices]:
    """The batches of one epoch, in the order of training.

    Each holds at most ``batch_tokens`` source and at most as many target tokens, and all but the last one made
    are as full on one side as whole sentences allow.  Every pair with no side over ``max_length`` tokens is in
    exactly one batch; which pairs of like lengths meet differs from epoch to epoch.  Memory: 40 bytes a pair.

    Raises ValueError when a sentence of ``max_length`` would not fit into a batch.
    """
    if max_length > batch_tokens:
        raise ValueError(f"max_length {max_length} is more than batch_tokens {batch_tokens}")
    rng = np.random.default_rng([seed, epoch])
    eligible = np.flatnonzero((source_lengths <= max_length) & (target_lengths <= max_length))
    if len(source_lengths) < 2**31:
        eligible = eligible.astype(np.int32)  # half the memory
    order = _sort(rng.permutation(eligible), source_lengths)
    batches = _batches_of_similar_lengths(order, source_lengths, target_lengths, batch_tokens)
    return [batches[index] for index in rng.permutation(len(batches))]


def split_batch(
    batch: Indices, source_lengths: Lengths, target_lengths: Lengths, parts: int
) -> list[Indices]:
    """Split a batch into ``parts`` shards of about equally many tokens, each of similar lengths.

    For ranks and for gradient accumulation.  A shard is empty only where the batch has fewer than ``parts``
    sentences.
    """
    batch = batch[np.lexsort((target_lengths[batch], source_lengths[batch]))]
    tokens = _cumulated(batch, source_lengths) + _cumulated(batch, target_lengths)
    # The cut nearest to each part's share of the tokens, with at least one sentence between two cuts.
    shares = tokens[-1] * np.arange(1, parts) / parts
    cuts = np.searchsorted((tokens[:-1] + tokens[1:]) / 2, shares)
    part = np.arange(1, parts)
    cuts = np.maximum.accumulate(np.maximum(cuts - part, 0)) + part
    cuts = np.minimum(cuts, np.maximum(len(batch) - parts + part, part))
    return np.split(batch, np.minimum(cuts, len(batch)))


def evaluation_batches(source_lengths: Lengths, target_lengths: Lengths, batch_tokens: int) -> list[Indices]:
    """All sentences, longest first, in batches of at most ``batch_tokens`` padded slots a side.

    The longest first, so that memory runs out at once if it does; a sentence over the budget is a batch alone.
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


def collate(sentences: Sequence[NDArray[np.integer]]) -> NDArray[np.int64]:
    """Stack sentences of token ids, padded at the end with PAD, as (batch, longest)."""
    ids = np.full((len(sentences), max(map(len, sentences))), PAD, dtype=np.int64)
    for row, sentence in zip(ids, sentences, strict=True):
        row[: len(sentence)] = sentence
    return ids


def fill(batches: Iterable[Indices], lengths: Lengths) -> float:
    """The share of one side's slots that hold tokens and not padding."""
    batches = list(batches)
    tokens = sum(int(lengths[batch].sum()) for batch in batches)
    return tokens / _slots(batches, lengths)


def _batches_of_similar_lengths(
    order: Indices, source_lengths: Lengths, target_lengths: Lengths, batch_tokens: int
) -> list[Indices]:
    """Cut ``order``, sorted by source length, into batches in which both lengths are similar.

    A strip, the next few batches' worth of pairs, is sorted by target length and cut.  The wider the strip, the
    more similar the target lengths in a batch and the less the source lengths; of ``STRIP_SIZES``, the one that
    pads least is taken.  What a strip leaves over joins the next.
    """
    sides = (source_lengths, target_lengths)
    totals = [_cumulated(order, lengths) for lengths in sides]
    batches: list[Indices] = []
    position, rest = 0, order[:0]
    while position < len(order) or len(rest):
        candidates = []
        for size in STRIP_SIZES:
            room = [size * batch_tokens - int(lengths[rest].sum()) for lengths in sides]
            reach = min(_reach(total, position, tokens) for total, tokens in zip(totals, room, strict=True))
            end = max(position, reach)
            strip = _sort(np.concatenate((rest, order[position:end])), target_lengths)
            most = size if end < len(order) else len(strip)  # batches; at the end, all that there are
            cuts = _cuts(strip, source_lengths, target_lengths, batch_tokens)[: most + 1]
            made = [strip[start:stop] for start, stop in pairwise(cuts)]
            fullness = sum(fill(made, lengths) for lengths in sides)
            candidates.append((fullness, made, strip[cuts[-1] :], end))
            if end == len(order):
                break  # a wider strip would be the same
        _, made, rest, position = max(candidates, key=lambda candidate: candidate[0])
        batches += made
    return batches


def _cuts(order: Indices, source_lengths: Lengths, target_lengths: Lengths, batch_tokens: int) -> list[int]:
    """Where to cut ``order`` so that each piece is as long as the budget allows on both sides."""
    totals = [_cumulated(order, lengths) for lengths in (source_lengths, target_lengths)]
    cuts = [0]
    while cuts[-1] < len(order):
        cuts.append(min(_reach(total, cuts[-1], batch_tokens) for total in totals))
    return cuts


def _reach(total: NDArray[np.int64], start: int, tokens: int) -> int:
    """The last position that is at most ``tokens`` after ``start``, by cumulated counts."""
    return int(np.searchsorted(total, total[start] + tokens, side="right")) - 1


def _cumulated(order: Indices, lengths: Lengths) -> NDArray[np.int64]:
    return np.concatenate(([0], np.cumsum(lengths[order], dtype=np.int64)))


def _sort(order: Indices, lengths: Lengths) -> Indices:
    keys = lengths[order]
    if len(keys) and keys.max() < 2**16:
        keys = keys.astype(np.uint16)  # numpy sorts these by radix, several times as fast
    return order[np.argsort(keys, kind="stable")]


def _slots(batches: Iterable[Indices], lengths: Lengths) -> int:
    return sum(len(batch) * int(lengths[batch].max()) for batch in batches)
