"""The folder of results for other people to read."""

import json
import shutil
from argparse import Namespace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import tiny
from made_artifacts import write_perplexity, write_timing, write_training

from transformer.common.artifacts import write_artifact
from transformer.common.errors import UserError
from transformer.common.files import sha256_of
from transformer.report.packed_runs import unpack
from transformer.report.publish_results import publish
from transformer.tables.cells import Table
from transformer.tables.cells import content as table_content
from transformer.tables.provenance import behind_table
from transformer.tables.runs import read_further_tests, read_runs

FREE = "The Law will never be perfect."


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A scale with one run of Table 2, one training that has not been scored, and figures."""
    monkeypatch.chdir(tmp_path)
    folder = Path("results/tiny")
    write(folder / "tables/table2.md", "| base | 7.1 |")
    write(folder / "tables/table2.csv", "run\nbase")
    for run in ("base", "C-N2"):
        training(folder / "runs" / run / "en-de", run)
    base = folder / "runs/base/en-de"
    config = {"name": "config.json", "sha256": sha256_of(base / "config.json")}
    interval = {"low": 6.0, "high": 8.0}
    scores = {"multi_bleu_split": {"value": 7.1, "interval": interval, "signature": "nrefs:1"}}
    content = {
        "format": 2,
        "language": "de",
        "sentences": 9,
        "headline": "multi_bleu_split",
        "measures": scores,
    }
    content |= {"files": {"config": config}}
    write_artifact(base / "scores.json", content)
    write_perplexity(base / "perplexity.json", test=1.5)
    test = base / "tests" / "news"
    write_artifact(test / "scores.json", content | {"sentences": 3})
    write(folder / "layers.json", {})
    runs = [*read_runs([base]), *read_further_tests([test])]
    behind = behind_table(Namespace(layers=[folder / "layers.json"]), runs)
    write_artifact(
        folder / "tables/table2.json", table_content(Table("table2", [], [], csv=[], behind=behind))
    )
    for figure in ("attention_block", "attention_cross", "learning_rate", "parse_tree"):
        write(folder / f"figures/{figure}.svg", "<svg/>")
    show(folder, "A dog runs.")
    return folder


def show(results: Path, sentence: str) -> None:
    """Let the figures of attention show the free sentence and another."""
    kinds: dict[str, Any] = {
        kind: {"queries": [], "keys": [], "weights": [[]]} for kind in ("encoder", "decoder", "cross")
    }
    shown = {"long_distance": FREE, "anaphora": sentence}
    sentences = {
        name: {"word": "x", "source": text, "translation": "x", "attention": kinds}
        for name, text in shown.items()
    }
    facts = {"run": "base", "pair": "en-de", "scale": "tiny", "corpus": "tiny", "model_sha256": "d" * 64}
    write_artifact(results / "figures/attention.json", {"format": 1, **facts, "sentences": sentences})


def training(folder: Path, run: str) -> None:
    write_artifact(folder / "config.json", tiny.run_config() | {"run": run})
    write_training(folder, training_flops=12, parameters=34)
    timing = {
        "wall_seconds": 5400,
        "devices": 1,
        "device_name": "Chip 7",
        "hardware": "x86_64 Linux, torch 2",
    }
    write_timing(folder, **timing, threads=1, precision="bf16", tokens_per_second=15000)
    write(folder / "metrics.jsonl", '{"step": 1, "loss": 2.0}')


def test_a_training_that_went_on_elsewhere_has_the_hours_of_each_machine(results: Path) -> None:
    (folder,) = {path.parent for path in results.glob("runs/C-N2/*/timing.json")}
    facts = {"devices": 1, "threads": 2, "precision": "bf16", "hardware": "x86_64 Linux, torch 2"}
    parts = [
        {"steps": 5, "seconds": seconds, "device_name": name, **facts}
        for name, seconds in (("Chip 7", 3600), ("Chip 8", 1800))
    ]
    timing = {"wall_seconds": 5400, "tokens_per_second": 9, "stretches": parts}
    write_artifact(folder / "timing.json", timing)
    publish_to(results, Path("published"))
    (row,) = pd.read_csv("published/training/trainings.csv").query("run == 'C-N2'").to_dict("records")
    assert row["hours"] == 1.5
    assert row["machine"] == (
        "1.00 hours on 1 × Chip 7, 2 thread, bf16, x86_64 Linux, torch 2; "
        "0.50 hours on 1 × Chip 8, 2 thread, bf16, x86_64 Linux, torch 2"
    )


def write(path: Path, content: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")


def figures_of(output: Path) -> list[str]:
    return sorted(path.stem for path in output.glob("figures/*"))


def publish_to(results: Path, output: Path, *, generated: bool = False) -> None:
    publish(results, output, {"scale": "`tiny`"}, generated, {FREE})


def test_tables_scores_and_trainings(results: Path) -> None:
    output = Path("published")
    publish_to(results, output)
    write(output / "table9.md", "of an earlier publication")
    publish_to(results, output)
    names = {path.relative_to(output).as_posix() for path in output.rglob("*.*")}
    tables = ["table2.md", "table2.csv", "table2.json", "scores.csv"]
    curves = [f"training/{name}" for name in ("trainings.csv", "base.en-de.jsonl", "C-N2.en-de.jsonl")]
    figures = ["figures/attention_block.svg", "figures/learning_rate.svg"]
    kinds = (
        "config.jsonl",
        "perplexity.csv",
        "perplexity.jsonl",
        "scores.jsonl",
        "timing.jsonl",
        "training.jsonl",
    )
    unlisted = [*(f"runs/{kind}.gz" for kind in kinds), "layers.json"]
    assert names == {"README.md", *tables, *curves, *figures, *unlisted}
    sums = (line.split("  ") for line in (output / "SHA256SUMS").read_text().splitlines())
    assert {name: sha256 for sha256, name in sums} == {
        name: sha256_of(output / name) for name in names - {"README.md"}
    }
    of_runs = {
        path.relative_to(results / "runs").as_posix(): path for path in results.glob("runs/*/*/**/*.*")
    }
    for path, text in unpack(output / "runs").items():
        assert of_runs[path].read_text() == text
    scores = pd.read_csv(output / "scores.csv")
    headlines = scores[scores["headline"]]
    assert headlines[["test_set", "value"]].to_numpy().tolist() == [["tiny", 7.1], ["news", 7.1]]
    trainings = pd.read_csv(output / "training/trainings.csv")
    assert trainings[["run", "steps", "hours"]].to_numpy().tolist() == [["C-N2", 9, 1.5], ["base", 9, 1.5]]
    behind = json.loads((output / "table2.json").read_text())["behind"]
    cited = [*behind["sources"], *(file for run in behind["runs"].values() for file in run["files"].values())]
    found = {f"runs/{path}" for path in unpack(output / "runs")} | names
    assert {file["path"].removeprefix("results/tiny/") for file in cited} <= found
    page = (output / "README.md").read_text(encoding="utf-8")
    assert "| trainings | 2, 3.0 hours in all" in page
    assert "1 × Chip 7, 1 thread, bf16, x86_64 Linux, torch 2" in page
    assert [name for name in sorted(names - {"README.md", *unlisted}) if f"]({name})" not in page] == []
    assert page.index("| base | 7.1 |") < page.index("| trainings |")


@pytest.mark.parametrize(
    ("sentence", "generated", "shown"),
    [(FREE, False, ["cross"]), ("A dog runs.", False, []), ("A dog runs.", True, ["cross", "parse_tree"])],
)
def test_sentences_of_a_corpus_stay_out(
    results: Path, sentence: str, generated: bool, shown: list[str]
) -> None:
    show(results, sentence)
    publish_to(results, Path("published"), generated=generated)
    names = [name.removeprefix("attention_") for name in figures_of(Path("published"))]
    assert names == sorted(["block", "learning_rate", *shown])


def test_a_folder_with_other_files_is_kept(results: Path) -> None:
    write(results.parent / "thesis.txt", "mine")
    with pytest.raises(UserError, match="this folder has files that would be lost, .*thesis.txt"):
        publish_to(results, results.parent)
    assert (results.parent / "thesis.txt").exists()


def test_what_no_table_shows_is_said(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    publish_to(results, Path("published"))
    said = "no table shows 1 of the 2 trainings that are published: C-N2/en-de"
    assert said in capsys.readouterr().err


def test_a_table_of_earlier_results_is_not_published(results: Path) -> None:
    training(results / "runs/base/en-de", "base of other settings")
    with pytest.raises(
        UserError, match=r"table2\.json: an earlier run's, of another .*config\.json; make it again"
    ):
        publish_to(results, Path("published"))
    assert not Path("published").exists()


def test_an_earlier_publication_stays_when_a_run_is_damaged(results: Path) -> None:
    output = Path("published")
    publish_to(results, output)
    before = sorted(output.rglob("*"))
    write(results / "runs/base/en-de/scores.json", {})
    with pytest.raises(UserError, match="scores.json"):
        publish_to(results, output)
    assert sorted(output.rglob("*")) == before


def test_trainings_without_a_score_are_not_published(results: Path) -> None:
    """Table 1, for example, needs none."""
    shutil.rmtree(results / "runs/base/en-de/tests")
    (results / "runs/base/en-de/scores.json").unlink()
    expected = r"^results/tiny: no run has been scored; make a table of scores first"
    with pytest.raises(UserError, match=expected):
        publish_to(results, Path("published"))
    assert not Path("published").exists()


def test_nothing_to_publish(tmp_path: Path) -> None:
    output = tmp_path / "published"
    options = ["--scale", "demo", "--results", tmp_path, "--output", output]
    assert "there is no table to publish; make one first" in tiny.error("publish_results", *options)
    assert not output.exists()
