"""Repeating a training in as many processes as it had, counting its batches and translating again."""

import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import tiny
import torch
from made_artifacts import DECODING

from transformer.common.errors import UserError
from transformer.decoding.beam_search import BeamConfig
from transformer.inference.trained_model import TrainedModel
from transformer.model.device import device_name
from transformer.model.storage import save_model
from transformer.verification import repetition
from transformer.verification.artifacts import _counts, _weights
from transformer.verification.repetition import _decoding_check, processes_here

HERE = device_name(torch.device("cpu"))


@pytest.mark.parametrize(
    ("devices", "name", "expected"),
    [(2, HERE, 2), (4, HERE, 4), (5, HERE, 1), (2, "NVIDIA P100", 1), (1, "NVIDIA P100", 1)],
)
def test_as_many_processes_as_before_if_there_are_as_many_devices(
    devices: int, name: str, expected: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(os, "cpu_count", lambda: 4)
    assert processes_here({"devices": devices, "device_name": name}) == expected


def test_counting_a_run_that_is_older_than_buckets(tmp_path: Path) -> None:
    """Its config.json has no ``buckets_per_doubling``."""
    tiny.write_store(tmp_path / "tokenized/en-de/train")
    names = ("source_tokens", "target_tokens", "training_flops", "epochs")
    training = {"model": {"vocab_size": 20, **tiny.model_config()}, "steps": 2, **dict.fromkeys(names, 0)}
    content = {"training": training, "config": {"training": tiny.training_config()}}
    run: Any = SimpleNamespace(content=content, pair="en-de", path=Path)
    assert [check.what for check in _counts(run, tmp_path)] == list(names)


def test_a_mean_that_is_newer_than_its_training(tmp_path: Path) -> None:
    """The training's description lacks a field that models got later; another shape is still found."""
    model = tiny.model()
    save_model(tmp_path / "averaged", model, "0" * 64, steps=[])
    older = {key: value for key, value in model.config.to_dict().items() if key != "tied_softmax"}
    for changes, differs in (({}, False), ({"h": 5}, True)):
        content = {"training": {"model": older | changes, "checkpoints": []}}
        files = {"scores": "scores.json"}
        run: Any = SimpleNamespace(content=content, files=files, folder=tmp_path, path=tmp_path.joinpath)
        assert bool(next(_weights(run)).differs) == differs


@pytest.fixture
def translated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A run whose test set has one sentence, and a model that writes what it is and the sentence."""
    (tmp_path / "test.de").write_text("4 0.6 50 fp32: a dog\n")
    (tmp_path / "test.en").write_text("a dog\n")
    files = {"hypothesis": tmp_path / "test.de", "source": tmp_path / "test.en"}

    def read_model(folder: Path, subwords: Path, beam: BeamConfig, *_: Any, **options: Any) -> Any:
        says = f"{beam.beam_size} {beam.alpha} {beam.max_extra_tokens} {options.get('precision')}"
        return SimpleNamespace(translate=lambda lines: [f"{says}: {line}" for line in lines])

    monkeypatch.setattr(repetition, "read_model", read_model)
    monkeypatch.setattr(repetition, "weights_of", lambda run: tmp_path)
    monkeypatch.setattr(repetition, "files_of_scores", lambda *_: files)
    return SimpleNamespace(content={"scores": {"decoding": DECODING}}, pair="en-de", path=Path)


def test_translating_again_with_the_recorded_search(translated: Any, tmp_path: Path) -> None:
    assert _decoding_check(translated, "scores", tmp_path).differs == ""
    other = {**DECODING["search"], "precision": "bf16"}
    translated.content["scores"]["decoding"] = {"search": other}
    assert "1 of 1 lines are others" in _decoding_check(translated, "scores", tmp_path).differs
    del translated.content["scores"]["decoding"]
    assert "does not record the beam search" in _decoding_check(translated, "scores", tmp_path).differs


@pytest.mark.parametrize("installed", [False, True])
def test_translating_again_with_ctranslate2(
    translated: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, installed: bool
) -> None:
    """A run's own engine translates; where it is missing, that is said, and not that lines differ."""
    (tmp_path / "test.de").write_text("THEIRS: a dog\n")
    search, engine = DECODING["search"], {"name": "ctranslate2", "compute_type": "int8"}
    translated.content["scores"]["decoding"] = {"search": search, "engine": engine}

    def with_engine(trained: TrainedModel, compute_type: str) -> Any:
        assert compute_type == "int8"
        if not installed:
            raise UserError("the package ctranslate2 is not installed")
        return SimpleNamespace(translate=lambda lines: [f"THEIRS: {line}" for line in lines])

    monkeypatch.setattr(repetition, "with_ctranslate2", with_engine)
    check = _decoding_check(translated, "scores", tmp_path)
    said = "" if installed else "cannot be decoded again: the package ctranslate2 is not installed"
    assert check.differs.endswith(said)
    assert bool(check.differs) == bool(said)
