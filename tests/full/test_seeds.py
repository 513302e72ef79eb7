"""Several seeds for real: the cells are mean and standard deviation of the scores of their trainings."""

import csv
import json
import shutil
import statistics
from pathlib import Path

import pytest
from micro_project import EVERYTHING, jobs, snakemake

RUNS = Path("results/micro/runs")


@pytest.fixture(scope="module")
def project(finished: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The finished project, whose trainings have the first of two seeds; those of the second are added."""
    project = shutil.copytree(finished, tmp_path_factory.mktemp("seeds") / "project")
    asked = [*EVERYTHING, "results/table2.csv", "results/table4.csv"]
    run = snakemake(project, command=asked, config=["table2=[base]", "seeds=[1,2]"])
    assert run.returncode == 0, run.stdout + run.stderr
    assert jobs(run)["train"] == 2 + 2  # base for each pair, and both parsers
    return project


def ours(project: Path, table: str, **columns: str) -> dict[str, str]:
    """The only row of ours with these values."""
    rows = csv.DictReader((project / "results" / table).open())
    (row,) = (row for row in rows if {"origin": "ours", **columns}.items() <= row.items())
    return row


def of_both_seeds(project: Path, run: str, file: str, *keys: str) -> list[float]:
    """The two scores of a run, which differ."""
    scores = []
    for name in (run, f"{run}-seed2"):
        content = json.loads((project / RUNS / name / file).read_text())
        for key in keys:
            content = content[key]
        scores.append(content)
    assert scores[0] != scores[1]
    return scores


@pytest.mark.parametrize("pair", ["en-de", "en-fr"])
def test_bleu(project: Path, pair: str) -> None:
    row = ours(project, "table2.csv", measure="sacreBLEU")
    scores = of_both_seeds(project, "base", f"{pair}/scores.json", "measures", "sacrebleu", "value")
    assert float(row[f"bleu_{pair}"]) == pytest.approx(statistics.mean(scores), abs=5e-5)
    assert float(row[f"bleu_{pair}_sd"]) == pytest.approx(statistics.stdev(scores), abs=5e-5)
    assert row["seeds"] == "1 2"


@pytest.mark.parametrize(
    ("parser", "training"),
    [("parser/en-trees", "WSJ only, discriminative"), ("parser-semi/en-silver", "semi-supervised")],
)
def test_f1(project: Path, parser: str, training: str) -> None:
    row = ours(project, "table4.csv", training=training, decoding_method="constrained")
    run, data = parser.split("/")
    scores = of_both_seeds(project, run, f"{data}/parses.json", "all", "f1")
    assert float(row["f1"]) == pytest.approx(statistics.mean(scores), abs=5e-5)
    assert float(row["f1_sd"]) == pytest.approx(statistics.stdev(scores), abs=5e-5)
