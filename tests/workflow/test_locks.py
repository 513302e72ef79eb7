"""Locks of killed Snakemakes are removed, and those of running ones stay."""

import errno
import fcntl
import os
import subprocess
import sys
from pathlib import Path

import pytest

from locks import drop_dead_locks
from transformer.common.errors import UserError

ROOT = Path(__file__).parents[2]
HOLDER = "import sys, locks; alive = locks.drop_dead_locks(sys.argv[1]); print(flush=True); input()"


def test_locks_of_the_dead_go_and_those_of_the_living_stay(tmp_path: Path) -> None:
    lock = tmp_path / "locks" / "0.output.lock"
    lock.parent.mkdir()
    workflow = ROOT / "workflow"
    command = [sys.executable, "-c", HOLDER, str(tmp_path)]
    with subprocess.Popen(command, cwd=workflow, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        holder.stdout.readline()
        lock.touch()
        drop_dead_locks(tmp_path).close()
        assert lock.exists()
        holder.kill()
    drop_dead_locks(tmp_path).close()
    assert not lock.exists()


@pytest.mark.parametrize(("mode", "stays"), [("default", False), ("remote", True)])
def test_a_job_leaves_the_locks_of_the_snakemake_that_submitted_it(
    tmp_path: Path, mode: str, stays: bool
) -> None:
    """Its node may not see the flock of that Snakemake."""
    lock = tmp_path / ".snakemake" / "locks" / "0.output.lock"
    lock.parent.mkdir(parents=True)
    lock.touch()
    command = [sys.executable, "-m", "snakemake", "--snakefile", str(ROOT / "Snakefile"), "--mode", mode]
    subprocess.run([*command, "--list-rules"], cwd=tmp_path, check=True, capture_output=True)
    assert lock.exists() == stays


def test_the_lock_is_one_that_nfs_gives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """NFS makes a flock of lockf, which needs a file that is open for reading, writing, or both."""
    monkeypatch.setattr(fcntl, "flock", fcntl.lockf)
    drop_dead_locks(tmp_path).close()


def test_a_file_system_without_locks_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))

    monkeypatch.setattr(fcntl, "flock", refuse)
    with pytest.raises(
        UserError, match=r"alive: the file system cannot lock files \(Function not implemented\)"
    ):
        drop_dead_locks(tmp_path)
