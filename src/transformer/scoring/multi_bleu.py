"""BLEU (Papineni et al. 2002) by the rules of Moses' ``multi-bleu.perl``, with one reference.

A translation is good when its n-grams occur in the reference.  For n = 1 … 4, the *modified precision*

    p_n = sum over sentences of clipped matches / sum over sentences of n-grams in the hypothesis

counts an n-gram at most as often as it occurs in the reference, so that repeating a correct word gains nothing.
Precision alone favours short output.  The *brevity penalty* corrects this, for c hypothesis tokens and r reference
tokens in the whole corpus:

    BP = 1 if c >= r, else exp(1 - r/c)

    BLEU = 100 · BP · (p_1 · p_2 · p_3 · p_4)^(1/4)

There is no smoothing: if any precision is 0, BLEU is 0.  Nothing is rounded, while ``multi-bleu.perl`` prints two
decimals.  All counts are sums over sentences, so sacreBLEU collects them once for each sentence, and the bootstrap
(``bootstrap.py``) adds them up for each of its samples.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from sacrebleu.metrics import BLEU
from sacrebleu.metrics.base import Metric

ORDER = 4  # n-grams of 1 … 4 tokens
# The counts of a sentence: the lengths in tokens, clipped matches by n, and n-grams of the hypothesis by n.
COUNTS = (
    "hypothesis_length",
    "reference_length",
    *(f"{what}_{n}" for what in ("matches", "ngrams") for n in range(1, ORDER + 1)),
)
COLUMNS = len(COUNTS)


@dataclass(frozen=True)
class Bleu:
    """BLEU of a corpus and its components: value and precisions in percent, lengths in tokens."""

    value: float
    precisions: tuple[float, ...]
    brevity_penalty: float
    hypothesis_length: int
    reference_length: int


def corpus_statistics(hypotheses: Sequence[str], references: Sequence[str]) -> np.ndarray:
    """Return the counts of each sentence pair, (sentences, COLUMNS) int64.  The texts are tokens joined by spaces."""
    metric = BLEU(tokenize="none", force=True)  # without `force`, it warns that the text is tokenized
    return sentence_counts(metric, hypotheses, references).reshape(-1, COLUMNS)


def sentence_counts(metric: Metric, hypotheses: Sequence[str], references: Sequence[str]) -> np.ndarray:
    """Return the counts of each sentence pair for one of sacreBLEU's metrics, (sentences, columns) int64.

    Raises ValueError when there are not as many hypotheses as references, of which sacreBLEU would drop the rest.
    """
    if len(hypotheses) != len(references):
        raise ValueError(f"{len(hypotheses)} hypotheses for {len(references)} references")
    # sacreBLEU has no public function for this.
    return np.array(metric._extract_corpus_statistics(hypotheses, [references]), dtype=np.int64)


def multi_bleu(sums: np.ndarray) -> Bleu:
    """Return the BLEU of a corpus from its summed counts (COLUMNS,).  Empty hypotheses score 0."""
    hypothesis_length, reference_length, *counts = sums.tolist()
    matches, totals = counts[:ORDER], counts[ORDER:]
    precisions = [match / total if total else 0.0 for match, total in zip(matches, totals, strict=True)]
    brevity_penalty = _brevity_penalty(hypothesis_length, reference_length)
    value = 100 * brevity_penalty * geometric_mean(precisions)
    percentages = tuple(100 * precision for precision in precisions)
    return Bleu(value, percentages, brevity_penalty, hypothesis_length, reference_length)


def geometric_mean(values: Sequence[float]) -> float:
    """Return the geometric mean, 0 if one of the values is 0; the same bits with every Python."""
    # Python 3.12 and newer round the sum of floats in another way; that of fsum is exact.
    return math.exp(math.fsum(map(math.log, values)) / len(values)) if min(values) > 0 else 0.0


def _brevity_penalty(hypothesis_length: int, reference_length: int) -> float:
    if hypothesis_length >= reference_length:
        return 1.0
    return math.exp(1 - reference_length / hypothesis_length) if hypothesis_length else 0.0
