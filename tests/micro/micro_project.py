"""A copy of the project at the micro scale, and Snakemake run in it as a user runs it.

python tests/micro/micro_project.py FOLDER [TARGET …] makes such a copy, or renews its code, and makes Table 2 there.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).parent
EVERYTHING = [sys.executable, "-m", "snakemake", "--cores", "2"]
TABLES = ("results/table2.tex", "results/table2.csv")
COMMAND = [*EVERYTHING, *TABLES]
# With this variable, Snakemake prints its own messages, which `jobs` and `plan` read.
VERBOSE = {"SNAKEMAKE_LOGGER_ATTENTION_FULL": "true"}


def copy_project(folder: Path, root: Path = ROOT) -> Path:
    """Copy the files of the project in ``root`` that the pipeline needs, with the micro scale and without results."""
    for name in ("config", "resources", "workflow", "src", "profiles", "envs"):
        ignored = shutil.ignore_patterns("__pycache__", "*.egg-info")
        shutil.copytree(root / name, folder / name, ignore=ignored, dirs_exist_ok=True)
    shutil.copy(root / "Snakefile", folder)
    shutil.copy(HERE / "micro.yaml", folder / "config")
    shutil.copy(HERE / "micro_grammar.py", folder / "src" / "demo_grammar" / "__init__.py")
    return folder


def snakemake(
    project: Path,
    *options: str,
    scale: str = "micro",
    config: Sequence[str] = (),
    command: list[str] = COMMAND,
    **variables: str,
) -> subprocess.CompletedProcess[str]:
    """Run Snakemake with its own messages; ``SNAKEMAKE_LOGGER_ATTENTION_FULL="false"`` gives those that users see."""
    command = [*command, *options, "--config", f"scale={scale}", *config]
    environment = {**os.environ, **VERBOSE, **variables}
    return subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, timeout=900)


def jobs(run: subprocess.CompletedProcess[str]) -> dict[str, int]:
    """Return rule → number of jobs, from the table that Snakemake prints before it starts."""
    table = re.search(r"^Job stats:\n(.*?)\n\n", run.stdout + run.stderr, re.DOTALL | re.MULTILINE)
    rows = [line.split() for line in table[1].splitlines()[2:]] if table else []
    return {name: int(count) for name, count in rows if name != "total"}


@dataclass(frozen=True)
class Job:
    """A job that Snakemake plans."""

    rule: str
    input: list[str]
    output: list[str]
    priority: float
    resources: dict[str, str]
    command: str

    def option(self, name: str) -> list[str]:
        """Return the values of an option of the job's script, whatever the order of the options."""
        words = self.command.split()
        start = words.index(f"--{name}") + 1
        end = next((n for n in range(start, len(words)) if words[n].startswith(("--", ">"))), len(words))
        return words[start:end]


class Plan(dict[str, Job]):
    """The planned jobs by their outputs, and what Snakemake said beside them."""

    def __init__(self, said: str) -> None:
        self.said = said
        for text in re.findall(r"^(?:local)?rule .*?(?=\n\n)", said, re.DOTALL | re.MULTILINE):
            job = _job(text)
            self |= dict.fromkeys(job.output, job)

    def count(self, rule: str) -> int:
        """Return the number of jobs of a rule."""
        return len({id(job) for job in self.values() if job.rule == rule})

    def of(self, rule: str) -> list[Job]:
        """Return the jobs of a rule."""
        return list({id(job): job for job in self.values() if job.rule == rule}.values())


def _job(text: str) -> Job:
    found = dict(re.findall(r"^(?: {4})?([\w ]+): (.*)$", text.replace("localrule", "rule"), re.MULTILINE))
    parts = (part.partition("=") for part in found.get("resources", "").split(", "))
    return Job(
        rule=re.sub(r"^(?:local)?rule (\w+):.*", r"\1", text, flags=re.DOTALL),
        input=found.get("input", "").split(", "),
        output=found.get("output", "").split(", "),
        priority=float(found.get("priority", 0)),
        resources={name: value for name, _, value in parts},
        command=found.get("Shell command", ""),
    )


def plan(
    project: Path, *targets: str, scale: str = "micro", config: Sequence[str] = (), **variables: str
) -> Plan:
    """Return what Snakemake would run for these targets, by default for everything."""
    command = [*EVERYTHING, *targets, "--dry-run", "--printshellcmds"]
    run = snakemake(project, scale=scale, config=config, command=command, **variables)
    assert run.returncode == 0, run.stdout + run.stderr
    return Plan(run.stdout + run.stderr)


def main() -> None:
    folder, *targets = sys.argv[1:]
    project = copy_project(Path(folder))
    sys.exit(
        subprocess.run([*EVERYTHING, *(targets or TABLES), "--config", "scale=micro"], cwd=project).returncode
    )


if __name__ == "__main__":
    main()
