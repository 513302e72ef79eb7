"""Checkpoints that are written in the background, and moments that are written more rarely than weights."""

import dataclasses
import json
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import tiny
import torch
from made_artifacts import change

from transformer.common.errors import UserError
from transformer.common.files import sha256_of, write_json
from transformer.dataset.tokenized import TokenizedDataset
from transformer.model.config import TransformerConfig
from transformer.model.storage import load_tensors
from transformer.model.transformer import Transformer
from transformer.training import checkpoints as module
from transformer.training.checkpoints import Checkpoints, TrainingState, fingerprint


def with_moments(folder: Path) -> list[str]:
    return sorted(path.parent.name for path in folder.glob("*/optimizer.safetensors"))


def test_moments_are_written_rarely_and_a_resume_ends_the_same(
    tmp_path: Path, store: TokenizedDataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    tiny.trainer(tmp_path / "whole", store, steps=10).train()
    monkeypatch.setattr(module, "MOMENTS_SHARE", 0.0)  # only the first and the last checkpoint may have them

    def kill(step: int) -> None:
        run = tiny.trainer(tmp_path / "parts", store, steps=10)
        for work in run.work():
            if work.position.step == step:
                run.checkpoints.wait()
                return
            run.train_step(work)
            run._save_if_due()

    kill(step=7)
    assert with_moments(tmp_path / "parts") == ["step-0000002"]
    names = {path.name for path in Checkpoints(tmp_path / "parts", 2).kept()}
    assert names == {"step-0000004", "step-0000006"}
    kill(step=6)  # resumes after step 2, and writes step 4 again
    assert with_moments(tmp_path / "parts") == ["step-0000004"]
    tiny.trainer(tmp_path / "parts", store, steps=10).train()
    kept = [Checkpoints(tmp_path / name, 2).kept() for name in ("whole", "parts")]
    assert [path.name for path in kept[0]] == [path.name for path in kept[1]]
    for one, other in zip(*kept, strict=True):
        assert sha256_of(one / "model.safetensors") == sha256_of(other / "model.safetensors")
    last = [sha256_of(paths[-1] / "optimizer.safetensors") for paths in kept]
    assert last[0] == last[1]


def test_checkpoints_later_than_the_one_resumed(
    tmp_path: Path, store: TokenizedDataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They belong to a course that was abandoned, and are not published with those of the course that is trained."""
    monkeypatch.setattr(module, "MOMENTS_SHARE", 0.0)  # only the first has moments
    run = tiny.trainer(tmp_path, store, steps=10)
    for work in run.work():
        if work.position.step == 7:
            break
        run.train_step(work)
        run._save_if_due()
    run.checkpoints.wait()
    resumed = tiny.trainer(tmp_path, store, steps=2)
    assert [path.name for path in resumed.checkpoints.kept()] == ["step-0000004", "step-0000006"]
    resumed.train()
    assert [path.name for path in resumed.checkpoints.kept()] == ["step-0000002"]


def test_folders_that_are_no_checkpoints_are_left_alone(tmp_path: Path, store: TokenizedDataset) -> None:
    own = ("step-0000002-backup", "step-two", "stops")
    for name in own:
        (tmp_path / name).mkdir()
    tiny.trainer(tmp_path, store, steps=6).train()
    assert [path.name for path in Checkpoints(tmp_path, 2).kept()] == ["step-0000004", "step-0000006"]
    assert all((tmp_path / name).is_dir() for name in own)


def test_training_continues_while_a_checkpoint_is_written(
    tmp_path: Path, store: TokenizedDataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is written is the state at the time of the call, not that of later steps."""
    run = tiny.trainer(tmp_path, store)
    work = run.work()
    run.train_step(next(work))
    plain = module.save_tensors

    def slow(*arguments: Any) -> None:
        time.sleep(0.3)
        plain(*arguments)

    monkeypatch.setattr(module, "save_tensors", slow)
    before = {name: weight.clone() for name, weight in run.model.state_dict().items()}
    started = time.monotonic()
    run.checkpoints.save(run.model, run.optimizer, run.state, on_schedule=True)
    assert time.monotonic() - started < 0.2
    run.train_step(next(work))
    run.checkpoints.wait()
    model = Transformer(TransformerConfig(vocab_size=20, **tiny.model_config(N=1)))
    state = Checkpoints(tmp_path, 2).restore(model, torch.optim.Adam(model.parameters()))
    assert state.step == 1
    for name, weight in model.state_dict().items():
        assert torch.equal(weight, before[name])


def test_moments_of_other_shapes(tmp_path: Path, store: TokenizedDataset) -> None:
    """A file that is whole and belongs to another model; its sha256 is that of the description."""
    tiny.trainer(tmp_path, store, steps=2).train()
    (folder,) = Checkpoints(tmp_path, 2).kept()
    moments = load_tensors(folder / "optimizer.safetensors")
    name = next(name for name in moments if name.endswith("W_1.weight.exp_avg"))
    moments[name] = moments[name].T.contiguous()
    module.save_tensors(folder / "optimizer.safetensors", moments)
    sums = {path.name: sha256_of(path) for path in folder.glob("*.safetensors")}
    change(folder / "training_state.json", sha256=sums)
    with pytest.raises(UserError, match="training_state.json: not a checkpoint of format"):
        tiny.trainer(tmp_path, store, steps=2)


def test_an_error_in_the_background_ends_training(
    tmp_path: Path, store: TokenizedDataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*arguments: Any) -> None:
        raise UserError("model.safetensors: could not be written; is the disk full?")

    monkeypatch.setattr(module, "save_tensors", broken)
    with pytest.raises(UserError, match="is the disk full"):
        tiny.trainer(tmp_path, store).train()


def test_an_error_in_the_background_is_raised_by_the_next_save(
    tmp_path: Path, store: TokenizedDataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also if that one would succeed; and the folder may be missing with the one around it."""
    run = tiny.trainer(tmp_path, store)
    run.train_step(next(run.work()))
    checkpoints = Checkpoints(tmp_path / "new" / "folder", 2)
    plain = module.save_tensors

    def broken(*arguments: Any) -> None:
        raise UserError("is the disk full?")

    def save() -> None:
        checkpoints.save(run.model, run.optimizer, run.state, on_schedule=True)

    monkeypatch.setattr(module, "save_tensors", broken)
    save()
    while checkpoints._writing is not None and not checkpoints._writing.done():
        time.sleep(0.01)
    monkeypatch.setattr(module, "save_tensors", plain)
    with pytest.raises(UserError, match="is the disk full"):
        save()
    save()
    checkpoints.wait()
    assert [path.name for path in checkpoints.kept()] == ["step-0000001"]


def test_how_rarely_moments_are_written(
    tmp_path: Path, store: TokenizedDataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The longer they took, the rarer: writing them may take MOMENTS_SHARE of the time since the last time."""
    now = 1000.0

    def save_tensors(path: Path, tensors: Any) -> None:
        nonlocal now
        plain(path, tensors)
        now += 6.0 if path.name == "optimizer.safetensors" else 0.0

    plain = module.save_tensors
    monkeypatch.setattr(module, "save_tensors", save_tensors)
    monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: now))
    run = tiny.trainer(tmp_path, store)
    run.train_step(next(run.work()))
    assert module.MOMENTS_SHARE * 120 == 6

    def save(step: int, last: bool = False) -> list[str]:
        run.state.step = step
        run.checkpoints.save(run.model, run.optimizer, run.state, on_schedule=True, last=last)
        run.checkpoints.wait()
        return with_moments(tmp_path)

    assert save(1) == ["step-0000001"]
    now += 119
    assert save(2) == ["step-0000001"]
    now += 1
    assert save(3) == ["step-0000003"]
    assert save(4) == ["step-0000003"]
    assert save(5, last=True) == ["step-0000005"]
    assert [path.name for path in run.checkpoints.kept()] == ["step-0000004", "step-0000005"]
    now += 120
    assert save(6) == ["step-0000006"]  # and those of step 5, which is kept, are gone


def test_what_differs_from_another_training(tmp_path: Path) -> None:
    def settings(**training: Any) -> dict[str, Any]:
        return {
            "model": {"N": 1},
            "training": {"seed": 1} | training,
            "data": {"train.json": "0"},
            "version": 2,
        }

    for name, differing in (
        ("a", settings(warmup_steps=4)),
        ("b", settings(seed=3) | {"data": {"train.json": "1"}}),
    ):
        (tmp_path / name / "step-0000012").mkdir(parents=True)
        write_json(tmp_path / name / "settings.json", differing)
    found = Checkpoints(tmp_path / "c", 2, settings()).other_runs()
    assert found == [
        (12, ["training.warmup_steps 4 instead of None"]),
        (12, ["data.train.json", "training.seed 3 instead of 1"]),
    ]
    for damaged in ("[]", "{"):  # it only says why training begins again
        (tmp_path / "a" / "settings.json").write_text(damaged)
        first, _ = Checkpoints(tmp_path / "c", 2, settings()).other_runs()
        assert (first[0], first[1][0]) == (12, "data.train.json")
    (tmp_path / "c" / "step-0000001").mkdir(parents=True)
    assert Checkpoints(tmp_path / "c", 2, settings()).other_runs() == []
    (tmp_path / "b" / "settings.json").unlink()
    _, second = Checkpoints(tmp_path / "d", 2, settings()).other_runs()[1]
    assert second[:2] == ["data.train.json", "model.N None instead of 1"]


def test_a_fingerprint_does_not_depend_on_the_order_of_settings() -> None:
    assert fingerprint({"a": 1, "b": {"c": 2, "d": 3}}) == fingerprint({"b": {"d": 3, "c": 2}, "a": 1})
    assert fingerprint({"a": 1}) != fingerprint({"a": 2})
    assert len(fingerprint({})) == 12


def test_without_a_checkpoint_a_training_begins_with_nothing(tmp_path: Path, store: TokenizedDataset) -> None:
    assert set(dataclasses.astuple(tiny.trainer(tmp_path, store).state)) == {0}


def test_adam_counts_no_step_that_was_skipped(tmp_path: Path, store: TokenizedDataset) -> None:
    run = tiny.trainer(tmp_path, store)
    run.train_step(next(run.work()))
    run.state = TrainingState(step=5, skipped=2)
    run.checkpoints.save(run.model, run.optimizer, run.state, on_schedule=True, last=True)
    resumed = tiny.trainer(tmp_path, store)
    assert {float(state["step"]) for state in resumed.optimizer.state.values()} == {3.0}


def test_a_lost_file_of_moments(tmp_path: Path, store: TokenizedDataset) -> None:
    """The message names the newest checkpoint."""
    tiny.trainer(tmp_path, store, keep_checkpoints=3).train()
    (tmp_path / "step-0000006" / "optimizer.safetensors").unlink()
    with pytest.raises(UserError, match=r"step-0000006.*no such file"):
        tiny.trainer(tmp_path, store)


@pytest.mark.parametrize("skipped", [0, 6])
def test_a_state_that_can_be(tmp_path: Path, store: TokenizedDataset, skipped: int) -> None:
    """All steps may have been skipped."""
    tiny.trainer(tmp_path, store).train()
    change(tmp_path / "step-0000006" / "training_state.json", skipped=skipped)
    assert tiny.trainer(tmp_path, store).state.skipped == skipped


@pytest.mark.parametrize("changes", [{"step": 5}, {"skipped": 7}, {"format": 5}, {"format": 3}])
def test_a_state_that_cannot_be(tmp_path: Path, store: TokenizedDataset, changes: dict[str, int]) -> None:
    """Of another step, with more steps skipped than made, or of another format; its own checksum is right."""
    tiny.trainer(tmp_path, store).train()
    change(tmp_path / "step-0000006" / "training_state.json", **changes)
    with pytest.raises(UserError, match=r"training_state\.json: .*not a checkpoint of format 4; delete"):
        tiny.trainer(tmp_path, store)


def test_a_state_without_sums(tmp_path: Path, store: TokenizedDataset) -> None:
    tiny.trainer(tmp_path, store).train()
    path = tmp_path / "step-0000006" / "training_state.json"
    content = json.loads(path.read_text())
    del content["sha256"], content["content_sha256"]
    write_json(path, content)
    with pytest.raises(UserError, match=r"training_state\.json.*not a checkpoint of format 4; delete"):
        tiny.trainer(tmp_path, store)


def test_what_a_kill_left_is_removed(tmp_path: Path, store: TokenizedDataset) -> None:
    """Before a checkpoint is deleted or written, which happens in the same folder."""
    run = tiny.trainer(tmp_path, store)
    run.train()
    for step in (7, 3):  # 3 deletes the later ones, as after a resume from an older checkpoint
        (tmp_path / ".unfinished").mkdir()
        (tmp_path / ".unfinished" / "optimizer.safetensors").touch()
        run.checkpoints.save(
            run.model, run.optimizer, dataclasses.replace(run.state, step=step), on_schedule=True
        )
        run.checkpoints.wait()
        assert not (tmp_path / ".unfinished").exists()
    assert [path.name for path in tmp_path.glob("st*")] == ["step-0000003"]


def test_a_checkpoint_is_on_the_disk_before_it_counts(
    tmp_path: Path, store: TokenizedDataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its folder is synced before it gets its name, and the folder around it afterwards."""
    synced: list[tuple[str, list[str]]] = []

    def sync(path: Path) -> None:
        synced.append((path.name, sorted(folder.name for folder in tmp_path.glob("st*-*"))))

    monkeypatch.setattr(module, "sync", sync)
    tiny.trainer(tmp_path, store, steps=2).train()
    assert synced == [(".unfinished", []), (tmp_path.name, ["step-0000002"])]
