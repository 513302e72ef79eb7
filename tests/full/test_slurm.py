"""The DAG through profiles/slurm on a real SLURM: submitted, stopped near its limit."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cluster
import pytest
import torch
import yaml
from micro_project import VERBOSE, copy_project

from transformer.model.storage import load_tensors

pytestmark = [
    pytest.mark.skipif(
        not cluster.available(), reason="needs root, slurm-wlm and munge, and no SLURM of its own"
    ),
]

QUICK = Path(__file__).with_name("quick_snakemake.py")
TABLE = "results/micro/tables/table2.tex"
RUN = "results/micro/runs/base/en-de"


@pytest.fixture(scope="module")
def jobs_file(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with cluster.running(tmp_path_factory.mktemp("cluster")) as file:
        yield file


def project(folder: Path, **settings: int) -> Path:
    """A copy of the project with two micro-batches a batch, and other settings of the micro scale."""
    copied = copy_project(folder)
    micro = copied / "config" / "micro.yaml"
    scale = yaml.safe_load(micro.read_text())
    scale["settings"] |= {"max_tokens": scale["settings"]["batch_tokens"] // 2, **settings}
    micro.write_text(yaml.safe_dump(scale))
    return copied


def command(*targets: str) -> list[str]:
    status = ["--slurm-status-command", "squeue", "--slurm-init-seconds-before-status-checks", "1"]
    resources = ["slurm_account=none", "gpu_type=fake", "mem_mb=1000", "runtime=30"]
    line = [sys.executable, str(QUICK), "--profile", "profiles/slurm", *status, "--latency-wait", "10"]
    return [*line, "--default-resources", *resources, "--config", "scale=micro", "--", *targets]


ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("SLURM_")} | VERBOSE


def submit(project: Path, *targets: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(*targets),
        cwd=project,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        timeout=900,
    )


def states(jobs_file: Path) -> list[str]:
    """The state of each job that ended."""
    lines = jobs_file.read_text().splitlines() if jobs_file.exists() else []
    return [dict(field.split("=", 1) for field in line.split() if "=" in field)["JobState"] for line in lines]


def weights(project: Path) -> dict[str, torch.Tensor]:
    training = json.loads((project / RUN / "training.json").read_text())
    return load_tensors(project / RUN / training["checkpoints"][-1]["path"])


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One run trained without SLURM."""
    copied = project(tmp_path_factory.mktemp("local"))
    line = [sys.executable, "-m", "snakemake", "--config", "scale=micro", "--", f"{RUN}/training.json"]
    subprocess.run(line, cwd=copied, check=True, capture_output=True, timeout=600)
    return copied


def test_one_run_from_corpus_to_score(jobs_file: Path, local: Path, tmp_path: Path) -> None:
    """GPU jobs go to the GPU partition, others do not, and training gives the bits that it gives without SLURM."""
    before = len(cluster.jobs())
    copied = project(tmp_path)
    module = copied / "src" / "transformer" / "workflow" / "job_resources.py"
    before_device, after_device = module.read_text().split('device = self._hardware(wildcards)["device"]')
    # Jobs ask for GPUs, and the programs use the CPU.
    module.write_text(f'{before_device}device = "cuda"{after_device}')
    result = submit(copied, f"{RUN}/scores.json", f"{RUN}/perplexity.json", "results/micro/layers.json")
    assert result.returncode == 0, result.stdout + result.stderr
    jobs = cluster.jobs()[before:]
    assert {job["JobState"] for job in jobs} == {"COMPLETED"}
    places = {(job["Partition"], job.get("TresPerNode")) for job in jobs}
    assert places == {("cpu", None), ("gpu", "gres:gpu:fake:1")}
    on_gpu = [job["Comment"] for job in jobs if job["Partition"] == "gpu"]
    assert len(on_gpu) == 2, on_gpu
    assert any("rule_train" in comment for comment in on_gpu)
    assert not any("rule_measure_layers" in comment for comment in on_gpu)  # it counts
    assert any("translate" in comment and "score_perplexity" in comment for comment in on_gpu)
    assert (copied / RUN / "training.json").read_bytes() == (local / RUN / "training.json").read_bytes()


def test_a_training_near_its_limit_saves_and_goes_on(jobs_file: Path, tmp_path: Path) -> None:
    """USR1, a checkpoint, back in the queue, and the weights of a training that nobody stopped."""

    longer = {"steps": 400, "checkpoint_every_steps": 100}
    undisturbed = project(tmp_path / "undisturbed", **longer)
    line = [sys.executable, "-m", "snakemake", "--config", "scale=micro", "--", f"{RUN}/training.json"]
    subprocess.run(line, cwd=undisturbed, check=True, capture_output=True, timeout=600)
    copied = project(tmp_path / "stopped", **longer)
    streams: Any = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    with subprocess.Popen(command(f"{RUN}/training.json"), cwd=copied, env=ENVIRONMENT, **streams) as process:
        deadline = time.monotonic() + 300
        while not list(copied.glob(f"{RUN}/checkpoints/*/step-*")):
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.1)
        queue = subprocess.run(["squeue", "-h", "-t", "R", "-o", "%A"], capture_output=True, text=True).stdout
        subprocess.run(["scancel", "-s", "USR1", *queue.split()], check=True)
        said, _ = process.communicate(timeout=600)
    assert process.returncode == 0, said
    assert "PENDING" in states(jobs_file)  # how SLURM lists a job that ended by going back into the queue
    first, second = weights(undisturbed), weights(copied)
    assert all(torch.equal(first[name], second[name]) for name in first)
