"""A copy of the project at the micro scale, and Snakemake run in it as a user runs it."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[2]
EVERYTHING = [sys.executable, "-m", "snakemake", "--cores", "2"]
TABLES = ("results/table2.tex", "results/table2.csv")
COMMAND = [*EVERYTHING, *TABLES]
# Tests read what Snakemake itself says; test_terminal.py reads what users see.
os.environ["SNAKEMAKE_LOGGER_ATTENTION_FULL"] = "true"


def copy_project(folder: Path, root: Path = ROOT) -> Path:
    """Copy the files of the project in ``root`` that the pipeline needs, with the micro scale and without results."""
    for name in ("config", "workflow", "src", "profiles", "envs"):
        shutil.copytree(
            root / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info")
        )
    shutil.copy(root / "Snakefile", folder)
    shutil.copy(Path(__file__).with_name("micro.yaml"), folder / "config")
    return folder


def snakemake(
    project: Path,
    *options: str,
    scale: str = "micro",
    config: Sequence[str] = (),
    command: list[str] = COMMAND,
    **variables: str,
) -> subprocess.CompletedProcess[str]:
    command = [*command, *options, "--config", f"scale={scale}", *config]
    environment = {**os.environ, **variables}
    return subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, timeout=900)


def jobs(run: subprocess.CompletedProcess[str]) -> dict[str, int]:
    """Return rule → number of jobs, from the table that Snakemake prints before it starts."""
    table = re.search(r"^Job stats:\n(.*?)\n\n", run.stdout + run.stderr, re.DOTALL | re.MULTILINE)
    rows = [line.split() for line in table[1].splitlines()[2:]] if table else []
    return {name: int(count) for name, count in rows if name != "total"}
