"""What a killed or terminated Snakemake leaves, and what a second one in the same folder is told."""

import signal
import subprocess
import time
from pathlib import Path

import pytest
from micro_project import EVERYTHING, copy_project

pytestmark = pytest.mark.slow

TARGET = "results/micro/runs/base/en-de/config.json"


def test_sigterm_while_it_finishes_a_job_ends_it(tmp_path: Path) -> None:
    """It holds the scheduler's lock while it waits for an output that a slow disk might still show."""
    project = copy_project(tmp_path)
    (project / "src/training/resolve_run.py").write_text("")  # it writes nothing, so Snakemake waits
    command = [*EVERYTHING, TARGET, "--latency-wait", "8", "--config", "scale=micro"]
    with subprocess.Popen(command, cwd=project, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        try:
            while "Waiting at most 8 seconds for missing files" not in process.stderr.readline():
                assert process.poll() is None
            time.sleep(1)
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=60)
        finally:
            process.kill()
    assert process.returncode == 1  # without workflow/termination.py it never ends
    assert not list(project.glob(".snakemake/locks/*"))
