"""What a launched program has until it ends: GPUs of its own.

CUDA_VISIBLE_DEVICES stands for the GPUs of the machine.
"""

import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from transformer.model.portable import portable_environment
from transformer.workflow.reserve import visible_gpus

SOURCE = Path(__file__).parents[2] / "src"
RESERVE = [sys.executable, str(SOURCE / "transformer" / "workflow" / "reserve.py")]
SHOW = ["sh", "-c", 'echo "$CUDA_VISIBLE_DEVICES"; exec sleep 60']


class Jobs:
    """Starts jobs that hold their GPUs until they are killed."""

    def __init__(self, folder: Path) -> None:
        self.environment = {**os.environ, "TMPDIR": str(folder)}
        self.environment.pop("SLURM_JOB_ID", None)
        self.running: list[subprocess.Popen[str]] = []

    def start(self, count: int, gpus: str = "0,1,2,3", sharing: int = 1) -> subprocess.Popen[str]:
        environment = self.environment | {"CUDA_VISIBLE_DEVICES": gpus}
        command = [*RESERVE, "--gpus", str(count), "--jobs-per-gpu", str(sharing), *SHOW]
        pipe = subprocess.PIPE
        job = subprocess.Popen(command, env=environment, stdout=pipe, stderr=pipe, text=True)
        self.running.append(job)
        return job


def seen(job: subprocess.Popen[str]) -> str:
    """The GPUs that a job sees; waits until it has them."""
    assert job.stdout is not None
    return job.stdout.readline().strip()


def place(job: subprocess.Popen[str]) -> str:
    """Where a job runs, as those that wait for it call it."""
    return f"process {job.pid} on {os.uname().nodename}"


def waits(job: subprocess.Popen[str]) -> bool:
    """Whether a job is still without GPUs after the time in which another gets them."""
    assert job.stdout is not None
    return not select.select([job.stdout], [], [], 0.8)[0]


@pytest.fixture
def jobs(tmp_path: Path) -> Iterator[Jobs]:
    started = Jobs(tmp_path)
    yield started
    for job in started.running:
        job.kill()
        job.communicate()


def test_a_claim_ends_with_its_job_however_it_ends(jobs: Jobs) -> None:
    first = jobs.start(4)
    assert seen(first) == "0,1,2,3"
    second = jobs.start(2)
    assert waits(second)
    first.send_signal(signal.SIGKILL)
    assert seen(second) == "0,1"


def test_a_job_that_needs_all_is_not_overtaken(jobs: Jobs) -> None:
    first = jobs.start(1)
    assert seen(first) == "0"
    everything = jobs.start(4)
    assert waits(everything)
    last = jobs.start(1)
    assert waits(last)
    first.kill()
    assert seen(everything) == "0,1,2,3"
    assert waits(last)


def test_jobs_that_share_gpus_are_spread_and_no_more_than_fit(jobs: Jobs) -> None:
    first = [jobs.start(1, "0,1", sharing=3) for _ in range(6)]
    gpus = [seen(job) for job in first]
    assert sorted(gpus) == ["0", "0", "0", "1", "1", "1"]
    seventh = jobs.start(1, "0,1", sharing=3)
    assert waits(seventh)
    first[4].send_signal(signal.SIGKILL)
    assert seen(seventh) == gpus[4]


def test_a_job_that_shares_no_gpu_waits_until_all_have_left_it_and_is_not_overtaken(jobs: Jobs) -> None:
    sharing = [jobs.start(1, "7", sharing=6) for _ in range(2)]
    assert [seen(job) for job in sharing] == ["7", "7"]
    alone = jobs.start(1, "7")
    assert alone.stderr
    assert alone.stderr.readline() == "note: waiting for 1 of the GPUs 7, held by jobs that share it\n"
    last = jobs.start(1, "7", sharing=6)
    sharing[0].kill()
    assert waits(alone)
    sharing[1].kill()
    assert seen(alone) == "7"
    assert waits(last)
    alone.kill()
    assert seen(last) == "7"


def test_the_choice_of_slurm_or_the_user_is_respected(jobs: Jobs) -> None:
    assert seen(jobs.start(1, "GPU-8932f937,5")) == "GPU-8932f937"
    assert seen(jobs.start(1, "GPU-8932f937,5")) == "5"


@pytest.mark.parametrize(("count", "gpus"), [(0, "2,3"), (1, "")])
def test_a_job_without_gpus_starts_at_once_and_sees_none(jobs: Jobs, count: int, gpus: str) -> None:
    assert seen(jobs.start(2, "2,3")) == "2,3"
    assert seen(jobs.start(count, gpus)) == ""


def test_more_gpus_than_there_are(tmp_path: Path) -> None:
    environment = {**os.environ, "CUDA_VISIBLE_DEVICES": "0,1", "TMPDIR": str(tmp_path)}
    command = [*RESERVE, "--gpus", "4", "touch", str(tmp_path / "started")]
    run = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert run.returncode == 1
    assert run.stderr == "error: this job needs 4 GPUs, and this machine has 2: 0, 1\n"
    assert not (tmp_path / "started").exists()


@pytest.mark.parametrize(
    ("variable", "found"), [("", []), ("0", ["0"]), ("3, 1", ["3", "1"]), ("1,-1,2", ["1"]), ("-1", [])]
)
def test_cuda_visible_devices(monkeypatch: pytest.MonkeyPatch, variable: str, found: list[str]) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", variable)
    assert visible_gpus() == found


def start(*arguments: object) -> subprocess.Popen[str]:
    command = [*RESERVE, *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_options_signals_and_the_exit_status_are_those_of_the_program() -> None:
    with start(sys.executable, "-c", "import os; print(os.getpid())") as process:
        assert process.communicate(timeout=30)[0] == f"{process.pid}\n"
    with start("sh", "-c", "trap 'exit 7' TERM; echo ready; while :; do sleep 0.05; done") as process:
        assert process.stdout
        assert process.stdout.readline() == "ready\n"
        process.terminate()
        assert process.wait(timeout=30) == 7


def test_portable_numerics_limit_the_libraries_of_a_training_and_keep_its_kernels() -> None:
    limits = portable_environment()
    code = "import os, sys; print(*map(os.environ.get, sys.argv[1:]))"
    with start("--fast-malloc", "--portable", sys.executable, "-c", code, *limits) as process:
        assert process.communicate(timeout=30)[0].split() == [*limits.values()]


def test_a_missing_program_is_one_line() -> None:
    with start("no-such-program") as process:
        said = process.communicate(timeout=30)[1]
    assert said == "error: no-such-program: No such file or directory\n"
    assert process.returncode == 1
