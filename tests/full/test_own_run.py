"""A run that a user adds to a scale, through the real DAG at the smallest scale."""

import csv
import json
import shutil
from pathlib import Path

import pytest
from micro_project import EVERYTHING, jobs, snakemake


@pytest.fixture(scope="module")
def project(finished: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The finished project with one line more under `runs`, the last key of its scale."""
    project = shutil.copytree(finished, tmp_path_factory.mktemp("own") / "project")
    with (project / "config" / "micro.yaml").open("a") as scale:
        scale.write("  mine: {d_model: 24, N: 2}\n")
    return project


def test_metrics_alone_train_it(project: Path) -> None:
    """`dvc exp run` with these results in dvc.yaml, after they were made without the new run."""
    assert (project / "results" / "metrics.json").exists()
    planned = snakemake(project, "--dry-run", command=[*EVERYTHING, "results/metrics.json"])
    assert planned.returncode == 0, planned.stderr
    assert jobs(planned)["train"] == jobs(planned)["metrics"] == 1


def test_it_is_a_row_of_table_2(project: Path) -> None:
    """Only its own models are trained."""
    asked = [*EVERYTHING, "results/table2.csv", "results/metrics.json", "results/figures/training_curves.svg"]
    run = snakemake(project, command=asked, config=["table2=[base,mine]"])
    assert run.returncode == 0, run.stdout + run.stderr
    assert jobs(run)["train"] == 2
    rows = [
        row for row in csv.DictReader((project / "results" / "table2.csv").open()) if row["origin"] == "ours"
    ]
    assert [row["model"] for row in rows[::2]] == ["Transformer (base model)", "mine"]
    assert 0 < float(rows[2]["bleu_en-de_p"]) <= 1
    assert set(json.loads((project / "results" / "metrics.json").read_text())["mine"]) == {"en-de", "en-fr"}
    assert (project / "results" / "curves" / "mine.en-fr.csv").exists()
    config = json.loads((project / "results/micro/runs/mine/en-de/config.json").read_text())
    assert (config["model"]["d_model"], config["model"]["N"]) == (24, 2)
