"""The score of a row over its seeds, and whether it differs from base's."""

from pathlib import Path

import pytest
from fake_runs import measure, write, write_sentences
from made_artifacts import write_perplexity

from transformer.common.errors import UserError
from transformer.common.files import file_record
from transformer.scoring.significance import EXCHANGES_PER_COMPARISON
from transformer.tables.cells import Cell, Source
from transformer.tables.render import mark_of
from transformer.tables.seed_means import score_cell, with_p_values
from transformer.tables.sentence_counts import paired_p_of, read_sentences


def scores(*rows: tuple[str, int, float, int]) -> dict[str, Cell]:
    """Cells by run, of (run, seed, BLEU, matched n-grams of each sentence), with files of sentences."""
    sources: dict[str, list[Source]] = {}
    for run, seed, value, matched in rows:
        write_sentences(Path(f"{run}-{seed}.csv"), matched)
        write_scores(Path(f"{run}-{seed}.csv"), 40)
        source = Source(f"{run}-{seed}.json", "value", "abc", value, seed, value - 1, value + 1)
        sources.setdefault(run, []).append(source)
    return {run: score_cell("bleu", of_run) for run, of_run in sources.items()}


def write_scores(sentences: Path, count: int) -> None:
    """What score_bleu.py writes beside a file of sentences."""
    figures = {"headline": "sacrebleu", "measures": {"sacrebleu": measure(20.0)}, "files": {}}
    content = {
        "format": 2,
        "language": "de",
        "sentences": count,
        **figures,
        "per_sentence": file_record(sentences),
    }
    write(sentences.with_suffix(".json"), content)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_single_trainings_are_tested_on_their_sentences() -> None:
    found = scores(("mine", 1, 30.0, 11), ("base", 1, 20.0, 9), ("same", 1, 20.0, 9))
    cells = with_p_values(found, "base", found)
    p = cells["mine"].p
    assert p is not None
    assert p < 0.002
    assert cells["mine"].p_holm == 2 * p  # the first of two comparisons
    assert mark_of(cells["mine"])
    assert not mark_of(Cell("", p=0.03, p_holm=0.06))
    assert (cells["same"].p, cells["same"].p_holm) == (1, 1)
    assert (cells["base"].p, cells["base"].p_holm) == (None, None)
    assert with_p_values(found, "none", found)["mine"].p is None


def test_more_comparisons_have_more_exchanges(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that the correction for their number leaves a large difference its mark."""
    monkeypatch.setattr("transformer.scoring.significance.EXCHANGES", 2)
    rows = [("base", 1, 20.0, 9), ("mine", 1, 30.0, 11), *((f"same{n}", 1, 20.0, 9) for n in range(4))]
    found = scores(*rows)
    p = with_p_values(found, "base", found)
    assert p["mine"].p == 1 / (5 * EXCHANGES_PER_COMPARISON + 1)
    assert mark_of(p["mine"])
    assert not mark_of(p["same1"])


def test_another_test_set_is_refused() -> None:
    found = scores(("base", 1, 20.0, 9), ("mine", 1, 30.0, 9))
    lines = Path("mine-1.csv").read_text().splitlines(keepends=True)
    Path("mine-1.csv").write_text("".join(lines[:-1]))
    write_scores(Path("mine-1.csv"), 39)
    with pytest.raises(UserError, match="mine-1.csv has 39 sentences, but base-1.csv has 40"):
        with_p_values(found, "base", found)


def test_perplexity_is_tested_on_the_sentences_of_the_development_set() -> None:
    """Each of the ten is less likely to the second model; exchanges of all or none leave as large a difference."""
    for name, value in (("a", 5.0), ("b", 6.0)):
        write_perplexity(Path(name, "perplexity.json"), dev=value, test=9.0)
    first, second = (read_sentences(Path(name, "perplexity.csv")) for name in ("a", "b"))
    assert paired_p_of(first, second) < 0.01
    assert paired_p_of(first, first) == 1
