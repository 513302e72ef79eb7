"""A model is loaded as it was saved, and any other file ends in one line."""

from pathlib import Path

import pytest
import tiny
import torch
from made_artifacts import change

from transformer.common.errors import UserError
from transformer.model.storage import load_model, save_model, save_tensors


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    save_model(tmp_path, tiny.model(), "a" * 64, "fp32", steps=[1, 2])
    return tmp_path


def test_round_trip(saved: Path) -> None:
    model, info = load_model(saved, "a" * 64)
    source, target = tiny.tokens(2, 4), tiny.tokens(2, 3)
    assert torch.equal(model(source, target), tiny.model()(source, target))
    assert info["steps"] == [1, 2]


def test_the_same_model_gives_the_same_bytes(saved: Path, tmp_path: Path) -> None:
    save_model(tmp_path / "again", tiny.model(), "a" * 64, "fp32", steps=[1, 2])
    for name in ("model.safetensors", "model.json"):
        assert (saved / name).read_bytes() == (tmp_path / "again" / name).read_bytes()


def test_another_vocabulary(saved: Path) -> None:
    with pytest.raises(UserError, match=r"another vocabulary \(sha256 a{12}"):
        load_model(saved, "b" * 64)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"d_ff": 21}, "holds another model: .*W_1"),
        ({"N": 1}, r"decoder\.1.* is missing there"),
        ({"seed": 1}, r"model\.safetensors: not the file that was written: .*/model\.json has"),
    ],
)
def test_weights_of_another_model(saved: Path, changes: dict[str, int], message: str) -> None:
    save_tensors(saved / "model.safetensors", tiny.model(**changes).state_dict())
    with pytest.raises(UserError, match=message):
        load_model(saved)


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({}, "missing key 'vocab_size'"),
        ([1], r"the content is \[1\]; it must be a valid dictionary"),
        ({"layers": 3}, "unknown key 'layers'"),
        (tiny.model_config(vocab_size=20, N=0), "N is 0; it must be greater than or equal to 1"),
    ],
)
def test_an_invalid_config(saved: Path, config: object, message: str) -> None:
    change(saved / "model.json", config=config)
    with pytest.raises(UserError, match=f"model.json: {message}.*; delete it and run Snakemake again"):
        load_model(saved)
