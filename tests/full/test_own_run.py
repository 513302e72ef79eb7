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


def test_table_3_and_metrics_train_it_by_name(project: Path) -> None:
    planned = snakemake(project, "--dry-run", command=[*EVERYTHING, "results/table3.csv"])
    assert planned.returncode == 0, planned.stderr
    assert "results/micro/runs/mine/en-de/last/scores.json" in planned.stdout
    planned = snakemake(project, "--dry-run", command=[*EVERYTHING, "results/metrics.json"])
    assert "results/micro/runs/mine/en-de/last/scores.json" in planned.stdout


def test_several_seeds_train_every_table_again(project: Path) -> None:
    asked = [*EVERYTHING, "results/table2.csv", "results/table4.csv"]
    planned = snakemake(project, "--dry-run", command=asked, config=["seeds=[1,2]"])
    assert planned.returncode == 0, planned.stderr
    assert jobs(planned)["train"] == 4 + 2  # base and big of both pairs, and both parsers
    assert "results/micro/runs/parser-semi-seed2/en-silver/parses.csv" in planned.stdout


def test_a_mistake_ends_in_one_line_before_anything_runs(project: Path) -> None:
    for option, line in (
        ("table2=[base,mien]", "table2: unknown run 'mien'; did you mean 'mine'?"),
        ("table2=[]", "table2: [] should be non-empty"),
    ):
        run = snakemake(project, config=[option])
        assert run.returncode == 1
        (error,) = (row for row in run.stderr.splitlines() if "error" in row.lower())
        assert error.startswith("error: config/config.yaml or --config: ")
        assert line in error
