"""A model of ours and its export for CTranslate2 are the same function; ``translate.py --engine ctranslate2``."""

import importlib.util
from pathlib import Path
from typing import Any

import pytest
import reversing
import tiny
import torch

from transformer.common.errors import UserError
from transformer.decoding import translate
from transformer.decoding.beam_search import BeamConfig
from transformer.decoding.trained_model import TrainedModel
from transformer.export.ctranslate2_engine import CTranslate2Model, save_ctranslate2, with_ctranslate2
from transformer.export.fast_tokenizer import entry_names
from transformer.model.storage import save_model
from transformer.model.transformer import shift_right
from transformer.subwords.subwords import load_subwords


@pytest.fixture
def ctranslate2() -> Any:
    return pytest.importorskip(
        "ctranslate2", reason="the packages of requirements-export.lock are not installed"
    )


@pytest.fixture
def options(tiny_run: Path, tmp_path: Path) -> list[object]:
    subwords = load_subwords(tiny_run / "subwords.model")
    save_model(tmp_path / "model", tiny.model(subwords.vocab_size, d_v=4), subwords.sha256)
    (tmp_path / "in").write_text("a dog runs\n\nbirds sing\n")
    model = ["--model", tmp_path / "model", "--subwords", tiny_run / "subwords.model"]
    files = ["--input", tmp_path / "in", "--output", tmp_path / "out"]
    return [*model, *files, "--engine", "ctranslate2", "--max-extra-tokens", 3]


def test_the_search_is_nearly_ours_without_a_length_penalty(ctranslate2: Any) -> None:
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


def test_lines_stay_lines(ctranslate2: Any, options: list[object], tmp_path: Path) -> None:
    assert tiny.run(translate.main, *options) == 0
    lines = (tmp_path / "out").read_text().split("\n")
    assert len(lines) == 4
    assert lines[1] == ""


def test_a_sentence_past_the_positions(ctranslate2: Any) -> None:
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


def exported(model: Any, folder: Path, ctranslate2: Any) -> tuple[Any, list[str]]:
    """CTranslate2's model in fp32, and the names of its tokens."""
    pieces = ["<pad>", "</s>", "<unk>", *(f"p{id}" for id in range(3, model.config.vocab_size))]
    save_ctranslate2(model, pieces, folder)
    translator = ctranslate2.Translator(str(folder), compute_type="float32", intra_threads=1)
    return translator, entry_names(pieces, model.config.embedding_rows)


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"positions": "halves", "target_space": True, "attention_bias": True, "vocabulary_rows": 30},
        {"positions": "learned", "tied_softmax": False},
    ],
    ids=["paper", "authors' code", "learned positions"],
)
def test_log_probabilities_are_equal(ctranslate2: Any, changes: dict[str, Any], tmp_path: Path) -> None:
    """Up to 1e-4."""
    model = tiny.model(20, d_v=4, **changes)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.05 * torch.randn_like(parameter))
    translator, names = exported(model, tmp_path, ctranslate2)
    source, target = tiny.tokens(6, 9), tiny.tokens(6, 8, seed=1)
    target[:, -1] = 1  # EOS, which CTranslate2 adds itself
    with torch.no_grad():
        log_p = model(source, shift_right(target)).log_softmax(-1).gather(2, target[..., None])[..., 0]
    scores = translator.score_batch(
        [[names[id] for id in row] for row in source.tolist()],
        [[names[id] for id in row[:-1]] for row in target.tolist()],
    )
    found = torch.tensor([score.log_probs for score in scores])
    torch.testing.assert_close(found, log_p, atol=1e-4, rtol=0)
