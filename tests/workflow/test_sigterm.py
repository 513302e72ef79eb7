"""SIGTERM while Snakemake's main thread holds the lock that Snakemake's handler of SIGTERM takes."""

import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src"

# The scheduler as `_finish_jobs` runs it: in the main thread, with its lock held.
FINISHES_A_JOB = """
import os, signal, threading
from snakemake.scheduling.job_scheduler import JobScheduler
from transformer.workflow.sigterm import handle_in_a_thread

scheduler = JobScheduler.__new__(JobScheduler)
scheduler._lock, scheduler._open_jobs, scheduler._user_kill = threading.Lock(), threading.Semaphore(0), None
signal.signal(signal.SIGTERM, scheduler.exit_gracefully)
if {cured}:
    handle_in_a_thread()
print("ready", flush=True)
for _ in range(10):
    with {lock}:
        os.kill(os.getpid(), signal.SIGTERM)
    scheduler._open_jobs.acquire()
    assert scheduler._user_kill == "graceful"
    scheduler._user_kill = None
print("went on")
"""
LOCKS = [
    "scheduler._lock",
    "scheduler._open_jobs._cond",
]  # the second is held while the main thread waits for jobs


def finish_a_job(lock: str, cured: bool, timeout: float) -> str | None:
    """Return what the scheduler said at the end, or None if it did not end in time."""
    command = [sys.executable, "-c", FINISHES_A_JOB.format(lock=lock, cured=cured)]
    # Without a buffer: `communicate` would not return what `readline` had read beyond its line.
    with subprocess.Popen(command, cwd=SOURCE, stdout=subprocess.PIPE, bufsize=0) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        try:
            return process.communicate(timeout=timeout)[0].decode()
        except subprocess.TimeoutExpired:
            process.kill()
            return None


@pytest.mark.parametrize("lock", LOCKS)
def test_snakemake_goes_on(lock: str) -> None:
    assert finish_a_job(lock, cured=True, timeout=120) == "went on\n"


@pytest.mark.parametrize("lock", LOCKS)
def test_the_cure_is_still_needed(lock: str) -> None:
    """When this fails, Snakemake has mended its handler, and src/transformer/workflow/sigterm.py can go."""
    assert finish_a_job(lock, cured=False, timeout=2) is None
