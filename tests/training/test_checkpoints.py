"""Checkpoints that are written in the background, and moments that are written more rarely than weights."""

import dataclasses
import threading
from pathlib import Path
from typing import Any

import pytest
import tiny
import torch

from transformer.common.files import write_json
from transformer.dataset.tokenized import TokenizedDataset
from transformer.model.transformer import Transformer
from transformer.settings.run_settings import TransformerConfig
from transformer.training import checkpoints as module
from transformer.training.checkpoints import Checkpoints, folder_of


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
    plain, may_write = module.save_tensors, threading.Event()

    def slow(*arguments: Any) -> None:
        assert may_write.wait(60)
        plain(*arguments)

    monkeypatch.setattr(module, "save_tensors", slow)
    before = {name: weight.clone() for name, weight in run.model.state_dict().items()}
    run.checkpoints.save(run.model, run.optimizer, run.state)
    run.train_step(next(work))
    may_write.set()
    run.checkpoints.wait()
    model = Transformer(TransformerConfig(vocab_size=20, **tiny.model_config(N=1)))
    state = Checkpoints(tmp_path, 2).restore(model, torch.optim.Adam(model.parameters()))
    assert state.step == 1
    for name, weight in model.state_dict().items():
        assert torch.equal(weight, before[name])


def test_the_newest_of_several_folders_of_one_training_goes_on(tmp_path: Path) -> None:
    """An earlier version gave it another name."""
    settings = {"training": {"steps": 4, "seed": 1}}
    for name, step in (("a" * 12, 4), ("b" * 12, 2)):
        (tmp_path / name / f"step-{step:07}").mkdir(parents=True)
        write_json(tmp_path / name / "settings.json", settings)
    assert folder_of(tmp_path, settings).name == "a" * 12


def test_what_a_kill_left_is_removed(tmp_path: Path, store: TokenizedDataset) -> None:
    """Before a checkpoint is written or deleted, which happens in the same folder."""
    run = tiny.trainer(tmp_path, store)
    run.train()
    (tmp_path / ".unfinished").mkdir()
    (tmp_path / ".unfinished" / "optimizer.safetensors").touch()
    run.checkpoints.save(run.model, run.optimizer, dataclasses.replace(run.state, step=8))
    run.checkpoints.wait()
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "metrics.jsonl",
        "settings.json",
        "step-0000006",
        "step-0000008",
    ]


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
