"""docs/walkthrough.ipynb runs, and its stored outputs are those of a run; docs/colab.ipynb runs."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
from micro_project import ROOT

NAMES = ("run_walkthrough.py", "walkthrough.ipynb")


def code_cells(file: Path) -> list[nbformat.NotebookNode]:
    return [cell for cell in nbformat.read(file, as_version=4).cells if cell.cell_type == "code"]


def kinds(cells: list[nbformat.NotebookNode]) -> list[str]:
    """The kinds of data that the cells show."""
    return [kind for cell in cells for output in cell.outputs for kind in output.get("data", ())]


def check(cells: list[nbformat.NotebookNode]) -> None:
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    assert kinds(cells).count("image/png") == 2
    assert kinds(cells).count("text/html") == 2
    assert "Transformer (base model)" in cells[-1].outputs[-1].data["text/html"]


def test_the_stored_outputs_are_of_a_run_and_small() -> None:
    notebook = ROOT / "docs" / "walkthrough.ipynb"
    check(code_cells(notebook))
    assert notebook.stat().st_size < 200_000


def test_it_runs(finished: Path, tmp_path: Path) -> None:
    """At the smallest scale; its assertions compare the formulas with the model."""
    project = shutil.copytree(finished, tmp_path / "project")
    (project / "docs").mkdir()
    for name in NAMES:
        shutil.copy(ROOT / "docs" / name, project / "docs")
    notebook = project / "docs" / "walkthrough.ipynb"
    notebook.write_text(notebook.read_text().replace("results/demo/", "results/micro/"))
    environment = {**os.environ, "PYTHONPATH": str(project / "src")}
    command = [sys.executable, str(project / "docs" / "run_walkthrough.py")]
    run = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300, check=False
    )
    assert run.returncode == 0, run.stderr
    check(code_cells(notebook))


def test_the_commands_for_colab(finished: Path, tmp_path: Path) -> None:
    """All but the installation, which tests/architecture/test_environment.py tries."""
    project = shutil.copytree(finished, tmp_path / "project")
    text = "\n".join(cell.source for cell in code_cells(ROOT / "docs" / "colab.ipynb")).replace(
        "/demo/", "/micro/"
    )
    values = dict(re.findall(r'^(sentence|model) = "(.+)"$', text, re.MULTILINE))
    shell = [line.removeprefix("!") for line in text.splitlines() if line.startswith("!")]
    assert [line.split()[0] for line in shell] == ["git", "make", "make", "echo"]
    assert shell[2] == "make results/table2.tex"
    assert (project / "results" / "table2.md").exists()
    program = shell[3].format(**values).replace(".venv/bin/python", shlex.quote(sys.executable))
    run = subprocess.run(
        program, shell=True, cwd=project, capture_output=True, text=True, timeout=300, check=False
    )
    assert run.returncode == 0, run.stderr
    assert len(run.stdout.splitlines()) == 1
