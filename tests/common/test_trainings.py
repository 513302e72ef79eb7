"""What is said of the weights of runs: nothing, unless other code or more than one precision made them."""

import shutil
from pathlib import Path
from typing import Any

import pytest
from made_artifacts import write_timing

from transformer.common import code_hash, trainings
from transformer.common.artifacts import write_artifact
from transformer.common.trainings import model_code, notes_on_trainings

SOURCE = Path(trainings.__file__).parents[1]
RUN = Path("results/demo/runs/base/en-de")


def part(**changes: Any) -> dict[str, Any]:
    facts = {"devices": 1, "device_name": "Epyc", "hardware": "x", "threads": 1, "precision": "bf16"}
    return {"steps": 20, "seconds": 5.0, **facts, "code": model_code()} | changes


def notes(folder: Path, *stretches: dict[str, Any]) -> list[str]:
    write_artifact(folder / RUN / "timing.json", {"wall_seconds": 9, "stretches": [*stretches]})
    return notes_on_trainings([folder / RUN])


def test_nothing_is_said_of_weights_that_the_present_code_trained(tmp_path: Path) -> None:
    assert notes(tmp_path, part()) == notes(tmp_path, part(), part(device_name="another")) == []


def test_nothing_is_said_of_what_was_not_recorded(tmp_path: Path) -> None:
    assert notes_on_trainings([tmp_path / RUN]) == []
    write_timing(tmp_path / RUN)  # as published before
    assert notes_on_trainings([tmp_path / RUN]) == []
    assert notes(tmp_path, {"steps": 20, "seconds": 5.0}, part()) == []


def test_other_code_is_said_once_for_all_runs(tmp_path: Path) -> None:
    (said,) = notes(tmp_path, part(code="0" * 16))
    assert said.startswith(
        "The code that computes the model has changed since these were trained: base en-de. "
    )
    other = tmp_path / RUN.parent / "en-fr"
    write_artifact(other / "timing.json", {"wall_seconds": 9, "stretches": [part(), part(code="1" * 16)]})
    (said,) = notes_on_trainings([tmp_path / RUN, other, other])
    assert "base en-de, base en-fr. " in said


def test_more_than_one_precision_is_said(tmp_path: Path) -> None:
    (said,) = notes(tmp_path, part(), part(precision="fp32", steps=30))
    assert (
        said == "base en-de was trained in more than one precision: 20 steps in bf16, then 30 steps in fp32."
    )


@pytest.mark.parametrize(
    ("file", "old", "new", "same"),
    [
        ("model/attention.py", "", "# a comment\n", True),
        ("model/attention.py", "math.sqrt(", "1.0 * math.sqrt(", False),
        ("model/layers.py", "", "edited = 1\n", False),
        ("decoding/incremental.py", "", "edited = 1\n", False),
        ("model/config.py", "", "edited = 1\n", True),
        ("training/trainer.py", "", "edited = 1\n", True),
    ],
)
def test_what_changes_the_hash_of_the_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str, old: str, new: str, same: bool
) -> None:
    before = model_code()
    for folder in ("model", "decoding", "training"):
        shutil.copytree(SOURCE / folder, tmp_path / folder)
    path = tmp_path / file
    text = path.read_text() if path.exists() else ""
    assert old in text
    path.write_text(text.replace(old, new, 1) if old else text + new)
    monkeypatch.setattr(trainings, "LIBRARY", tmp_path)
    model_code.cache_clear()
    try:
        assert (model_code() == before) == same
    finally:
        model_code.cache_clear()
        code_hash._tree.cache_clear()
