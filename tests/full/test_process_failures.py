"""Trainings whose processes are killed, fall silent or are told to stop: they end as a whole, and can be resumed."""

import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from processes import ENVIRONMENT, SOURCE, command, errors, write_data


@pytest.fixture(scope="module")
def data(tiny_run: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_data(tiny_run, tmp_path_factory.mktemp("processes") / "data")


@pytest.fixture
def started(data: Path, tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """A training by two processes that would take minutes and has written a checkpoint."""
    line = command(data, tmp_path, 2, steps=100_000, validate_every_steps=100_000)
    with subprocess.Popen(line, env=ENVIRONMENT, stderr=subprocess.PIPE, text=True) as process:
        deadline = time.monotonic() + 120
        while not list(tmp_path.glob("checkpoints/*/step-*")):
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.05)
        yield process
        process.kill()


def workers(process: subprocess.Popen[str]) -> list[psutil.Process]:
    return [
        child for child in psutil.Process(process.pid).children() if "train.py" in " ".join(child.cmdline())
    ]


def test_a_killed_process_ends_the_others_at_once_and_is_named(started: subprocess.Popen[str]) -> None:
    first, second = workers(started)
    second.kill()
    began = time.monotonic()
    _, said = started.communicate(timeout=60)
    assert time.monotonic() - began < 30
    assert started.returncode > 0
    assert not psutil.pid_exists(first.pid)
    assert all("run again to continue from the last checkpoint" in line for line in errors(said))


def test_no_process_outlives_a_killed_launcher(started: subprocess.Popen[str]) -> None:
    """It would train on beside the next training of the same run."""
    processes = workers(started)
    started.kill()
    _, alive = psutil.wait_procs(processes, timeout=30)
    assert not alive


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGUSR1, signal.SIGINT])
def test_a_signal_to_the_launcher_saves_once(
    started: subprocess.Popen[str], tmp_path: Path, number: signal.Signals
) -> None:
    started.send_signal(number)
    _, said = started.communicate(timeout=60)
    assert started.returncode != 0
    (step,) = re.findall(rf"stopped by {number.name} after step (\d+)", said)
    (saved,) = tmp_path.glob(f"checkpoints/*/st*-{int(step):07d}")
    assert (saved / "training_state.json").exists()


# The thread that summed the tensor still waits for the interpreter's lock when the interpreter ends.
LATE = """
import sys, time
import torch
import torch.distributed as dist
from transformer.training.distributed import run_process

def main():
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    sys.setswitchinterval(60)
    dist.all_reduce(torch.zeros(1), async_op=True)
    end = time.monotonic() + 0.5
    while time.monotonic() < end:
        pass

run_process(main)
"""


def test_a_late_thread_does_not_abort_its_process() -> None:
    environment = {**ENVIRONMENT, "PYTHONPATH": str(SOURCE)} | {
        "TORCHELASTIC_RUN_ID": "none",
        "WORLD_SIZE": "2",
        "RANK": "0",
    }
    result = subprocess.run(
        [sys.executable, "-c", LATE], env=environment, capture_output=True, text=True, timeout=120
    )
    assert result.returncode == 0, result.stderr
