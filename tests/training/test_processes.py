"""Several processes train the same model as one, end together, and can be resumed by any number of processes."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
import tiny
import torch

from transformer.common.json_artifacts import write_artifact
from transformer.model.storage import load_tensors
from transformer.training import train

SCRIPT = Path(train.__file__)
SOURCE = SCRIPT.parents[2]
ENVIRONMENT = {**os.environ, "OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": ""}

# One process divides a batch into eight micro-batches, three processes into nine, five into ten and so on.
SETTINGS: dict[str, Any] = {"batch_tokens": 120, "max_length": 40}
MAX_TOKENS = 15

# The largest difference between weights that sums in another order may make.  It was 2.2e-6 on a CPU with AVX-512 and
# 1.1e-5 on one with AVX2 only.  Adam divides by the size of gradients, so that a weight moves by up to 0.1 a step,
# however small its gradient is, and a wrong gradient differs by thousands of times as much.
ROUNDING = 5e-5


@pytest.fixture(scope="module")
def data(tiny_run: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The main process validates on a long sentence, and so has a longer table of sinusoids than the others."""
    folder = tmp_path_factory.mktemp("processes") / "data"
    shutil.copytree(tiny_run, folder)
    tiny.write_long_sentence(folder / "data" / "dev")
    return folder


def command(data: Path, output: Path, processes: int, **training: Any) -> list[str]:
    output.mkdir(parents=True, exist_ok=True)
    write_artifact(output / "config.json", tiny.run_config(training=SETTINGS | training))
    options = {
        "config": output / "config.json", "data": data / "data", "subwords": data / "subwords.model",
        "output": output, "processes": processes, "max-tokens": MAX_TOKENS,
    }  # fmt: skip
    return [
        sys.executable,
        str(SCRIPT),
        *(str(part) for name in options for part in (f"--{name}", options[name])),
    ]


def run(data: Path, output: Path, processes: int, **training: Any) -> subprocess.CompletedProcess[str]:
    line = command(data, output, processes, **training)
    return subprocess.run(line, env=ENVIRONMENT, capture_output=True, text=True, timeout=300)


def weights(output: Path) -> dict[str, torch.Tensor]:
    """The weights of the last checkpoint."""
    training = json.loads((output / "training.json").read_text())
    return load_tensors(output / training["checkpoints"][-1]["path"])


def losses(output: Path) -> list[float]:
    return [json.loads(line)["loss"] for line in (output / "metrics.jsonl").read_text().splitlines()]


def difference(one: Path, other: Path) -> float:
    """The largest difference between two weights."""
    first, second = weights(one), weights(other)
    return max(float((first[name] - second[name]).abs().max()) for name in first)


@pytest.fixture(scope="module")
def alone(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("alone")
    result = run(data, output, 1)
    assert result.returncode == 0, result.stderr
    return output


@pytest.mark.parametrize("processes", [2, 3, 8])
def test_any_number_of_processes_trains_the_same(
    data: Path, alone: Path, tmp_path: Path, processes: int
) -> None:
    """Up to the order of sums, which Adam amplifies (see ROUNDING)."""
    result = run(data, tmp_path, processes)
    assert result.returncode == 0, result.stderr
    first, second = (json.loads((path / "training.json").read_text()) for path in (alone, tmp_path))
    for key in ("steps", "source_tokens", "target_tokens", "epochs", "training_flops"):
        assert first[key] == second[key]
    assert losses(tmp_path) == pytest.approx(losses(alone), abs=2e-6)
    assert difference(alone, tmp_path) < ROUNDING
    assert json.loads((tmp_path / "timing.json").read_text())["devices"] == processes


def test_a_resume_with_another_number_of_processes(data: Path, alone: Path, tmp_path: Path) -> None:
    """Four processes take three steps, and one takes the rest: the same batches in the same order."""
    assert run(data, tmp_path, 4, steps=3).returncode == 0
    result = run(data, tmp_path, 1)
    assert result.returncode == 0, result.stderr
    first, second = (json.loads((path / "training.json").read_text()) for path in (alone, tmp_path))
    assert [first[key] for key in ("source_tokens", "target_tokens")] == [
        second[key] for key in ("source_tokens", "target_tokens")
    ]
    assert losses(tmp_path)[-1] == pytest.approx(losses(alone)[-1], abs=2e-6)
    assert difference(alone, tmp_path) < ROUNDING


def test_three_processes_resume_with_the_same_bits(data: Path, tmp_path: Path) -> None:
    """Although DistributedDataParallel adds in another order in its very first pass."""
    for steps in (3, 6):
        assert run(data, tmp_path / "parts", 3, steps=steps).returncode == 0
    assert run(data, tmp_path / "whole", 3).returncode == 0
    assert difference(tmp_path / "parts", tmp_path / "whole") == 0


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


def errors(said: str) -> list[str]:
    return [line for line in said.splitlines() if line.startswith("error: ")]


@pytest.mark.parametrize(
    ("number", "reason"),
    [(signal.SIGKILL, "memory ran out"), (signal.SIGABRT, "NCCL ends a process that has waited")],
)
def test_a_killed_process_ends_the_others_at_once_and_is_named(
    started: subprocess.Popen[str], number: signal.Signals, reason: str
) -> None:
    """On GPUs, NCCL's watchdog sends SIGABRT; gloo raises an error instead."""
    first, second = workers(started)
    second.send_signal(number)
    began = time.monotonic()
    _, said = started.communicate(timeout=60)
    assert time.monotonic() - began < 30
    assert started.returncode > 0
    assert not psutil.pid_exists(first.pid)
    assert any(reason in line for line in errors(said)), said
    assert all("run again to continue from the last checkpoint" in line for line in errors(said))


def test_no_process_outlives_a_killed_launcher(started: subprocess.Popen[str]) -> None:
    """It would train on beside the next training of the same run."""
    processes = workers(started)
    started.kill()
    _, alive = psutil.wait_procs(processes, timeout=30)
    assert not alive


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGUSR1])
def test_a_signal_to_the_launcher_saves_once(
    started: subprocess.Popen[str], tmp_path: Path, number: signal.Signals
) -> None:
    started.send_signal(number)
    _, said = started.communicate(timeout=60)
    assert started.returncode == 128 + number
    assert said.count("stopped by") == 1
    assert list(tmp_path.glob("checkpoints/*/st*-*"))


# It stops a process with SIGSTOP, and kills it when the launcher asks it to end, which would otherwise wait 30 s.
SILENT = """
import os, signal, sys, time
from datetime import timedelta
from transformer.common.errors import run_script
from transformer.training import distributed, trainer
from transformer.training import train

distributed.TIMEOUT = timedelta(seconds=5)
rank, silent, when = os.environ["RANK"], *sys.argv[1:3]
del sys.argv[1:3]

def stop(moment):
    if rank == silent and when == moment:
        if os.fork() == 0:
            stopped = os.getppid()
            for _ in range(1000):
                pending = open(f"/proc/{stopped}/status").read().split("ShdPnd:")[1].split()[0]
                if int(pending, 16) >> signal.SIGTERM - 1 & 1:
                    break
                time.sleep(0.1)
            os.kill(stopped, signal.SIGKILL)
            os._exit(0)
        os.kill(os.getpid(), signal.SIGSTOP)

def stopping(moment, function):
    return lambda *arguments: (stop(moment), function(*arguments))[1]

train.join_process_group = stopping("before", train.join_process_group)
train.make_trainer = stopping("while it starts", train.make_trainer)
trainer.Trainer._save_if_due = stopping("while it trains", trainer.Trainer._save_if_due)
run_script(train.main)
"""
LAUNCH = "import sys; from transformer.training.launch import *; sys.exit(launch(1, 2, sys.argv[1:]))"


@pytest.mark.parametrize(("silent", "when"), [(1, "before"), (1, "while it starts"), (0, "while it trains")])
def test_a_process_that_falls_silent_ends_the_others(
    data: Path, tmp_path: Path, silent: int, when: str
) -> None:
    """It never joins, or hangs later.  In this test the others wait for 5 seconds, not 600."""
    script = tmp_path / "silent.py"
    script.write_text(SILENT)
    line = [sys.executable, "-c", LAUNCH, str(script), str(silent), when, *command(data, tmp_path, 2)[2:]]
    environment = {**ENVIRONMENT, "PYTHONPATH": str(SOURCE)}
    result = subprocess.run(line, env=environment, capture_output=True, text=True, timeout=120)
    assert result.returncode == 1
    assert len(errors(result.stderr)) == 1, result.stderr
    assert "did not answer within 5 s" in errors(result.stderr)[0]
    assert errors(result.stderr)[0].endswith("run again to continue from the last checkpoint")
    assert "Traceback" not in result.stderr


# The thread that summed the tensor still waits for the interpreter's lock when the interpreter ends.
LATE = """
import sys, time
import torch
import torch.distributed as dist
from transformer.common.errors import run_script

def main():
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    sys.setswitchinterval(60)
    dist.all_reduce(torch.zeros(1), async_op=True)
    end = time.monotonic() + 0.5
    while time.monotonic() < end:
        pass

run_script(main)
"""


def test_a_late_thread_does_not_abort_its_process() -> None:
    environment = {**ENVIRONMENT, "PYTHONPATH": str(SOURCE), "RANK": "0"}
    result = subprocess.run(
        [sys.executable, "-c", LATE], env=environment, capture_output=True, text=True, timeout=120
    )
    assert result.returncode == 0, result.stderr


def test_an_error_of_all_processes_is_printed_once(data: Path, tmp_path: Path) -> None:
    result = run(data, tmp_path, 2, batch_tokens=20)
    assert result.returncode == 1
    assert len(errors(result.stderr)) == 1, result.stderr
    assert "Traceback" not in result.stderr


def test_a_config_that_asks_for_eight_gpus_fails_at_once(data: Path, tmp_path: Path) -> None:
    line = [*command(data, tmp_path, 8), "--device", "cuda"]
    result = subprocess.run(line, env=ENVIRONMENT, capture_output=True, text=True, timeout=60)
    assert result.returncode == 1
    assert result.stderr.startswith("error: 8 processes of this training need a GPU each")
    assert result.stderr.count("\n") == 1


def test_nodes_that_do_not_find_each_other(data: Path, tmp_path: Path) -> None:
    code = (
        "import sys; sys.path[:0] = ['src']; import transformer.training.launch as launch; "
        "launch.RENDEZVOUS_TIMEOUT = 3; import transformer.training.train as train; sys.argv = sys.argv[1:]; "
        "from transformer.common.errors import run_script; run_script(train.main)"
    )
    slurm = tmp_path / "bin" / "scontrol"  # stands in for SLURM's, which names the nodes of a job
    slurm.parent.mkdir()
    slurm.write_text("#!/bin/sh\necho 127.0.0.1\n")
    slurm.chmod(0o755)
    job = {"SLURM_JOB_ID": "9511", "SLURM_JOB_NODELIST": "n[1-2]"}
    path = {"PATH": f"{slurm.parent}{os.pathsep}{os.environ['PATH']}"}
    result = subprocess.run(
        [sys.executable, "-c", code, *command(data, tmp_path, 1)[1:], "--nodes", "2"],
        env=ENVIRONMENT | job | path, cwd=SOURCE.parent, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert result.returncode == 1
    assert "error: 2 nodes did not find each other at 127.0.0.1:29511" in result.stderr, result.stderr
