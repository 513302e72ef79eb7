"""BLEU as in the paper, and the other measures of a translation.

The paper does not say how its BLEU was computed.  Its authors' code does, tensor2tensor's ``get_ende_bleu.sh``: Moses
tokens (``moses.py``), compounds split at hyphens, and the formula of ``multi-bleu.perl`` (``multi_bleu.py``).  Since
2018 it also replaces typographic punctuation in the translation, and we do on both sides (docs/protocol.md).  This is
the headline of German, the measure that stands in the tables beside the paper's number.  EN-FR is reported without the
split, for example by fairseq, so ``multi_bleu`` is the headline of every other language.

| name                 | rules                                                                              |
|----------------------|------------------------------------------------------------------------------------|
| ``multi_bleu_split`` | Moses tokens, compounds split at hyphens, multi-bleu's formula, case-sensitive     |
| ``multi_bleu``       | the same without the compound split                                                |
| ``multi_bleu_2017``  | German with typographic punctuation: as the first, but that is not replaced        |
| ``sacrebleu``        | sacreBLEU with its defaults (13a tokens, case-sensitive), comparable across papers |
| ``…_lowercased``     | the first, the second and ``sacrebleu`` on lowercased text                         |
| ``chrf``             | sacreBLEU's chrF2 (Popović 2015): F-score of character n-grams of orders 1 to 6    |

For a language without rules in Moses, or a text without blanks between words, the four measures of Moses tokens have
the tokens of sacreBLEU's tokenizer instead (13a, or one for such text), as ``sacrebleu`` has.  The signatures name it.

Text is lowercased after tokenization, as by ``multi-bleu.perl -lc``.  Unlike in Perl, which works on bytes, letters
such as Ä are lowercased, too.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from typing import Any

import numpy as np
from sacrebleu.metrics import BLEU, CHRF

from transformer.common.words import has_no_blanks
from transformer.scoring.bootstrap import percentile_interval
from transformer.scoring.moses import has_rules, moses_tokenizer, replace_unicode_punctuation, split_compounds
from transformer.scoring.multi_bleu import (
    Bleu,
    corpus_statistics,
    geometric_mean,
    multi_bleu,
    sentence_counts,
)
from transformer.scoring.tokens import tokenizer_name

SPLIT, AS_IN_2017 = "multi_bleu_split", "multi_bleu_2017"
BETA = 2  # of chrF: recall counts as much as BETA times precision


@dataclass(frozen=True)
class Chrf:
    """chrF of a corpus, in percent."""

    value: float


@dataclass(frozen=True)
class Measurement:
    """A translation by one measure: counts of each sentence (sentences, columns), and what scores their sum.

    The signature says the rules.
    """

    name: str
    signature: str
    counts: np.ndarray
    score: Callable[[np.ndarray], Bleu | Chrf]


def headline_measure(language: str) -> str:
    """Return the name of the measure that stands beside the paper's number, by the language of the translation."""
    return SPLIT if language == "de" else "multi_bleu"


def all_measures(hypotheses: Sequence[str], references: Sequence[str], language: str) -> list[Measurement]:
    """Return every measure of the hypotheses (untokenized) against their references."""
    sides = [list(hypotheses), list(references)]
    plain = _mapped(replace_unicode_punctuation, sides)
    has_blanks, name = not has_no_blanks(references), tokenizer_name(language, references)
    if has_blanks and has_rules(language):
        tokenize, rules = moses_tokenizer(language), f"moses-{language}|sacremoses:{version('sacremoses')}"
    else:
        tokenize, rules = BLEU(tokenize=name).tokenizer, f"{name}|sacrebleu:{version('sacrebleu')}"
    tokens = _mapped(tokenize, plain)
    lowercased = _mapped(str.lower, tokens)
    measures = [
        _multi_bleu(SPLIT, rules, tokens, compounds="split"),
        _multi_bleu(f"{SPLIT}_lowercased", rules, lowercased, case="lc", compounds="split"),
        _multi_bleu("multi_bleu", rules, tokens),
        _multi_bleu("multi_bleu_lowercased", rules, lowercased, case="lc"),
    ]
    if headline_measure(language) == SPLIT and has_blanks and plain != sides:
        # The first version of get_ende_bleu.sh replaced no punctuation.
        kept = _mapped(tokenize, sides)
        measures.append(_multi_bleu(AS_IN_2017, rules, kept, compounds="split", punctuation="kept"))
    library: list[tuple[str, Any, Callable[[np.ndarray], Bleu | Chrf]]] = [
        ("sacrebleu", BLEU(tokenize=name), _sacrebleu_score),
        ("sacrebleu_lowercased", BLEU(lowercase=True, tokenize=name), _sacrebleu_score),
        ("chrf", CHRF(beta=BETA), _chrf_score),
    ]
    for name, metric, score in library:
        counts = sentence_counts(metric, *sides)  # which completes the metric's signature
        measures.append(Measurement(name, metric.get_signature().format(), counts, score))
    return measures


def results(measures: Iterable[Measurement]) -> dict[str, dict[str, Any]]:
    """Return the scores of a whole corpus as JSON values by the name of the measure."""
    return {measure.name: _result(measure) for measure in measures}


def _result(measure: Measurement) -> dict[str, Any]:
    score = measure.score(measure.counts.sum(axis=0))
    interval: dict[str, Any] = percentile_interval(measure.counts, lambda sums: measure.score(sums).value)
    if score.value == 0:  # in every sample, which says nothing of other sentences
        interval |= {"low": None, "high": None}
    return {**asdict(score), "signature": measure.signature, "interval": interval}


def _mapped(change: Callable[[str], str], sides: Iterable[Sequence[str]]) -> list[list[str]]:
    return [list(map(change, texts)) for texts in sides]


def _multi_bleu(
    name: str,
    rules: str,
    tokens: list[list[str]],
    *,
    case: str = "mixed",
    compounds: str = "whole",
    punctuation: str = "replace-unicode",
) -> Measurement:
    """Return a measure of our own.  The ``rules`` of its ``tokens`` are in the style of sacreBLEU's signatures."""
    if compounds == "split":
        # After the letters are lowercased, so that its ##AT## keeps its case; no count depends on that.
        tokens = _mapped(split_compounds, tokens)
    how = f"nrefs:1|case:{case}|punct:{punctuation}|tok:{rules}|compounds:{compounds}"
    return Measurement(name, f"{how}|smooth:none|formula:multi-bleu", corpus_statistics(*tokens), multi_bleu)


def _sacrebleu_score(sums: np.ndarray) -> Bleu:
    hypothesis_length, reference_length, *counts = sums.tolist()
    score = BLEU.compute_bleu(
        counts[:4], counts[4:], hypothesis_length, reference_length, smooth_method="exp"
    )
    # sacreBLEU's own score is this one, but its last bits depend on Python's version.
    value = score.bp * geometric_mean(score.precisions)
    return Bleu(value, tuple(score.precisions), score.bp, hypothesis_length, reference_length)


def _chrf_score(sums: np.ndarray) -> Chrf:
    """Return chrF of summed counts: of each order, n-grams of the hypothesis, of the reference, and in both."""
    hypothesis, reference, both = sums.reshape(-1, 3).T
    # As sacreBLEU, which leaves out orders longer than the text.
    both_have = (hypothesis > 0) & (reference > 0)
    if not both.any():
        return Chrf(0.0)
    precision = (both[both_have] / hypothesis[both_have]).mean()
    recall = (both[both_have] / reference[both_have]).mean()
    return Chrf(float(100 * (1 + BETA**2) * precision * recall / (BETA**2 * precision + recall)))
