"""``src/transformer/decoding/translate.py --engine ctranslate2``."""

import importlib.util
from pathlib import Path
from typing import Any

import pytest
import reversing
import tiny

from transformer.common.errors import UserError
from transformer.decoding import translate
from transformer.decoding.beam_search import BeamConfig
from transformer.decoding.trained_model import TrainedModel
from transformer.export.ctranslate2_engine import CTranslate2Model, with_ctranslate2
from transformer.model.storage import save_model
from transformer.subwords.subwords import load_subwords

EXTRA = "the packages of requirements-export.lock are not installed"


@pytest.fixture
def options(tiny_run: Path, tmp_path: Path) -> list[object]:
    subwords = load_subwords(tiny_run / "subwords.model")
    save_model(tmp_path / "model", tiny.model(subwords.vocab_size, d_v=4), subwords.sha256)
    (tmp_path / "in").write_text("a dog runs\n\nbirds sing\n")
    return [
        "--model", tmp_path / "model", "--subwords", tiny_run / "subwords.model", "--input", tmp_path / "in",
        "--output", tmp_path / "out", "--engine", "ctranslate2", "--max-extra-tokens", 3,
    ]  # fmt: skip


def test_the_search_is_nearly_ours_without_a_length_penalty() -> None:
    pytest.importorskip("ctranslate2", reason=EXTRA)
    vocabularies: Any = None  # the search has no use for them
    trained = TrainedModel(
        reversing.reversing_model(), vocabularies, BeamConfig(4, 0.0, 10), batch_tokens=100
    )
    sources = [row for length in (5, 3, 4) for row in reversing.sentences(9, length, seed=99).tolist()]
    sources.insert(4, [])
    counts: list[int] = []
    found = with_ctranslate2(trained, "float32").search(sources, counts.append)
    ours = trained.search(sources)
    # Not all: CTranslate2 ends a search sooner, which matters where the model is not sure.
    assert sum(theirs == own for theirs, own in zip(found, ours, strict=True)) >= 0.8 * len(sources)
    assert found[4] == []
    assert sum(counts) == len(sources) - 1
    assert len(counts) > 2  # batches


def test_its_report_has_the_numbers_of_ctranslate2_and_not_the_precision_of_torch() -> None:
    vocabularies: Any = None
    trained = CTranslate2Model(tiny.model(20), vocabularies, BeamConfig(3, 0.5, 7), 100, compute_type="int16")
    assert trained.decoding() == {
        "search": {"beam_size": 3, "alpha": 0.5, "max_extra_tokens": 7},
        "engine": {"name": "ctranslate2", "compute_type": "int16"},
    }


def test_lines_stay_lines(options: list[object], tmp_path: Path) -> None:
    pytest.importorskip("ctranslate2", reason=EXTRA)
    assert tiny.run(translate.main, *options) == 0
    lines = (tmp_path / "out").read_text().split("\n")
    assert len(lines) == 4
    assert lines[1] == ""


def test_a_sentence_past_the_positions(tiny_run: Path) -> None:
    pytest.importorskip("ctranslate2", reason=EXTRA)
    vocabularies: Any = None
    trained = TrainedModel(tiny.model(20, d_v=4), vocabularies, BeamConfig(4, 0.6, 10), batch_tokens=10_000)
    with pytest.raises(UserError, match="it can have at most 1023"):
        with_ctranslate2(trained, "int8").search([[3] * 1024])


def test_without_the_extra(
    options: list[object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == "ctranslate2" else found(name)
    )
    assert tiny.run(translate.main, *options) == 1
    assert "pip install -r requirements-export.lock" in tiny.the_error(capsys.readouterr().err)
    assert not (tmp_path / "out").exists()
