"""Start the program that shows training curves, for as long as Snakemake runs."""

import atexit
import shlex
import subprocess
import sys
from pathlib import Path

from transformer.common.optional_packages import TRACK, require

# How to look at the curves in a folder.
COMMANDS = {"tensorboard": "tensorboard --logdir {}", "dvclive": "dvc plots show {}/*/plots/metrics"}


def start_tracker(tool: str, script: str, runs: str, folder: str) -> None:
    """Show the trainings of the folder ``runs`` in ``folder``, and say how to look at them.

    ``script`` is track.py of the training.  What it says is in a file beside the folder.  Raises UserError if the tool
    is not installed.
    """
    require(tool, TRACK)
    Path(folder).mkdir(parents=True, exist_ok=True)
    command = [sys.executable, script, "--follow", "--tool", tool, "--runs", runs, "--output", folder]
    with open(f"{folder}.log", "w", encoding="utf-8") as log:
        # It ends when its input does, so also when Snakemake is killed.  It has a session of its own, because Ctrl-C
        # would end it before the last points are there.
        tracker = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=log, stderr=log, start_new_session=True
        )
    atexit.register(tracker.communicate)  # ends its input, and waits for it
    print(f"training curves: {COMMANDS[tool].format(shlex.quote(folder))}", file=sys.stderr)
