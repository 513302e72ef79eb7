"""The commands in README.md, CONTRIBUTING.md and docs/ are valid today: each indented line that runs a program."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import tiny
from dvc.cli import parse_args
from micro_project import ROOT, copy_project
from scripts import SCRIPTS

PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
# What the pages write for a file or folder of the user's, and where the test has one.
PLACEHOLDERS = {"/data/penn/wsj": "penn"}
PLACEHOLDERS |= {f"/data/{name}": name for name in ("english.txt", "silver.mrg")}
RESULT = r" (?:results|data)/\S+"


def commands(program: str) -> list[str]:
    """Each command that begins so, once, without its comment and the program before a pipe."""
    text = "\n".join(page.read_text().replace("\\\n", " ") for page in PAGES)
    found = re.findall(rf"^ {{4,}}(?:[^#\n]*\| *)?({program}[^#\n]*)", text, re.MULTILINE)
    return sorted({re.sub(" +", " ", command).strip() for command in found})


def grouped() -> list[str]:
    """The commands of Snakemake, in which those that differ only in the results they ask for are one."""
    groups: dict[str, list[str]] = {}
    for command in commands("snakemake "):
        command = re.sub(r"--cores \w+", "--cores 2", command)
        shared = re.sub(f"({RESULT})+", " RESULTS", command)
        groups.setdefault(shared, []).extend(re.findall(RESULT, command))
    return [shared.replace(" RESULTS", "".join(results)) for shared, results in groups.items()]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with the scale of docs/your-corpus.md, the runs of your-experiment.md and course.md, and files."""
    project = copy_project(tmp_path_factory.mktemp("documented") / "project")
    (scale,) = re.findall(
        r"^    inherits: small\n(?:    .*\n)+", (ROOT / "docs/your-corpus.md").read_text(), re.MULTILINE
    )
    (project / "config/tatoeba.yaml").write_text(scale)
    pages = "".join((ROOT / f"docs/{name}.md").read_text() for name in ("your-experiment", "course"))
    runs = "".join(re.findall(r"^    runs:\n((?:      .*\n)+)", pages, re.MULTILINE)).replace("      ", "  ")
    demo = project / "config/demo.yaml"
    demo.write_text(demo.read_text().replace("\nruns:\n", f"\nruns:\n{runs}"))
    (project / "penn").mkdir()
    for file in ("english.txt", "silver.mrg", "deu-eng.zip"):
        (project / file).write_text("(S (NN Yes))\n")
    return project


@pytest.mark.parametrize("command", grouped())
def test_snakemake_plans_what_is_asked(project: Path, command: str) -> None:
    for placeholder, path in PLACEHOLDERS.items():
        command = command.replace(placeholder, path)
    command = command.replace("snakemake", f"{sys.executable} -m snakemake --dry-run", 1)
    run = subprocess.run(["bash", "-c", command], cwd=project, capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, run.stdout + run.stderr


@pytest.mark.parametrize("command", commands("make "))
def test_make_has_the_target(command: str) -> None:
    run = subprocess.run([*shlex.split(command), "--dry-run"], cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr


@pytest.mark.parametrize("command", commands("dvc "))
def test_dvc_takes_the_options(command: str) -> None:
    parse_args(shlex.split(command)[1:])


@pytest.mark.parametrize("command", commands("python src/"))
def test_a_script_takes_the_options(command: str) -> None:
    script, *options = shlex.split(command)[1:]
    assert SCRIPTS[Path(script).stem] == ROOT / script
    run = tiny.run_captured(Path(script).stem, *options, "--help")
    assert run.returncode == 0, run.stderr
    # argparse stops at --help before it refuses an option that it does not know.
    known = re.findall(r"--[\w-]+", run.stdout)
    assert {option for option in options if option.startswith("--")} <= set(known)
