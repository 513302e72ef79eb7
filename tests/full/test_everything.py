"""Everything at the micro scale, made by `make` as a user makes it: tables, figures, the report, exported models."""

import csv
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import sacrebleu
from hugging_face import load_transformers
from micro_project import ROOT

from transformer.common.files import sha256_of

pytestmark = pytest.mark.timeout(3600)  # 18 trainings of seconds, and what belongs to them

EXPORTS = "results/micro/export"


@pytest.fixture(scope="module")
def project(finished: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The finished project after `make all`."""
    project = shutil.copytree(finished, tmp_path_factory.mktemp("everything") / "project")
    for file in (ROOT / "Makefile", ROOT / "pyproject.toml", *ROOT.glob("requirements*.lock")):
        shutil.copy(file, project)
    # The environment of this test, so that make installs none.
    (project / ".venv/bin").mkdir(parents=True)
    (project / ".venv/bin/activate").write_text(
        f"PATH={shlex.quote(str(Path(sys.executable).parent))}:$PATH\n"
    )
    (project / ".venv/ready").touch()
    make(project, "all")
    return project


def make(project: Path, target: str, status: int = 0) -> str:
    """Make a target at the micro scale; returns what is printed."""
    command = ["make", "--no-print-directory", target, "SCALE=micro", "CORES=2"]
    streams: Any = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    run = subprocess.run(command, cwd=project, **streams)
    assert run.returncode == status, run.stdout
    return run.stdout


def rows_of(project: Path, table: str) -> list[dict[str, str]]:
    with (project / "results" / table).open() as file:
        return list(csv.DictReader(file))


def test_nothing_is_left_to_do(project: Path) -> None:
    assert "nothing to be done" in make(project, "all")


def test_table_3_has_twenty_rows_that_learned(project: Path) -> None:
    rows = rows_of(project, "table3.csv")
    assert len(rows) == 20
    assert sum(float(row["bleu"]) > 20 for row in rows) >= 16
    assert len({row["perplexity"] for row in rows}) == 20


def test_the_page_names_each_result_with_its_hash(project: Path) -> None:
    results = project / "results"
    listed = dict(
        re.findall(r'href="([^"]+)" data-sha256="([0-9a-f]{64})"', (results / "index.html").read_text())
    )
    found = {str(path.relative_to(results)) for path in (*results.glob("*.*"), *results.glob("figures/*"))}
    assert set(listed) == found - {"README.md", "index.html", "first.html", "table2.html"}
    assert {name: sha256_of(results / name) for name in listed} == listed


def test_make_verify(project: Path) -> None:
    assert re.search(r"^\d+ .* stand, 0 differ$", make(project, "verify").splitlines()[-1])


@pytest.fixture(scope="module")
def hugging_face(project: Path) -> Path:
    make(project, f"{EXPORTS}/base/en-de/huggingface")
    return project / EXPORTS / "base/en-de/huggingface"


def test_hugging_face_translates_with_it(hugging_face: Path, project: Path) -> None:
    transformers = load_transformers()
    tokenizer = transformers.AutoTokenizer.from_pretrained(hugging_face)
    model = transformers.MarianMTModel.from_pretrained(hugging_face)
    sources, references = (
        (project / f"data/micro/clean/en-de/test.{side}").read_text().splitlines() for side in ("en", "de")
    )
    translated = model.generate(**tokenizer(sources, return_tensors="pt", padding=True))
    hypotheses = tokenizer.batch_decode(translated, skip_special_tokens=True)
    assert sacrebleu.corpus_bleu(hypotheses, [references]).score > 40


def test_make_export_writes_each_model(project: Path) -> None:
    make(project, "export")
    written = {str(path.relative_to(project / EXPORTS)) for path in (project / EXPORTS).glob("*/*/*")}
    assert {f"{run}/{pair}/huggingface" for run in ("base", "big") for pair in ("en-de", "en-fr")} <= written
