"""What a process of a training knows of the others, and what it says when they are lost."""

import os
import time
from typing import Literal

import pytest
import torch
import torch.distributed as dist

from transformer.common.errors import OF_LAUNCHER, UserError
from transformer.training import distributed as module
from transformer.training.distributed import (
    ProcessGroup,
    check_devices,
    ignore_stale_launcher,
    join_process_group,
    lost_processes,
)

CPU = torch.device("cpu")


def launched(**values: int) -> dict[str, str]:
    """What a launcher sets."""
    return dict.fromkeys(OF_LAUNCHER, "1") | {name: str(value) for name, value in values.items()}


@pytest.mark.parametrize(
    "left",
    [
        {"RANK": "1"},
        {"RANK": "0", "WORLD_SIZE": "2"},
        launched(WORLD_SIZE=1),
        {"MASTER_PORT": "1"},
        {"PET_NNODES": "2"},
    ],
)
def test_what_no_launcher_has_set_is_ignored_and_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], left: dict[str, str]
) -> None:
    for name, value in left.items():
        monkeypatch.setenv(name, value)
    ignore_stale_launcher()
    assert join_process_group("cpu") == ProcessGroup(0, 1, CPU)
    said = capsys.readouterr().err
    assert all(f"{name}={value}" in said for name, value in left.items())
    assert not left.keys() & os.environ.keys()


@pytest.mark.parametrize(
    ("environment", "gpus", "group", "joined"),
    [
        ({}, 0, ProcessGroup(0, 1, CPU), []),
        ({}, 1, ProcessGroup(0, 1, torch.device("cuda", 0)), ["prepared"]),
        (
            {"RANK": 1, "WORLD_SIZE": 1, "LOCAL_WORLD_SIZE": 1, "LOCAL_RANK": 0},
            0,
            ProcessGroup(0, 1, CPU),
            [],
        ),
        (
            {"RANK": 1, "WORLD_SIZE": 2, "LOCAL_WORLD_SIZE": 2, "LOCAL_RANK": 1},
            0,
            ProcessGroup(1, 2, CPU),
            ["watches", "gloo"],
        ),
        (
            {"RANK": 6, "WORLD_SIZE": 8, "LOCAL_WORLD_SIZE": 4, "LOCAL_RANK": 2},
            4,
            ProcessGroup(6, 8, torch.device("cuda", 2)),
            ["prepared", "watches", "nccl"],
        ),
    ],
)
def test_the_group_that_the_environment_describes(
    monkeypatch: pytest.MonkeyPatch,
    environment: dict[str, int],
    gpus: int,
    group: ProcessGroup,
    joined: list[str],
) -> None:
    """Each process has a GPU of its own, if there are any; without a launcher, a process is alone."""
    for name, value in launched(**environment).items() if environment else ():
        monkeypatch.setenv(name, str(value))
    chosen: list[torch.device] = []
    done: list[str] = []
    monkeypatch.setattr(torch.cuda, "device_count", lambda: gpus)
    monkeypatch.setattr(torch.cuda, "set_device", chosen.append)
    monkeypatch.setattr(module, "prepare_gpu", lambda: done.append("prepared"))
    monkeypatch.setattr(module, "_end_with_launcher", lambda: done.append("watches"))
    monkeypatch.setattr(dist, "init_process_group", lambda backend, timeout: done.append(backend))
    assert join_process_group() == group
    assert (chosen, done) == ([group.device] if gpus else [], joined)


@pytest.mark.parametrize(
    ("gpus", "device", "processes", "found"),
    [
        (0, "auto", 8, "cpu"),
        (0, "auto", 1, "cpu"),
        (1, "auto", 1, "cuda"),
        (4, "cuda", 4, "cuda"),
        (0, "cuda", 1, "this training needs a GPU, and torch can use none here; check the driver"),
        (
            1,
            "auto",
            2,
            "2 processes of this training need a GPU each, and this machine has 1; set `processes: auto`",
        ),
        (3, "cuda", 4, "this machine has 3; set"),
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
    ("error", "reason"),
    [
        (dist.DistBackendError("NCCL timed out\nwith a trace"), "(NCCL timed out)"),
        (
            RuntimeError("[../third_party/gloo/gloo/transport/tcp/pair.cc:534] Connection closed by peer"),
            "([../third_party/gloo/gloo/transport/tcp/pair.cc:534] Connection closed by peer)",
        ),
        (dist.DistNetworkError(), "(DistNetworkError)"),
    ],
)
def test_a_lost_process_ends_in_one_line(
    monkeypatch: pytest.MonkeyPatch, error: RuntimeError, reason: str
) -> None:
    waited: list[float] = []
    monkeypatch.setattr(time, "sleep", waited.append)
    with pytest.raises(UserError) as found, lost_processes():
        raise error
    message = str(found.value)
    assert message.startswith(
        f"another process of this training ended or did not answer within 600 s {reason}; "
    )
    assert len(waited) == 1


@pytest.mark.parametrize(
    "text", ["Connection of encoder and decoder: shapes differ", "/home/gloo/data: shapes differ"]
)
def test_other_errors_are_not_blamed_on_it(text: str) -> None:
    with pytest.raises(RuntimeError) as found, lost_processes():
        raise RuntimeError(text)
    assert str(found.value) == text
