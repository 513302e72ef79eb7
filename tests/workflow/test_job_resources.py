"""What jobs need of a machine or of SLURM: GPUs, memory, cores, and their order."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from configuration import load

from transformer.common.errors import UserError
from transformer.workflow.job_resources import JobResources
from transformer.workflow.machine import Machine


def machine(is_here: bool, gpus: int, gpu_type: str = "") -> Machine:
    return Machine(is_here, gpus, is_worker=False, gpu_type=gpu_type)


DEMO, PAPER = load(), replace(load(scale="paper"), gpus=8)
HERE, CLUSTER = (JobResources(PAPER, machine(True, 8)), JobResources(PAPER, machine(False, 8, "a100")))


def training(run: str, pair: str = "en-de") -> Any:
    source, target = pair.split("-")
    return SimpleNamespace(run=run, source=source, target=target)


def asked(jobs: JobResources, run: str) -> dict[str, Any]:
    needs, job = jobs.training_needs, training(run)
    found = {
        name: value(job) if callable(value) and name != "mem_mb" else value for name, value in needs.items()
    }
    return found | {"mem_mb": needs["mem_mb"](job, 1)}


@pytest.mark.parametrize(
    ("jobs", "run", "gpu", "gres"),
    [
        (HERE, "base", 8, ""),
        (HERE, "A-h1", 1, ""),
        (CLUSTER, "base", 0, "gpu:a100:8"),
        (CLUSTER, "A-h1", 0, "gpu:a100:1"),
        (JobResources(DEMO, machine(True, 8)), "base", 0, ""),
    ],
)
def test_a_training_claims_gpus_here_or_asks_slurm_for_them(
    jobs: JobResources, run: str, gpu: int, gres: str
) -> None:
    needs = asked(jobs, run)
    assert (needs["gpu"], needs["gres"]) == (gpu, gres)
    options = [] if gres else ["--gpus", gpu]
    assert jobs.gpus_option(training(run), SimpleNamespace(gpu=gpu)) == options


SHARED = replace(PAPER, jobs_per_gpu=6)


@pytest.mark.parametrize(
    ("run", "gpu", "option"), [("base", 48, ["--gpus", 8]), ("A-h1", 1, ["--gpus", 1, "--jobs-per-gpu", 6])]
)
def test_jobs_with_one_gpu_share_it_and_others_have_theirs_alone(
    run: str, gpu: int, option: list[Any]
) -> None:
    jobs = JobResources(SHARED, machine(True, 8))
    assert jobs.gpu_places == 48
    assert asked(jobs, run)["gpu"] == gpu
    assert jobs.gpus_option(training(run), SimpleNamespace(gpu=gpu)) == option


def test_a_cluster_shares_no_gpus() -> None:
    with pytest.raises(UserError, match="jobs_per_gpu: on a cluster, SLURM gives each job GPUs of its own"):
        JobResources(SHARED, machine(False, 8)).check([])


def test_a_job_that_was_killed_gets_twice_the_memory() -> None:
    memory = HERE.needs(500, 30)["mem_mb"]
    assert [memory(training("base"), attempt) for attempt in (1, 2)] == [500, 1000]
    estimated = HERE.needs_gpu(lambda settings, run, pair, on_gpu: 7000 if on_gpu else 1, 30)["mem_mb"]
    assert estimated(training("base"), 1) == 7000


def test_processes_with_gpus_have_cores_for_their_other_threads() -> None:
    assert asked(CLUSTER, "base")["cpus_per_task"] == 32
    demo = JobResources(DEMO, machine(True, 0))
    assert asked(demo, "base")["cpus_per_task"] == demo.threads(training("base")) == 1


def test_a_machine_with_too_few_gpus_is_told_before_anything_starts() -> None:
    with pytest.raises(UserError, match="training base needs a GPU, and there is none here"):
        JobResources(PAPER, machine(True, 0)).check([training("base")])
    with pytest.raises(UserError, match="training base needs 8 GPUs, and this workflow can use 2"):
        JobResources(PAPER, machine(True, 2)).check([training("base")])
    JobResources(PAPER, machine(True, 8)).check([training("base")])
    JobResources(PAPER, machine(False, 0)).check([training("base")])  # SLURM says it


def test_a_training_in_a_job_of_slurm_gets_its_signals(monkeypatch: pytest.MonkeyPatch) -> None:
    worker, resources = (
        JobResources(DEMO, replace(HERE.machine, is_worker=True)),
        SimpleNamespace(cpus_per_task=4),
    )
    monkeypatch.delenv("SLURM_JOB_ID", raising=False)
    assert worker.slurm_step(training("base"), resources) == []
    monkeypatch.setenv("SLURM_JOB_ID", "7")
    assert HERE.slurm_step(training("base"), resources) == []
    assert worker.slurm_step(training("base"), resources) == [
        "srun",
        "--nodes=1",
        "--ntasks=1",
        "--cpus-per-task=4",
    ]


def test_torchrun_starts_a_training_with_several_processes() -> None:
    assert HERE.launcher(training("A-h1"), None) == ["python", "-m"]
    command = HERE.launcher(training("base"), None)
    assert "torchrun" in command
    assert command[-2:] == ["--nproc-per-node=8", "--module"]


def test_base_is_trained_first_and_a_parser_counts_with_the_one_that_waits_for_it() -> None:
    jobs = JobResources(DEMO, machine(True, 0))
    order = [("base", "en-de"), ("parser", "en-trees"), ("parser-semi", "en-silver")]
    priorities = [jobs.longest_first(training(run, pair)) for run, pair in order]
    assert 0 > priorities[0] > priorities[1] > priorities[2]
