"""What a process of a training knows of the others, and what it says when they are lost."""

import os
import time
from datetime import timedelta
from typing import Literal

import pytest
import torch
import torch.distributed as dist

from transformer.common.errors import UserError
from transformer.training import distributed as module
from transformer.training.distributed import (
    ProcessGroup,
    check_devices,
    join_process_group,
    lost_processes,
)

CPU = torch.device("cpu")


# Rank, number of processes, and rank on this machine, as torchrun sets them.
@pytest.mark.parametrize(
    ("ranks", "gpus", "group", "joined"),
    [
        (None, 0, ProcessGroup(0, 1, CPU), []),
        (None, 1, ProcessGroup(0, 1, torch.device("cuda", 0)), ["prepared"]),
        ((0, 1, 0), 0, ProcessGroup(0, 1, CPU), []),
        ((1, 2, 1), 0, ProcessGroup(1, 2, CPU), ["watches", "gloo"]),
        ((6, 8, 6), 8, ProcessGroup(6, 8, torch.device("cuda", 6)), ["prepared", "watches", "nccl"]),
    ],
)
def test_the_group_that_the_environment_describes(
    monkeypatch: pytest.MonkeyPatch,
    ranks: tuple[int, ...] | None,
    gpus: int,
    group: ProcessGroup,
    joined: list[str],
) -> None:
    """Each process has a GPU of its own, if there are any, and waits for the others for so long."""
    for name in ("GLOO_SOCKET_IFNAME", "NCCL_SOCKET_IFNAME"):
        monkeypatch.setenv(name, "ib0")  # restored afterwards
    names = ("RANK", "WORLD_SIZE", "LOCAL_RANK", "TORCHELASTIC_RUN_ID")
    for name, value in zip(names, (*ranks, "none"), strict=True) if ranks else ():
        monkeypatch.setenv(name, str(value))
    done: list[str] = []

    def init_process_group(backend: str, timeout: timedelta) -> None:
        assert timeout == module.TIMEOUT
        done.append(backend)

    monkeypatch.setattr(torch.cuda, "device_count", lambda: gpus)
    monkeypatch.setattr(torch.cuda, "set_device", lambda device: None)
    monkeypatch.setattr(module, "prepare_gpu", lambda: done.append("prepared"))
    monkeypatch.setattr(module, "_end_with_launcher", lambda: done.append("watches"))
    monkeypatch.setattr(dist, "init_process_group", init_process_group)
    assert join_process_group() == group
    assert done == joined
    assert os.environ["GLOO_SOCKET_IFNAME"] == ("lo" if group.world_size > 1 else "ib0")


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
