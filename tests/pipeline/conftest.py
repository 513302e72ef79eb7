"""A finished project, which several files of tests copy instead of making it again."""

import fcntl
import os
from pathlib import Path

import pytest
from micro_project import COMMAND, copy_project, snakemake


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project whose Tables 2 and 4 and metrics have been made; tests copy it and leave it as it is.

    If several processes run tests, the first that needs it makes it, and the others wait.
    """
    session = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        session = session.parent  # each process has a folder of its own in that of the session
    project = session / "finished"
    with (session / "finished.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not project.exists():
            run = snakemake(copy_project(project), SNAKEMAKE_LOGGER_ATTENTION_FULL="false")
            assert run.returncode == 0, run.stdout + run.stderr
            (project / "said.log").write_text(run.stdout + run.stderr)  # test_terminal.py reads it
            run = snakemake(project, command=[*COMMAND, "results/table4.csv", "results/metrics.json"])
            assert run.returncode == 0, run.stdout + run.stderr
    return project
