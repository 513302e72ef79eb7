"""Asking SLURM to queue a training again that has come near its time limit."""

import os
import subprocess
import sys


def requeue() -> None:
    """Ask SLURM to run this job again, and print its answer; outside a SLURM job, do nothing."""
    if not (job := os.environ.get("SLURM_JOB_ID")):
        return
    try:
        done = subprocess.run(["scontrol", "requeue", job], capture_output=True, errors="replace")
        answer = done.stderr.strip() or "it will be run again"
    except OSError as error:
        answer = f"scontrol: {error.strerror}"
    print(f"job {job}: {answer}", file=sys.stderr)
