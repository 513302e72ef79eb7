"""When a difference between two systems is more than chance."""

import math
from collections.abc import Sequence

import numpy as np
import pytest
from sacrebleu.metrics import BLEU
from sacrebleu.significance import PairedTest, Result

from transformer.scoring.bootstrap import resampled_scores
from transformer.scoring.multi_bleu import corpus_statistics, multi_bleu
from transformer.scoring.significance import (
    Seeds,
    clearly_above,
    holm,
    means_differ,
    paired_p,
    student_tails,
    welch_p,
)


def test_holm() -> None:
    """As R's p.adjust(c(0.01, 0.04, 0.03, 0.005), "holm"): the smallest counts four times, the next three times."""
    corrected = holm({"a": 0.01, "b": 0.04, "none": math.nan, "c": 0.03, "d": 0.005})
    assert math.isnan(corrected.pop("none"))
    assert corrected == pytest.approx({"a": 0.03, "b": 0.06, "c": 0.06, "d": 0.02})
    assert holm({"a": 0.9, "b": 0.8}) == {"a": 1.0, "b": 1.0}


@pytest.mark.parametrize(
    ("t", "degrees", "tails"),
    [
        (12.706, 1, 0.05),
        (4.303, 2, 0.05),
        (2.776, 4, 0.05),
        (3.707, 6, 0.01),
        (2.228, 10, 0.05),
        (1.96, 1e5, 0.05),
    ],
)
def test_tails_of_students_distribution(t: float, degrees: float, tails: float) -> None:
    """From printed tables."""
    assert student_tails(t, degrees) == pytest.approx(tails, rel=2e-3)
    assert student_tails(0, degrees) == pytest.approx(1)


def test_means_of_several_seeds() -> None:
    """By Welch's test these have t = 2.45 and 3.67 with 4 degrees of freedom; the limit is 2.78."""
    assert not means_differ(Seeds(26.0, 0.5, 3), Seeds(25.0, 0.5, 3))
    assert means_differ(Seeds(26.5, 0.5, 3), Seeds(25.0, 0.5, 3))
    assert means_differ(Seeds(25.0, 0.5, 3), Seeds(26.5, 0.5, 3))
    # The same difference and sum of variances, but nearly all deviation in one: 2 degrees of freedom, limit 4.3.
    assert not means_differ(Seeds(26.5, 0.707, 3), Seeds(25.0, 0.01, 3))


@pytest.mark.parametrize(("above", "clearly"), [(975, True), (974, False), (1000, True), (25, False)])
def test_clearly_above_is_975_of_1000_samples(above: int, clearly: bool) -> None:
    """Level samples do not count as above."""
    first = np.where(np.arange(1000) < above, 2.0, 1.0)
    assert clearly_above(first, np.ones(1000)) is clearly


def test_seeds_without_any_deviation() -> None:
    assert means_differ(Seeds(26.0, 0.0, 2), Seeds(25.0, 0.0, 2))
    assert not means_differ(Seeds(25.0, 0.0, 2), Seeds(25.0, 0.0, 2))


def test_the_p_value_of_welch() -> None:
    """As printed tables have it for t = 2.776 and 4 degrees of freedom."""
    difference = 2.776 * (2 * 0.5**2 / 3) ** 0.5
    first, second = Seeds(25.0 + difference, 0.5, 3), Seeds(25.0, 0.5, 3)
    assert welch_p(first, second) == welch_p(second, first) == pytest.approx(0.05, rel=2e-3)


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


def test_equal_systems_do_not_differ() -> None:
    counts = np.arange(30)[:, None]
    assert paired_p(counts, counts, lambda sums: float(sums[0])) == 1


def test_pairing_finds_what_intervals_hide() -> None:
    """One system is a little better on most sentences; sentences differ far more than systems do."""
    rng = np.random.default_rng(0)
    hard = rng.integers(0, 100, 500)
    better = hard + (rng.random(500) < 0.1)
    first, second = (
        resampled_scores(counts[:, None], lambda sums: float(sums[0])) for counts in (better, hard)
    )
    assert np.percentile(first, 2.5) < np.percentile(second, 97.5)
    assert clearly_above(first, second)
    assert not clearly_above(second, first)
    assert not clearly_above(first, first)
