"""What a process of a training knows of the others, and what it says when they are lost."""

import os
import signal
import threading
import time
from collections.abc import Callable
from typing import Literal

import pytest
import torch
import torch.distributed as dist

from transformer.common.errors import UserError
from transformer.training import distributed as module
from transformer.training.distributed import (
    ProcessGroup,
    check_devices,
    distribute,
    join_process_group,
    lost_processes,
)

CPU = torch.device("cpu")


def test_shares_are_a_partition_of_similar_sizes() -> None:
    shares = [ProcessGroup(rank, 3, CPU).share_of(range(8)) for rank in range(3)]
    assert shares == [[0, 3, 6], [1, 4, 7], [2, 5]]
    assert [ProcessGroup(rank, 3, CPU).is_main for rank in range(3)] == [True, False, False]


def test_a_process_alone_waits_for_nobody() -> None:
    """No group has been made, so each of torch's operations would fail."""
    alone = ProcessGroup(0, 1, CPU)
    assert alone.all_reduce_max(3) == 3
    values = torch.tensor([1.0, 2.0])
    assert alone.all_reduce_sum(values) is values
    assert alone.gather(["a"]) == ["a"]
    alone.barrier()
    alone.close()


def test_a_process_ends_with_its_launcher(monkeypatch: pytest.MonkeyPatch) -> None:
    """By a thread that does not keep the process from ending by itself."""
    parents = iter([50, 50, 1])  # the launcher is killed, and init adopts its children
    killed: list[tuple[int, int]] = []
    threads: list[dict[str, object]] = []

    class Thread:
        def __init__(self, target: Callable[[], None], **options: object) -> None:
            self.target = target
            threads.append(options)

        def start(self) -> None:
            self.target()

    pauses: list[float] = []
    monkeypatch.setattr(time, "sleep", pauses.append)
    monkeypatch.setattr(threading, "Thread", Thread)
    monkeypatch.setattr(os, "getppid", lambda: next(parents))
    monkeypatch.setattr(os, "kill", lambda process, number: killed.append((process, number)))
    monkeypatch.delenv(module.LAUNCHER, raising=False)
    module._end_with_launcher()
    assert threads == []
    monkeypatch.setenv(module.LAUNCHER, "50")
    module._end_with_launcher()
    assert killed == [(os.getpid(), signal.SIGKILL)]
    assert pauses == [module.WATCH] * 2
    assert list(parents) == []
    assert threads == [{"name": "launcher", "daemon": True}]


def test_without_a_launcher_a_process_is_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 0)
    for name in ("RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE", "LOCAL_RANK"):
        monkeypatch.delenv(name, raising=False)
    assert join_process_group() == ProcessGroup(0, 1, CPU)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 1)
    monkeypatch.setattr(torch.cuda, "set_device", lambda place: None)
    assert join_process_group() == ProcessGroup(0, 1, torch.device("cuda", 0))


@pytest.mark.parametrize(("local_rank", "index"), [(None, 0), ("2", 2)])
def test_each_process_has_a_gpu_of_its_own(
    monkeypatch: pytest.MonkeyPatch, local_rank: str | None, index: int
) -> None:
    chosen: list[torch.device] = []
    joined: list[str] = []
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 4)
    monkeypatch.setattr(torch.cuda, "set_device", chosen.append)
    monkeypatch.setattr(module, "prepare_gpu", lambda: joined.append("prepared"))
    monkeypatch.setattr(dist, "init_process_group", lambda backend, timeout: joined.append(backend))
    monkeypatch.setattr(module, "_end_with_launcher", lambda: joined.append("watches"))
    for name, value in (("RANK", "6"), ("WORLD_SIZE", "8"), ("LOCAL_WORLD_SIZE", "4")):
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("LOCAL_RANK", raising=False)
    if local_rank is not None:
        monkeypatch.setenv("LOCAL_RANK", local_rank)
    place = torch.device("cuda", index)
    assert join_process_group() == ProcessGroup(6, 8, place)
    assert (chosen, joined) == ([place], ["prepared", "watches", "nccl"])


def test_two_processes_of_a_machine_without_gpus(monkeypatch: pytest.MonkeyPatch) -> None:
    joined: list[str] = []
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 0)
    monkeypatch.setattr(dist, "init_process_group", lambda backend, timeout: joined.append(backend))
    monkeypatch.setattr(module, "_end_with_launcher", lambda: joined.append("watches"))
    for name, value in (("RANK", "1"), ("WORLD_SIZE", "2"), ("LOCAL_WORLD_SIZE", "2")):
        monkeypatch.setenv(name, value)
    assert join_process_group() == ProcessGroup(1, 2, CPU)
    assert joined == ["watches", "gloo"]


@pytest.mark.parametrize(
    ("gpus", "device", "processes", "found"),
    [
        (0, "auto", 8, "cpu"),
        (0, "auto", 1, "cpu"),
        (1, "auto", 1, "cuda"),
        (4, "cuda", 4, "cuda"),
        (0, "cuda", 1, "this machine has no GPU that torch can use; lower"),
        (1, "auto", 2, "2 processes of this training need a GPU each, and this machine has 1 GPU; lower"),
        (3, "cuda", 4, "this machine has 3 GPUs; lower"),
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
        (RuntimeError("[gloo/transport] closed"), "([gloo/transport] closed)"),
        (RuntimeError("Connection reset by peer"), "(Connection reset by peer)"),
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


def test_other_errors_are_not_blamed_on_it() -> None:
    with pytest.raises(RuntimeError, match="^shapes differ$"), lost_processes():
        raise RuntimeError("shapes differ")


def test_buffers_belong_to_each_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables of sinusoids differ in length, so none is sent to the others, in this torch and in older ones."""

    class Recorded:
        def __init__(self, module: object, **options: object) -> None:
            self.options = options

    class New(Recorded):
        def __init__(self, module: object, *, forward_sync_buffers: bool = True, **options: object) -> None:
            super().__init__(module, forward_sync_buffers=forward_sync_buffers, **options)

    for kind, key in ((New, "forward_sync_buffers"), (Recorded, "broadcast_buffers")):
        monkeypatch.setattr(module, "DistributedDataParallel", kind)
        wrapped = distribute(torch.nn.Linear(1, 1))
        assert wrapped.options == {key: False, "gradient_as_bucket_view": True}
