"""Our BLEU agrees with examples calculated by hand and with sacreBLEU's formula."""

import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sacrebleu.metrics import BLEU

from transformer.scoring.multi_bleu import corpus_statistics, geometric_mean, multi_bleu

# Few different words, so that n-grams repeat and match.  All sentences may be shorter than four tokens, and some equal.
sentences = st.lists(st.sampled_from(["a", "b", "c", "d"]), max_size=9).map(" ".join)
corpora = st.lists(st.tuples(sentences, sentences), min_size=1, max_size=6)


def test_clipping_of_repeated_words() -> None:
    """Papineni et al.'s example: seven times "the" against a reference with two."""
    (statistics,) = corpus_statistics(["the the the the the the the"], ["the cat is on the mat"])
    assert statistics.tolist() == [7, 6, 2, 0, 0, 0, 7, 6, 5, 4]


def test_worked_example() -> None:
    """5 of 6 words, 3 of 5 bigrams, 2 of 4 trigrams and 1 of 3 4-grams match; six tokens against seven."""
    result = multi_bleu(*corpus_statistics(["a b c d x f"], ["a b c d e f g"]))
    assert result.precisions == pytest.approx((100 * 5 / 6, 60, 50, 100 / 3))
    assert result.brevity_penalty == pytest.approx(math.exp(1 - 7 / 6))
    assert result.value == pytest.approx(100 * math.exp(-1 / 6) * (5 / 6 * 3 / 5 * 2 / 4 * 1 / 3) ** 0.25)


def test_the_last_bits_do_not_depend_on_the_version_of_python() -> None:
    """Adding from left to right, as Python's sum did before 3.12, would give 0.6177436625622806."""
    assert geometric_mean([0.58, 0.61, 0.84, 0.49]) == 0.6177436625622805


@given(corpora)
@example([("a b c d e", "a b c d")])  # longer than the reference
@example([("a b x c d", "a b c d")])  # no n-gram of four words matches
@example([("a b c d", "a b c d"), ("", "a")])
def test_equals_sacrebleu_without_tokenizer_and_smoothing(pairs: list[tuple[str, str]]) -> None:
    hypotheses, references = map(list, zip(*pairs, strict=True))
    theirs = BLEU(tokenize="none", smooth_method="none", force=True).corpus_score(hypotheses, [references])
    ours = multi_bleu(corpus_statistics(hypotheses, references).sum(axis=0))
    assert ours.value == pytest.approx(theirs.score, abs=1e-9)
    assert ours.brevity_penalty == pytest.approx(theirs.bp, abs=1e-9)


def test_no_sentence_is_dropped_for_want_of_a_partner() -> None:
    with pytest.raises(ValueError, match="2 hypotheses for 1 references"):
        corpus_statistics(["a", "b"], ["a"])
