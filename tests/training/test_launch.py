"""What torchrun is asked for, and what becomes of the ways in which it can end."""

import os
import signal
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from torch.distributed.elastic.multiprocessing.errors import ChildFailedError

from transformer.common.errors import UserError
from transformer.training import launch as module
from transformer.training.distributed import LAUNCHER
from transformer.training.launch import launch, rendezvous_endpoint, requeue

COMMAND = ["train.py", "--output", "a b"]


@pytest.fixture
def torchrun(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """Stands in for torchrun: keeps its options, and raises ``error`` if there is one."""
    stand_in = SimpleNamespace(options=None, error=None)

    def run(options: Any) -> None:
        stand_in.options = options
        if stand_in.error is not None:
            raise stand_in.error

    monkeypatch.setattr(module, "run", run)
    for name in ("OMP_NUM_THREADS", "TORCH_ELASTIC_SHUTDOWN_TIMEOUT", LAUNCHER):
        monkeypatch.setenv(name, "")  # restored afterwards
        monkeypatch.delenv(name)
    return stand_in


@pytest.fixture
def slurm(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> SimpleNamespace:
    """A SLURM job whose ``scontrol`` gives a certain answer; ``commands()`` are the arguments of its runs."""
    log = tmp_path / "log"

    def answers(output: str = "", error: str = "", code: int = 0) -> None:
        program = tmp_path / "scontrol"
        program.write_text(
            f"#!/bin/sh\necho \"$@\" >> {log}\nprintf '{output}'\nprintf '{error}' >&2\nexit {code}\n"
        )
        program.chmod(0o755)

    monkeypatch.setenv("SLURM_JOB_ID", "45678")
    monkeypatch.setenv("SLURM_JOB_NODELIST", "n[1-2]")
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    answers()
    return SimpleNamespace(
        answers=answers,
        commands=lambda: log.read_text().splitlines() if log.exists() else [],
    )


def test_processes_of_several_nodes(torchrun: SimpleNamespace, slurm: SimpleNamespace) -> None:
    """They meet at a port on the first node that depends on the job."""
    slurm.answers(r"n1\nn2\n")
    assert launch(2, 8, COMMAND) == 0
    options = torchrun.options
    assert (options.nnodes, options.nproc_per_node, options.standalone) == ("2", "8", False)
    assert (options.rdzv_backend, options.rdzv_id, options.rdzv_endpoint) == ("c10d", "45678", "n1:25678")
    assert options.rdzv_conf == "join_timeout=300,read_timeout=300"
    assert slurm.commands() == ["show hostnames n[1-2]"]


@pytest.mark.parametrize(
    ("exit_code", "code", "said"),
    [
        (3, 3, ""),
        (-signal.SIGKILL, 137, "process 1 of this training was killed by signal 9, most likely because "),
        (-signal.SIGABRT, 134, "killed by signal 6, which is how NCCL ends a process that has waited"),
        (-signal.SIGSEGV, 139, "killed by signal 11; run again to continue from the last checkpoint"),
    ],
)
def test_a_process_that_fails(
    torchrun: SimpleNamespace, capsys: pytest.CaptureFixture[str], exit_code: int, code: int, said: str
) -> None:
    """A process that ends by itself has said why."""
    failure: Any = SimpleNamespace(exitcode=exit_code, local_rank=1, timestamp=0)
    torchrun.error = ChildFailedError.__new__(ChildFailedError)
    torchrun.error.get_first_failure = lambda: (1, failure)
    assert launch(1, 2, COMMAND) == code
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == int(bool(said))


@pytest.mark.usefixtures("slurm")
@pytest.mark.parametrize("missing", ["SLURM_JOB_ID", "SLURM_JOB_NODELIST"])
def test_several_nodes_need_a_slurm_job(monkeypatch: pytest.MonkeyPatch, missing: str) -> None:
    monkeypatch.delenv(missing)
    with pytest.raises(UserError, match="several nodes needs a SLURM job"):
        rendezvous_endpoint()


@pytest.mark.parametrize(
    ("output", "error", "code", "said"),
    [("n1", r"Invalid \377\n", 1, "Invalid �"), ("", "", 0, "it printed")],
)
def test_slurm_does_not_name_the_nodes(
    slurm: SimpleNamespace, output: str, error: str, code: int, said: str
) -> None:
    slurm.answers(output, error, code)
    with pytest.raises(UserError, match=f"^scontrol does not name the nodes of job 45678: {said}"):
        rendezvous_endpoint()


def test_a_job_is_run_again(
    slurm: SimpleNamespace, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for error, said in (("", "it will be run again"), (r"not allowed\n", "not allowed")):
        slurm.answers(error=error)
        requeue()
        assert capsys.readouterr().err == f"job 45678: {said}\n"
    monkeypatch.delenv("SLURM_JOB_ID")
    requeue()
    assert slurm.commands() == ["requeue 45678"] * 2
