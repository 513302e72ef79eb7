"""What a killed or terminated Snakemake leaves, and what a second one in the same folder is told."""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import psutil
import pytest
from micro_project import COMMAND, EVERYTHING, TABLES, copy_project, snakemake

from transformer.verification.published import manifest

RUN = Path("results/micro/runs/base/en-de")
TARGET = f"{RUN}/config.json"


USERS = {"SNAKEMAKE_LOGGER_ATTENTION_FULL": "false"}  # what users see


def test_a_second_one_is_refused_in_one_line_and_a_dry_run_changes_nothing(tmp_path: Path) -> None:
    """Also after the first was killed: the line says how to unlock, and then the same command runs."""
    project = copy_project(tmp_path)
    script = project / "src/transformer/training/resolve_run.py"
    text = script.read_text()
    script.write_text(f"import time; time.sleep(600)\n{text}")
    locks = project / ".snakemake" / "locks"
    with subprocess.Popen(
        [*EVERYTHING, TARGET, "--config", "scale=micro"], cwd=project, stderr=subprocess.PIPE
    ) as first:
        try:
            deadline = time.monotonic() + 120
            while not list(locks.glob("*.lock")):
                assert first.poll() is None
                assert time.monotonic() < deadline
                time.sleep(0.1)
            assert snakemake(project, TARGET, "--dry-run", command=EVERYTHING).returncode == 0
            assert list(locks.glob("*.lock"))
            second = snakemake(project, TARGET, command=EVERYTHING, **USERS)
        finally:
            for child in psutil.Process(first.pid).children(recursive=True):
                child.kill()
            first.kill()
    script.write_text(text)
    for refused in (second, snakemake(project, TARGET, command=EVERYTHING, **USERS)):
        assert refused.returncode == 1
        errors = [line for line in refused.stderr.splitlines() if "error" in line.lower()]
        assert len(errors) == 1, refused.stderr
        assert errors[0].startswith("Error: Directory cannot be locked.")
        assert "--unlock" in refused.stderr
    unlock(project)
    assert snakemake(project, TARGET, command=EVERYTHING).returncode == 0
    assert (project / TARGET).exists()


def unlock(project: Path) -> None:
    """Run what the message says after a kill."""
    subprocess.run(
        [sys.executable, "-m", "snakemake", "--unlock"], cwd=project, check=True, capture_output=True
    )


@pytest.fixture
def project(finished: Path, tmp_path: Path) -> Path:
    return shutil.copytree(finished, tmp_path / "project")


def run_until(project: Path, pattern: str) -> None:
    """Start the pipeline, and kill Snakemake alone as soon as a file of results/micro/runs matches ``pattern``."""
    command = [*COMMAND, "--config", "scale=micro"]
    silent: Any = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(command, cwd=project, start_new_session=True, **silent) as process:
        deadline = time.monotonic() + 300
        while not list(project.glob(f"results/micro/runs/{pattern}")):
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.05)
        process.kill()


def test_a_training_goes_on_when_snakemake_alone_is_killed(project: Path) -> None:
    before = [(project / name).read_bytes() for name in TABLES]
    for name in TABLES:
        (project / name).unlink()
    for folder in ("tables", "runs/base"):
        shutil.rmtree(project / "results/micro" / folder)
    run_until(project, "base/*/checkpoints/**/step-*")
    unlock(project)
    again = snakemake(project)
    assert again.returncode == 0, again.stdout + again.stderr
    assert [(project / name).read_bytes() for name in TABLES] == before


PROGRAMS = "gather train average_checkpoints translate parse table2 make_page"
COPIES = (*TABLES, "results/table4.md", "results/figures/training_curves.pdf")


def test_killed_in_each_stage_and_run_again_it_ends_with_the_same_files(project: Path) -> None:
    """The whole group is killed, Snakemake and its jobs, as soon as a stage's program runs that has not been killed."""
    command = [*EVERYTHING, *COPIES, "results/index.html"]
    assert snakemake(project, command=command).returncode == 0
    before = manifest("micro", project)
    kept = [(project / name).read_bytes() for name in COPIES]
    for name in (*COPIES, "results/index.html", "results/micro/tables", "results/micro/figures", "data"):
        forget(project / name)
    for run in ("base/en-de", "parser/en-trees"):  # other trainings would only repeat what these do
        forget(project / "results/micro/runs" / run)
    left = set(PROGRAMS.split())
    while killed := run_until_program(project, command, left):
        left.remove(killed)
        unlock(project)
    assert not left
    # Without what no missing file needs, such as the data of other trainings.
    after = manifest("micro", project)
    assert after == {name: before.get(name) for name in after}
    assert [(project / name).read_bytes() for name in COPIES] == kept


def forget(path: Path) -> None:
    shutil.rmtree(path) if path.is_dir() else path.unlink()


def run_until_program(project: Path, command: list[str], names: set[str]) -> str | None:
    """Run the command until one of these programs runs, and kill the whole group; return its name, or None."""
    silent: Any = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    config = ["--config", "scale=micro"]
    with subprocess.Popen([*command, *config], cwd=project, start_new_session=True, **silent) as process:
        while process.poll() is None:
            for child in psutil.Process(process.pid).children(recursive=True):
                with contextlib.suppress(psutil.NoSuchProcess):
                    # python -m transformer.ROOM.PROGRAM …
                    name = " ".join(child.cmdline()[1:3]).rpartition(".")[2]
                    if name in names:
                        os.killpg(process.pid, signal.SIGKILL)
                        return name
            time.sleep(0.02)
    assert process.returncode == 0
    return None
