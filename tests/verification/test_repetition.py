"""Repeating a training in as many processes as it had, and counting its batches again."""

import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import tiny
import torch

from transformer.model.device import device_name
from transformer.verification.artifacts import _counts
from transformer.verification.repetition import processes_here

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
