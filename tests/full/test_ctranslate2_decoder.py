"""CTranslate2 as what translates in the pipeline, at the smallest scale."""

import importlib.util
import json
import shutil
from pathlib import Path

import pytest
from micro_project import COMMAND, jobs, snakemake


@pytest.fixture
def project(finished: Path, tmp_path: Path) -> Path:
    """The finished project, in which CTranslate2 is to translate for big."""
    project = shutil.copytree(finished, tmp_path / "project")
    (project / "params.yaml").write_text("runs: {big: {decoder: ctranslate2}}\n")
    return project


def test_it_translates_and_scores_again_and_trains_nothing(project: Path) -> None:
    planned = snakemake(project, "--dry-run")
    assert jobs(planned) == {"translate": 2, "score_bleu": 2, "table2": 1, "copy_table": 1}
    assert planned.stdout.count(" --engine ctranslate2 --compute-type int8") == 2


@pytest.mark.skipif(importlib.util.find_spec("ctranslate2") is not None, reason="the package is installed")
def test_without_the_package_one_line_says_so_before_anything_runs(project: Path) -> None:
    before = (project / "results/micro/runs/big/en-de/test.de").read_bytes()
    run = snakemake(project)
    assert run.returncode == 1
    assert "error: the package ctranslate2 is not installed" in run.stderr
    assert (project / "results/micro/runs/big/en-de/test.de").read_bytes() == before


def test_tables_and_provenance_say_what_translated(project: Path) -> None:
    pytest.importorskip("ctranslate2", reason="the packages of requirements-export.lock are not installed")
    run = snakemake(project, command=COMMAND)
    assert run.returncode == 0, run.stdout + run.stderr
    note = "CTranslate2 (int8), not the project's own beam search, translated for big."
    assert note in (project / "results" / "table2.tex").read_text()
    provenance = json.loads((project / "results" / "micro" / "provenance.json").read_text())
    engines = {name: run["scores"]["decoding"].get("engine") for name, run in provenance["runs"].items()}
    theirs = {"name": "ctranslate2", "compute_type": "int8"}
    assert engines == {
        f"{run}/{pair}": engine
        for run, engine in (("base", None), ("big", theirs))
        for pair in ("en-de", "en-fr")
    }
    assert provenance["software"]["ctranslate2"]
