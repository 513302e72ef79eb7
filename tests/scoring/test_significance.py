"""When a difference between two systems is more than chance."""

import math
from collections.abc import Sequence

import numpy as np
import pytest
from sacrebleu.metrics import BLEU
from sacrebleu.significance import PairedTest, Result
from scipy import stats

from transformer.scoring.multi_bleu import corpus_statistics, multi_bleu
from transformer.scoring.significance import (
    Estimate,
    Trainings,
    contrast,
    holm,
    paired_p,
)

NO_SENTENCES = np.zeros((3, 1000))  # scores on resampled test sets that do not vary


def test_holm() -> None:
    """As R's p.adjust(c(0.01, 0.04, 0.03, 0.005), "holm"): the smallest counts four times, the next three times."""
    corrected = holm({"a": 0.01, "b": 0.04, "none": math.nan, "c": 0.03, "d": 0.005})
    assert math.isnan(corrected.pop("none"))
    assert corrected == pytest.approx({"a": 0.03, "b": 0.06, "c": 0.06, "d": 0.02})
    assert holm({"a": 0.9, "b": 0.8}) == {"a": 1.0, "b": 1.0}


def two_sided(estimate: Estimate) -> float:
    return 2 * min(estimate.p_above(0), estimate.p_below(0))


@pytest.mark.parametrize("difference", [0.5, 1.0, -2.0])
def test_seeds_alone_are_tested_as_scipy_does(difference: float) -> None:
    """If no sentence were chance, this would be Student's t-test with equal variances."""
    first, second = np.array([25.0, 25.5, 26.3]) + difference, np.array([25.1, 24.9, 25.4])
    systems = {"a": Trainings(first, NO_SENTENCES, 500), "b": Trainings(second, NO_SENTENCES, 500)}
    found = contrast({"a": 1, "b": -1}, systems, ())
    theirs = stats.ttest_ind(first, second)
    assert two_sided(found) == pytest.approx(theirs.pvalue)
    interval = theirs.confidence_interval(0.9)
    assert found.interval(0.9) == pytest.approx((interval.low, interval.high))


@pytest.mark.parametrize(("pooled", "rows"), [([0, 1, 2], 3), ([2], 3), ([0], 2), ([], 2)])
def test_systems_that_are_pooled_give_degrees_of_freedom_and_no_others_do(
    pooled: Sequence[int], rows: int
) -> None:
    """The seeds of a third system tell how seeds vary, as in an analysis of variance."""
    scores = [np.array(values) for values in ([25.0, 25.6, 26.2], [24.9, 25.3, 25.6], [20.0, 23.7, 20.9])]
    systems = {number: Trainings(values, NO_SENTENCES, 500) for number, values in enumerate(scores)}
    found = contrast({0: 1, 1: -1}, systems, pooled)
    assert found.degrees == pytest.approx(2 * rows)
    variance = np.mean([values.var(ddof=1) for values in scores[:rows]])
    assert found.error == pytest.approx(math.sqrt(variance * 2 / 3))


@pytest.mark.parametrize("seeds", [2, 3, 5])
def test_the_variance_over_sentences(seeds: int) -> None:
    """That of the difference of means, less what trainings of a system differ by on the same sentences."""
    rng = np.random.default_rng(seeds)
    sizes, samples = {"a": 90, "b": 40}, rng.normal(size=(2, seeds, 300)) + 3 * rng.normal(size=(2, 1, 300))
    systems = {
        name: Trainings(of.mean(1), of, size) for (name, size), of in zip(sizes.items(), samples, strict=True)
    }
    pairs = [
        np.var(of[one] - of[other], ddof=1) for of in samples for one in range(seeds) for other in range(one)
    ]
    whole = np.var(np.diff(samples.mean(1), axis=0), ddof=1)
    found = contrast({"a": 1, "b": -1}, systems, ())
    assert found.sentence_variance == pytest.approx(whole - sum(pairs) / seeds**2 / (seeds - 1))
    assert found.sentence_degrees == 39  # of the smaller test set
    assert contrast({"a": -3}, systems, ()).sentence_variance == pytest.approx(
        9 * contrast({"a": 1}, systems, ()).sentence_variance
    )
    gain = systems["a"] - systems["b"]
    assert gain.sentences == 40
    assert contrast({0: 1}, {0: gain}, ()).value == pytest.approx(found.value)


def test_seeds_and_sentences_add_up_as_in_min_f() -> None:
    """Clark 1973: min F' = F1 F2 / (F1 + F2), with (F1 + F2)^2 / (F1^2 / n2 + F2^2 / n1) degrees of freedom."""
    found = Estimate(3.0, seed_variance=0.5, seed_degrees=4, sentence_variance=0.8, sentence_degrees=99)
    by_seeds, by_sentences = 9 / 0.5, 9 / 0.8
    min_f = by_seeds * by_sentences / (by_seeds + by_sentences)
    degrees = (by_seeds + by_sentences) ** 2 / (by_seeds**2 / 99 + by_sentences**2 / 4)
    assert two_sided(found) == pytest.approx(stats.f.sf(min_f, 1, degrees))


def draw(rng: np.random.Generator, difference: float) -> dict[str, Trainings]:
    """Mean scores of two systems, whose seeds, sentences and interaction vary; 40 sentences, 3 seeds."""
    sentences = rng.normal(size=(2, 1, 40)) + np.array([difference, 0.0]).reshape(2, 1, 1)
    scores = sentences + rng.normal(scale=0.15, size=(2, 3, 1)) + rng.normal(scale=0.5, size=(2, 3, 40))
    drawn = rng.integers(40, size=(200, 40))
    return {
        name: Trainings(of.mean(1), of[:, drawn].mean(2), 40) for name, of in zip("ab", scores, strict=True)
    }


def test_how_often_a_difference_is_found() -> None:
    """Without one, in 5% of draws at most; with the detectable one, in 80% or a little more."""
    rng = np.random.default_rng(0)
    none = [contrast({"a": 1, "b": -1}, draw(rng, 0.0), ()) for _ in range(400)]
    assert np.mean([two_sided(found) < 0.05 for found in none]) < 0.07
    detectable = float(np.median([found.detectable(0.05, 0.8) for found in none]))
    some = [contrast({"a": 1, "b": -1}, draw(rng, detectable), ()) for _ in range(400)]
    assert 0.74 < np.mean([two_sided(found) < 0.05 for found in some]) < 0.92
    held = [low < detectable < high for low, high in (found.interval(0.95) for found in some)]
    assert np.mean(held) > 0.93


@pytest.mark.parametrize("rate", [0.32, 0.36, 0.5])
def test_the_p_value_of_single_trainings_is_sacrebleu_s(rate: float) -> None:
    """Up to its random samples: one system replaces 30% of the reference's words, the other this share."""
    rng = np.random.default_rng(3)
    references = rng.integers(0, 50, (150, 12))
    systems = [np.where(rng.random(references.shape) < share, 99, references) for share in (0.3, rate)]
    texts = [[" ".join(map(str, row)) for row in rows] for rows in (references, *systems)]
    counts = [corpus_statistics(text, texts[0]) for text in texts[1:]]
    ours = paired_p(counts[0], counts[1], lambda sums: multi_bleu(sums).value)
    named: list[tuple[str, Sequence[str]]] = [("one", texts[1]), ("other", texts[2])]
    metric = {"BLEU": BLEU(tokenize="none", smooth_method="none")}
    _, theirs = PairedTest(named, metric, [texts[0]], test_type="ar", n_samples=1000)()
    result = theirs["BLEU"][1]
    assert isinstance(result, Result)
    assert ours == pytest.approx(result.p_value, abs=0.05)


@pytest.mark.parametrize("comparisons", [51, 100, 600])
def test_a_large_difference_stays_significant_among_many(comparisons: int) -> None:
    """The last p-value is that of systems that differ by chance; all others of the family are 1."""
    rng = np.random.default_rng(5)
    base, worse, like_base = (rng.integers(low, 10, (60, 1)) for low in (5, 0, 5))
    large, null = (
        paired_p(base, other, lambda sums: float(sums[0]), comparisons) for other in (worse, like_base)
    )
    assert large == 1 / (max(1000, 50 * comparisons) + 1)
    corrected = holm(dict(enumerate([large, null, *[1.0] * (comparisons - 2)])))
    assert corrected[0] < 0.05
    assert corrected[1] == 1


def test_the_p_value_does_not_depend_on_how_many_exchanges_are_in_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(6)
    first, second = rng.integers(0, 9, (2, 30, 2))

    def p() -> float:
        return paired_p(first, second, lambda sums: float(sums[0] - sums[1]))

    at_once = p()
    monkeypatch.setattr("transformer.scoring.significance.DRAWN", 70)
    assert p() == at_once


@pytest.mark.parametrize(("seeds", "sentences"), [(1, 40), (1, 1), (3, 1)])
def test_one_seed_or_one_sentence_decides_nothing(seeds: int, sentences: int) -> None:
    rng = np.random.default_rng(7)
    systems = {
        name: Trainings(rng.normal(size=seeds), rng.normal(size=(seeds, 100)), sentences) for name in "ab"
    }
    assert math.isnan(two_sided(contrast({"a": 1, "b": -1}, systems, ())))


def test_where_nothing_varies() -> None:
    systems = {
        name: Trainings(np.full(2, value), NO_SENTENCES, 9) for name, value in (("a", 26.0), ("b", 25.0))
    }
    assert [contrast({"a": 1, "b": -1}, systems, ()).p_above(bound) for bound in (0, 1)] == [0, 1]
    counts = np.arange(30)[:, None]
    assert paired_p(counts, counts, lambda sums: float(sums[0])) == 1
