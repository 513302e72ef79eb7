"""The commit that the code is from.  Snakemake's own environment may lack pandas, so this is a module by itself."""

import os
import subprocess

from transformer.common.project import PROJECT


def describe_commit() -> str:
    """Return the commit that this code is from, as ``git describe`` names it (``-dirty``: files differ from it).

    The project may lie in the repository of something else, whose commit says nothing of this code.
    """
    try:
        if os.path.samefile(_git("rev-parse", "--show-toplevel"), PROJECT):
            return _git("describe", "--always", "--dirty")
    except (OSError, subprocess.CalledProcessError):
        pass
    return "unknown: not in a git repository"


def _git(*arguments: str) -> str:
    command = ["git", *arguments]
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, errors="replace", check=True)
    return done.stdout.strip()
