"""BLEU (Papineni et al., 2002) by the rules of Moses' ``multi-bleu.perl``, with one reference.

A translation is good when its n-grams occur in the reference.  For n = 1 … 4, the *modified precision*

    p_n = sum over sentences of clipped matches / sum over sentences of n-grams in the hypothesis

counts an n-gram at most as often as the reference has it, so that repeating a word that is right gains
nothing.  Precision alone favours short output; the *brevity penalty* takes that back, for c hypothesis and
r reference tokens in the whole corpus:

    BP = 1 if c >= r, else exp(1 - r/c)

    BLEU = 100 · BP · (p_1 · p_2 · p_3 · p_4)^(1/4)

There is no smoothing: where any precision is 0, BLEU is 0.  Nothing is rounded; ``multi-bleu.perl`` rounds
to two decimals when it prints.  All counts are sums over sentences, so they are collected per sentence once
and the bootstrap (``bootstrap.py``) adds them up again and again.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

ORDER = 4  # n-grams of 1 … 4 tokens
COLUMNS = 2 + 2 * ORDER  # hypothesis length, reference length, clipped matches by n, n-grams by n


@dataclass(frozen=True)
class Bleu:
    """A corpus's BLEU and what it is made of; value and precisions in percent, lengths in tokens."""

    value: float
    precisions: tuple[float, ...]
    brevity_penalty: float
    hypothesis_length: int
    reference_length: int


def ngrams(tokens: Sequence[str], n: int) -> Counter[tuple[str, ...]]:
    """How often each run of ``n`` tokens occurs."""
    return Counter(zip(*(tokens[start:] for start in range(n)), strict=False))


def sentence_statistics(hypothesis: Sequence[str], reference: Sequence[str]) -> list[int]:
    """The ``COLUMNS`` counts of one sentence pair, from which BLEU follows."""
    matches, totals = [], []
    for n in range(1, ORDER + 1):
        proposed = ngrams(hypothesis, n)
        matches.append((proposed & ngrams(reference, n)).total())  # & takes the smaller count: the clipping
        totals.append(proposed.total())
    return [len(hypothesis), len(reference), *matches, *totals]


def corpus_statistics(hypotheses: Sequence[str], references: Sequence[str]) -> np.ndarray:
    """Counts of each sentence pair, (sentences, COLUMNS) int64; the texts are tokens joined by spaces."""
    rows = [
        sentence_statistics(hypothesis.split(), reference.split())
        for hypothesis, reference in zip(hypotheses, references, strict=True)
    ]
    return np.array(rows, dtype=np.int64).reshape(-1, COLUMNS)


def multi_bleu(sums: np.ndarray) -> Bleu:
    """BLEU of a corpus from its summed counts, shape (COLUMNS,).  An empty hypothesis scores 0."""
    hypothesis_length, reference_length, *counts = (int(count) for count in sums)
    matches, totals = counts[:ORDER], counts[ORDER:]
    precisions = [match / total if total else 0.0 for match, total in zip(matches, totals, strict=True)]
    brevity_penalty = _brevity_penalty(hypothesis_length, reference_length)
    if min(precisions) > 0:
        value = 100 * brevity_penalty * math.exp(sum(map(math.log, precisions)) / ORDER)
    else:
        value = 0.0
    percentages = tuple(100 * precision for precision in precisions)
    return Bleu(value, percentages, brevity_penalty, hypothesis_length, reference_length)


def _brevity_penalty(hypothesis_length: int, reference_length: int) -> float:
    if hypothesis_length >= reference_length:
        return 1.0
    return math.exp(1 - reference_length / hypothesis_length) if hypothesis_length else 0.0
