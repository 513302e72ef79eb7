"""BLEU as in the paper, and the other measures of a translation.

The paper does not say how its BLEU was computed.  Its authors' code does, tensor2tensor's ``get_ende_bleu.sh``: Moses
tokens (``moses.py``), compounds split at hyphens, and the formula of ``multi-bleu.perl`` (``multi_bleu.py``).  This is
the headline of German, the measure that stands in the tables beside the paper's number.  EN-FR is reported without the
split, for example by fairseq, so ``multi_bleu`` is the headline of every other language.

| name                 | rules                                                                              |
|----------------------|------------------------------------------------------------------------------------|
| ``multi_bleu_split`` | Moses tokens, compounds split at hyphens, multi-bleu's formula, case-sensitive     |
| ``multi_bleu``       | the same without the compound split                                                |
| ``sacrebleu``        | sacreBLEU with its defaults (13a tokens, case-sensitive), comparable across papers |
| ``…_lowercased``     | each of the three on lowercased text                                               |
| ``chrf``             | sacreBLEU's chrF2 (Popović 2015): F-score of character n-grams of orders 1 to 6    |

For a language without rules in Moses, the four measures of Moses tokens have the tokens of sacreBLEU's tokenizer for
the language instead (13a for most; ``sacrebleu_tokens.py``), as ``sacrebleu`` has.  The signatures say which.

Text is lowercased after tokenization, as by ``multi-bleu.perl -lc``.  Unlike in Perl, which works on bytes, letters
such as Ä are lowercased, too.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from sacrebleu.metrics import BLEU, CHRF

from transformer.scoring.bootstrap import percentile_interval
from transformer.scoring.moses import Tokenizer, has_rules, split_compounds
from transformer.scoring.multi_bleu import Bleu, corpus_statistics, multi_bleu
from transformer.scoring.sacrebleu_tokens import SacrebleuTokenizer, tokenizer_name

SPLIT = "multi_bleu_split"
BETA = 2  # of chrF: recall counts as much as BETA times precision


@dataclass(frozen=True)
class Chrf:
    """chrF of a corpus, in percent."""

    value: float


@dataclass(frozen=True)
class Measure:
    """Counts of each sentence (sentences, columns), the score of their sum, and a signature of the rules."""

    name: str
    signature: str
    statistics: np.ndarray
    score: Callable[[np.ndarray], Bleu | Chrf]


def headline_measure(language: str) -> str:
    """Return the name of the measure that stands beside the paper's number, by the language of the translation."""
    return SPLIT if language == "de" else "multi_bleu"


def all_measures(hypotheses: Sequence[str], references: Sequence[str], language: str) -> list[Measure]:
    """Return every measure of the hypotheses (untokenized) against their references."""
    measures = _multi_bleu_measures(hypotheses, references, language)
    measures += _sacrebleu_measures(hypotheses, references, language)
    return [*measures, _chrf_measure(hypotheses, references)]


def results(measures: Iterable[Measure]) -> dict[str, dict[str, Any]]:
    """Return the scores of a whole corpus as JSON values by the name of the measure."""
    return {measure.name: _result(measure) for measure in measures}


def _result(measure: Measure) -> dict[str, Any]:
    score = measure.score(measure.statistics.sum(axis=0))
    interval = percentile_interval(measure.statistics, lambda sums: measure.score(sums).value)
    return {**asdict(score), "signature": measure.signature, "interval": asdict(interval)}


def _multi_bleu_measures(
    hypotheses: Sequence[str], references: Sequence[str], language: str
) -> list[Measure]:
    tokenizer = Tokenizer(language) if has_rules(language) else SacrebleuTokenizer(language)
    sides = [[tokenizer(text) for text in texts] for texts in (hypotheses, references)]
    split = [[split_compounds(text) for text in texts] for texts in sides]
    lowercased = [[text.lower() for text in texts] for texts in sides]
    # The split comes last, so that its ##AT## keeps its case; no count depends on that.
    split_lowercased = [[split_compounds(text) for text in texts] for texts in lowercased]
    return [
        Measure(name, _signature(tokenizer, case, compounds), corpus_statistics(*texts), multi_bleu)
        for name, case, compounds, texts in [
            (SPLIT, "mixed", "split", split),
            (f"{SPLIT}_lowercased", "lc", "split", split_lowercased),
            ("multi_bleu", "mixed", "whole", sides),
            ("multi_bleu_lowercased", "lc", "whole", lowercased),
        ]
    ]


def _signature(tokenizer: Tokenizer | SacrebleuTokenizer, case: str, compounds: str) -> str:
    """Return the rules of our own measures in the style of sacreBLEU's signatures."""
    rules = f"{tokenizer.signature}|compounds:{compounds}|smooth:none|formula:multi-bleu"
    return f"nrefs:1|case:{case}|punct:replace-unicode|{rules}"


def _sacrebleu_measures(hypotheses: Sequence[str], references: Sequence[str], language: str) -> list[Measure]:
    """Return sacreBLEU's measures; counts and scores are computed by sacreBLEU itself."""
    measures = []
    for name, lowercase in [("sacrebleu", False), ("sacrebleu_lowercased", True)]:
        tokenize = tokenizer_name(language)
        corpus = BLEU(lowercase=lowercase, tokenize=tokenize)
        corpus.corpus_score(hypotheses, [references])  # which completes the signature
        # effective_order changes only the sentence's own score, which is not used, and silences a warning.
        sentence = BLEU(lowercase=lowercase, tokenize=tokenize, effective_order=True)
        pairs = zip(hypotheses, references, strict=True)
        scores = [sentence.sentence_score(hypothesis, [reference]) for hypothesis, reference in pairs]
        rows = [[score.sys_len, score.ref_len, *score.counts, *score.totals] for score in scores]
        statistics = np.array(rows, dtype=np.int64)
        measures.append(Measure(name, corpus.get_signature().format(), statistics, _sacrebleu_score))
    return measures


def _sacrebleu_score(sums: np.ndarray) -> Bleu:
    hypothesis_length, reference_length, *counts = sums.tolist()
    score = BLEU.compute_bleu(
        counts[:4], counts[4:], hypothesis_length, reference_length, smooth_method="exp"
    )
    return Bleu(score.score, tuple(score.precisions), score.bp, hypothesis_length, reference_length)


def _chrf_measure(hypotheses: Sequence[str], references: Sequence[str]) -> Measure:
    """Return chrF.  sacreBLEU counts the n-grams of each sentence, and has no public function that gives the counts."""
    metric = CHRF(beta=BETA)
    metric.corpus_score(hypotheses, [references])  # which completes the signature
    rows = metric._extract_corpus_statistics(hypotheses, [references])
    return Measure("chrf", metric.get_signature().format(), np.array(rows, dtype=np.int64), _chrf_score)


def _chrf_score(sums: np.ndarray) -> Chrf:
    """Return chrF of summed counts: of each order, n-grams of the hypothesis, of the reference, and in both."""
    hypothesis, reference, both = sums.reshape(-1, 3).T
    counted = (hypothesis > 0) & (reference > 0)  # as sacreBLEU, which leaves out orders longer than the text
    if not both.any():
        return Chrf(0.0)
    precision = (both[counted] / hypothesis[counted]).mean()
    recall = (both[counted] / reference[counted]).mean()
    return Chrf(float(100 * (1 + BETA**2) * precision * recall / (BETA**2 * precision + recall)))
