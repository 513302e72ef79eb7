"""docs/walkthrough.ipynb and the README's translation say what today's models say; docs/colab.ipynb runs."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from micro_project import EVERYTHING, ROOT, copy_project, snakemake

from transformer.model.arithmetic import has_fma

MODEL = "results/demo/runs/base/en-de"
NAMES = ("run_walkthrough.py", "walkthrough.ipynb")


def code_cells(file: Path) -> list[nbformat.NotebookNode]:
    return [cell for cell in nbformat.read(file, as_version=4).cells if cell.cell_type == "code"]


def kinds(cells: list[nbformat.NotebookNode]) -> list[str]:
    """The kinds of data that the cells show."""
    return [kind for cell in cells for output in cell.outputs for kind in output.get("data", ())]


def texts(cells: list[nbformat.NotebookNode]) -> list[str]:
    """What the cells print, and their values as text."""
    outputs = [output for cell in cells for output in cell.outputs]
    found = [output.get("text") or output["data"].get("text/plain") for output in outputs]
    return [text for text in found if text]


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with the demo's base model of EN-DE, trained as a reader trains it, and the published Table 2."""
    if not has_fma():
        pytest.skip("this processor has neither AVX2 nor FMA, so its models have other bits")
    project = copy_project(tmp_path_factory.mktemp("demo") / "project")
    shutil.copy(ROOT / "src/demo_grammar/__init__.py", project / "src/demo_grammar")
    run = snakemake(project, scale="demo", command=[*EVERYTHING, f"{MODEL}/averaged/model.safetensors"])
    assert run.returncode == 0, run.stderr
    (project / "results/demo/tables").mkdir(parents=True, exist_ok=True)
    shutil.copy(ROOT / "docs/results/demo/table2.csv", project / "results/demo/tables")
    (project / "docs").mkdir()
    for name in NAMES:
        shutil.copy(ROOT / "docs" / name, project / "docs")
    return project


def python(project: Path, *arguments: str) -> str:
    """Run the project's code in another folder, and return what it prints."""
    environment = {**os.environ, "PYTHONPATH": str(project / "src")}
    command = [sys.executable, *arguments]
    run = subprocess.run(
        command, cwd=project, env=environment, capture_output=True, text=True, timeout=300, check=False
    )
    assert run.returncode == 0, run.stderr
    return run.stdout


def test_the_stored_outputs_are_those_of_a_run(demo: Path) -> None:
    """Every number and every translation; of the pictures only that they are there."""
    stored = code_cells(ROOT / "docs/walkthrough.ipynb")
    python(demo, "docs/run_walkthrough.py")
    cells = code_cells(demo / "docs/walkthrough.ipynb")
    assert texts(cells) == texts(stored)
    assert kinds(cells) == kinds(stored)
    assert kinds(cells).count("image/png") == 2
    assert [cell.execution_count for cell in stored] == list(range(1, len(stored) + 1))


def test_the_translation_in_the_readme_is_the_models(demo: Path) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (example,) = re.findall(
        r'^    t = load\("(.+)"\)\n    t.translate\(\["(.+)"\]\)\n    # \[\'(.+)\'\]$', readme, re.M
    )
    model, sentence, translation = example
    assert model == MODEL
    program = "import sys; from transformer import load; print(*load(sys.argv[1]).translate(sys.argv[2:]))"
    assert python(demo, "-c", program, MODEL, sentence) == f"{translation}\n"


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
