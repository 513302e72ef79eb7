"""Averaged weights are the mean of checkpoints of one model."""

from pathlib import Path

import pytest
import tiny
import torch
from made_artifacts import write_training

from transformer.common.artifacts import write_artifact
from transformer.common.files import sha256_of
from transformer.model.storage import load_model, save_tensors
from transformer.training import average_checkpoints
from transformer.training.average_checkpoints import average


def test_mean(tmp_path: Path) -> None:
    torch.manual_seed(0)
    weights = [torch.randn(3, 4) for _ in range(5)]
    paths = [tmp_path / f"{number}.safetensors" for number in range(5)]
    for path, weight in zip(paths, weights, strict=True):
        save_tensors(path, {"w": weight})
    mean = average(paths)["w"]
    assert torch.equal(mean, torch.stack(weights).double().mean(0).float())
    assert torch.equal(average(paths[:1])["w"], weights[0])


@pytest.fixture
def trained(tmp_path: Path) -> Path:
    """A training.json with three checkpoints."""
    checkpoints = []
    for step in (1, 2, 3):
        path = tmp_path / f"{step}.safetensors"
        save_tensors(path, tiny.model(seed=step).state_dict())
        checkpoints.append({"step": step, "path": path.name, "sha256": sha256_of(path)})
    write_artifact(tmp_path / "config.json", tiny.run_config())
    config = tiny.model().config.to_dict()
    write_training(tmp_path, model=config, vocabulary_sha256="a" * 64, checkpoints=checkpoints)
    return tmp_path / "training.json"


def test_the_last_are_averaged(trained: Path, tmp_path: Path) -> None:
    output = tmp_path / "averaged"
    assert tiny.run(average_checkpoints.main, "--training", trained, "--last", 2, "--output", output) == 0
    model, info = load_model(output)
    assert info["steps"] == [2, 3]
    assert info["vocabulary_sha256"] == "a" * 64
    mean = (tiny.model(seed=2).embedding + tiny.model(seed=3).embedding) / 2
    torch.testing.assert_close(model.embedding, mean)


@pytest.mark.parametrize("last", [0, 4])
def test_what_cannot_be_averaged(trained: Path, tmp_path: Path, last: int) -> None:
    options = ["--training", trained, "--last", last, "--output", tmp_path / "averaged"]
    assert f"has 3 checkpoints, but --last is {last}" in tiny.error("average_checkpoints", *options)
    assert not (tmp_path / "averaged").exists()


def test_a_changed_checkpoint(trained: Path, tmp_path: Path) -> None:
    save_tensors(tmp_path / "2.safetensors", tiny.model(seed=9).state_dict())
    options = ["--training", trained, "--last", 2, "--output", tmp_path / "averaged"]
    error = tiny.error("average_checkpoints", *options)
    assert "2.safetensors: not the file that was written" in error
    assert error.endswith(f"delete {trained} and train again")
    (tmp_path / "2.safetensors").unlink()
    assert "2.safetensors: no such file, though" in tiny.error("average_checkpoints", *options)
