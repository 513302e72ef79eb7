"""Devices for all processes of a training, and what one says when another is lost."""

import time
from typing import Literal

import pytest
import torch
import torch.distributed as dist

from transformer.common.errors import UserError
from transformer.training.distributed import check_devices, lost_processes


@pytest.mark.parametrize(
    ("gpus", "device", "processes", "found"),
    [
        (0, "auto", 8, "cpu"),
        (4, "cuda", 4, "cuda"),
        (0, "cuda", 1, "this training needs a GPU, and torch can use none here; check the driver"),
        (1, "auto", 2, "2 processes of this training need a GPU each, and this machine has 1; set"),
    ],
)
def test_devices_for_all_processes(
    monkeypatch: pytest.MonkeyPatch, gpus: int, device: Literal["auto", "cuda"], processes: int, found: str
) -> None:
    monkeypatch.setattr(torch.cuda, "device_count", lambda: gpus)
    if found in ("cpu", "cuda"):
        assert check_devices(device, processes) == found
    else:
        with pytest.raises(UserError, match=found):
            check_devices(device, processes)


@pytest.mark.parametrize(
    "error",
    [
        dist.DistBackendError("timed out\nwith a trace"),
        RuntimeError("[../third_party/gloo/gloo/transport/tcp/pair.cc:534] Connection closed by peer"),
        dist.DistNetworkError(),
    ],
)
def test_a_lost_process_ends_in_one_line(monkeypatch: pytest.MonkeyPatch, error: RuntimeError) -> None:
    monkeypatch.setattr(time, "sleep", lambda seconds: None)
    with (
        pytest.raises(UserError, match=r"^another process of this .* within 600 s \(.+\); [^\n]+$"),
        lost_processes(),
    ):
        raise error
