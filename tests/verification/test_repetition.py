"""Repeating a training in as many processes as it had."""

import os

import pytest
import torch

from transformer.model.device import device_name
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
