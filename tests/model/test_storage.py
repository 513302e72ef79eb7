"""A model is loaded as it was saved, and any other file ends in one line."""

import errno
import stat
from pathlib import Path
from unittest.mock import Mock

import pytest
import tiny
import torch
from made_artifacts import change

from transformer.common.errors import UserError
from transformer.model.storage import load_model, load_tensors, save_model, save_tensors


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


def test_file_modes_follow_the_umask(saved: Path) -> None:
    modes = {stat.S_IMODE(path.stat().st_mode) for path in saved.iterdir()}
    (saved / "plain").touch()
    assert modes == {stat.S_IMODE((saved / "plain").stat().st_mode)}


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


def test_missing_files(saved: Path) -> None:
    (saved / "model.safetensors").unlink()
    with pytest.raises(UserError, match=r"model\.safetensors: no such file"):
        load_model(saved)
    with pytest.raises(UserError, match=r"model\.json: no such file"):
        load_model(saved / "nowhere")


def test_weights_that_cannot_be_read(saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = saved / "model.safetensors"
    with monkeypatch.context() as patch:
        patch.setattr("builtins.open", Mock(side_effect=PermissionError(errno.EACCES, "denied", str(path))))
        with pytest.raises(UserError, match=f"{path}: denied; check the permissions"):
            load_tensors(path)
    path.unlink()
    path.mkdir()
    with pytest.raises(UserError, match="Is a directory; name a file"):
        load_tensors(path)


@pytest.mark.parametrize("text", ["[]", "{}", "{"])
def test_another_description(saved: Path, text: str) -> None:
    (saved / "model.json").write_text(text)
    with pytest.raises(UserError, match="not a model description of format 1"):
        load_model(saved)


@pytest.mark.parametrize("config", [{}, [1], {"layers": 3}, tiny.model_config(vocab_size=20, N=0)])
def test_an_invalid_config(saved: Path, config: object) -> None:
    change(saved / "model.json", config=config)
    with pytest.raises(UserError, match="not a valid config"):
        load_model(saved)


def test_a_failed_write_leaves_the_old_file(saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = load_tensors(saved / "model.safetensors")["embedding"].clone()
    with pytest.raises(UserError, match="could not be written"):
        tiny.with_file_size_limit(
            1000, lambda: save_tensors(saved / "model.safetensors", {"x": torch.zeros(1000)})
        )
    assert torch.equal(load_tensors(saved / "model.safetensors")["embedding"], before)
    assert sorted(path.name for path in saved.iterdir()) == ["model.json", "model.safetensors"]
