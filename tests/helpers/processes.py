"""Trainings by several processes, each in a program of its own."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import tiny
import torch

from transformer.common.artifacts import write_artifact
from transformer.model.storage import load_tensors
from transformer.training import train
from transformer.workflow.job_resources import torchrun

SCRIPT = Path(train.__file__)
SOURCE = SCRIPT.parents[2]
NONE: dict[str, str] = {}
ENVIRONMENT = {**os.environ, "OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": ""}

# One process divides a batch into eight micro-batches, three processes into nine, five into ten and so on.
SETTINGS: dict[str, Any] = {"batch_tokens": 120, "max_length": 40}
MAX_TOKENS = 15

# The largest difference between weights that sums in another order may make.  It was 2.2e-6 on a CPU with AVX-512 and
# 1.1e-5 on one with AVX2 only.  Adam divides by the size of gradients, so that a weight moves by up to 0.1 a step,
# however small its gradient is, and a wrong gradient differs by thousands of times as much.
ROUNDING = 5e-5


def write_data(tiny_run: Path, folder: Path) -> Path:
    """The main process validates on a long sentence, and so has a longer table of sinusoids than the others."""
    shutil.copytree(tiny_run, folder)
    tiny.write_long_sentence(folder / "data" / "dev")
    return folder


def arguments(data: Path, output: Path, **training: Any) -> list[str]:
    """The options of train.py for a run of these settings, whose config.json this writes."""
    output.mkdir(parents=True, exist_ok=True)
    write_artifact(output / "config.json", tiny.run_config(training=SETTINGS | training))
    options: dict[str, object] = {
        "config": output / "config.json",
        "data": data / "data",
        "subwords": data / "subwords.model",
    }
    options |= {"output": output, "max-tokens": MAX_TOKENS}
    return [str(part) for name in options for part in (f"--{name}", options[name])]


def command(data: Path, output: Path, processes: int, **training: Any) -> list[str]:
    """The command line of a training, as its rule has it."""
    start = [sys.executable] if processes == 1 else torchrun(processes)
    return [*start, str(SCRIPT), *arguments(data, output, **training)]


def run(
    data: Path, output: Path, processes: int, variables: Mapping[str, str] = NONE, **training: Any
) -> subprocess.CompletedProcess[str]:
    """Train, with further ``variables`` in the environment, and return what was said."""
    line = command(data, output, processes, **training)
    environment = {**ENVIRONMENT, **variables}
    return subprocess.run(line, env=environment, capture_output=True, text=True, timeout=300)


def train_alone(data: Path, output: Path, **training: Any) -> Path:
    """Train in this process; return the run's folder."""
    assert tiny.run(train.main, *arguments(data, output, **training)) == 0
    return output


def assert_same_training(one: Path, other: Path) -> None:
    """The same batches led to the same last loss and weights, up to the order of sums, which Adam amplifies."""
    first, second = (json.loads((path / "training.json").read_text()) for path in (one, other))
    for key in ("steps", "source_tokens", "target_tokens", "epochs", "training_flops"):
        assert first[key] == second[key]
    assert losses(other)[-1] == pytest.approx(losses(one)[-1], abs=2e-6)
    assert difference(one, other) < ROUNDING


def weights(output: Path) -> dict[str, torch.Tensor]:
    """The weights of the last checkpoint."""
    training = json.loads((output / "training.json").read_text())
    return load_tensors(output / training["checkpoints"][-1]["path"])


def losses(output: Path, name: str = "loss") -> list[float]:
    """The losses at each validation, or what else is measured there."""
    return [line[name] for line in tiny.metrics(output)]


def difference(one: Path, other: Path) -> float:
    """The largest difference between two weights."""
    first, second = weights(one), weights(other)
    return max(float((first[name] - second[name]).abs().max()) for name in first)


def errors(said: str) -> list[str]:
    """The lines of standard error that are errors of the program."""
    return [line for line in said.splitlines() if line.startswith("error: ")]
