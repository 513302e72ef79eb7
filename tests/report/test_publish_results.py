"""The folder of results for other people to read."""

import json
from argparse import Namespace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import tiny
from fake_runs import make_run
from made_artifacts import change, write_timing

from transformer.common.artifacts import write_artifact
from transformer.common.errors import UserError
from transformer.common.files import sha256_of
from transformer.report.packed_runs import unpack
from transformer.report.publish_results import publish
from transformer.tables.cells import Cell, Column, Line, Table
from transformer.tables.provenance import behind_table
from transformer.tables.render import write_table
from transformer.tables.runs import read_runs
from transformer.verification.published import is_kept

FREE = "The Law will never be perfect."


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A scale with one run of Table 2, one training that has not been scored, and figures."""
    monkeypatch.chdir(tmp_path)
    folder = Path("results/tiny")
    base, unscored = (
        make_run(run, "en-de", bleu=7.1, scale="tiny", corpus="tiny") for run in ("base", "C-N2")
    )
    for name in ("scores", "perplexity"):
        (unscored / f"{name}.json").unlink()
        (unscored / f"{name}.csv").unlink()
    for run in (base, unscored):
        change(run / "training.json", numerics="portable")
        write_timing(run, wall_seconds=5400, device_name="Chip 7")
        write(run / "metrics.jsonl", '{"step": 1, "loss": 2.0}')
    write(folder / "layers.json", {})
    runs = read_runs([base])
    behind = behind_table(Namespace(layers=[folder / "layers.json"]), runs)
    lines = [Line([Cell("run", "base"), Cell("bleu", "7.1")])]
    columns = [Column("run", ["Run"]), Column("bleu", ["BLEU"])]
    write_table(Table("table2", columns, lines, csv=["run", "bleu"], behind=behind), folder / "tables")
    for figure in ("attention_block", "attention_cross", "learning_rate", "parse_tree"):
        write(folder / f"figures/{figure}.svg", '<svg width="9.5pt"/>')
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


def test_a_training_that_went_on_elsewhere_names_each_machine(results: Path) -> None:
    (folder,) = {path.parent for path in results.glob("runs/C-N2/*/timing.json")}
    facts = {"devices": 1, "threads": 2, "precision": "bf16", "hardware": "x86_64 Linux, torch 2"}
    parts = [{"device_name": name, **facts} for name in ("Chip 7", "Chip 8")]
    timing = {"wall_seconds": 5400, "tokens_per_second": 9, "stretches": parts}
    write_artifact(folder / "timing.json", timing)
    publish_to(results, Path("published"))
    (row,) = pd.read_csv("published/training/trainings.csv").query("run == 'C-N2'").to_dict("records")
    assert row["hours"] == 1.5
    machines = [f"1 × Chip {n}, 2 thread, bf16, x86_64 Linux, torch 2" for n in (7, 8)]
    assert row["machine"] == "; ".join(machines)


def write(path: Path, content: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")


def figures_of(output: Path) -> list[str]:
    return sorted(path.stem for path in output.glob("figures/*"))


def publish_to(results: Path, output: Path, *, generated: bool = False) -> None:
    publish(results.name, output, "tiny", generated, {FREE})


def test_tables_scores_and_trainings(results: Path) -> None:
    output = Path("published")
    publish_to(results, output)
    publish_to(results, output)
    names = {path.relative_to(output).as_posix() for path in output.rglob("*.*")}
    tables = [*(f"table2.{ending}" for ending in ("md", "csv", "json", "tex")), "scores.csv"]
    curves = [f"training/{name}" for name in ("trainings.csv", "base.en-de.jsonl", "C-N2.en-de.jsonl")]
    figures = ["figures/attention_block.svg", "figures/learning_rate.svg"]
    kinds = (
        "config.jsonl",
        "perplexity.csv",
        "perplexity.jsonl",
        "scores.csv",
        "scores.jsonl",
        "timing.jsonl",
        "training.jsonl",
    )
    curves.append("manifest.csv")
    unlisted = [*(f"runs/{kind}.gz" for kind in kinds), "layers.json"]
    assert names == {"README.md", "index.html", *tables, *curves, *figures, *unlisted}
    sums = (line.split("  ") for line in (output / "SHA256SUMS").read_text().splitlines())
    assert {name: sha256 for sha256, name in sums} == {name: sha256_of(output / name) for name in names}
    of_runs = {
        path.relative_to(results / "runs").as_posix(): path for path in results.glob("runs/*/*/**/*.*")
    }
    for path, text in unpack(output / "runs").items():
        assert of_runs[path].read_text() == text
    scores = pd.read_csv(output / "scores.csv")
    headlines = scores[scores["headline"]]
    assert headlines[["test_set", "value"]].to_numpy().tolist() == [["tiny", 7.1]]
    trainings = pd.read_csv(output / "training/trainings.csv")
    assert trainings[["run", "steps", "hours"]].to_numpy().tolist() == [["C-N2", 9, 1.5], ["base", 9, 1.5]]
    behind = json.loads((output / "table2.json").read_text())["behind"]
    cited = [*behind["sources"], *(file for run in behind["runs"].values() for file in run["files"].values())]
    found = {f"runs/{path}" for path in unpack(output / "runs")} | names
    assert {file["path"].removeprefix("results/tiny/") for file in cited} <= found
    page = (output / "README.md").read_text(encoding="utf-8")
    assert "| trainings | 2, 3.0 hours in all" in page
    assert "1 × Chip 7, 1 thread, fp32, x" in page
    assert [
        name for name in sorted(names - {"README.md", "index.html", *unlisted}) if f"]({name})" not in page
    ] == []
    assert page.index("| base  | 7.1    |") < page.index("| trainings |")


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


@pytest.mark.parametrize("name", ["notes/observations.md", "figures/poster.png", "scores.xlsx", "README.md"])
def test_a_file_of_the_users_stays_whatever_its_name(results: Path, name: str) -> None:
    output = Path("published")
    publish_to(results, output)
    write(output / name, "mine")
    before = {path: path.read_bytes() for path in output.rglob("*.*")}
    with pytest.raises(UserError, match=f"published: has 1 files, {name}, which this program did not write"):
        publish_to(results, output)
    assert {path: path.read_bytes() for path in output.rglob("*.*")} == before


def test_a_publication_of_fewer_results_deletes_nothing(results: Path) -> None:
    output = Path("published")
    publish_to(results, output)
    before = sorted(output.rglob("*"))
    (results / "figures/learning_rate.svg").unlink()
    with pytest.raises(UserError, match=r"has 1 files, figures/learning_rate\.svg, which would be lost"):
        publish_to(results, output)
    assert sorted(output.rglob("*")) == before


def test_the_manifest_lists_what_there_is_and_what_it_no_longer_lists_is_said(
    results: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("transformer.verification.published.PUBLISHED", Path("docs"))
    write(Path("docs/tiny/manifest.csv"), "path,sha256\nresults/tiny/gone.json,abc\n")
    publish_to(results, Path("published"))
    listed = pd.read_csv("published/manifest.csv").set_index("path")["sha256"].to_dict()
    assert listed == {path.as_posix(): sha256_of(path) for path in results.rglob("*.*") if is_kept(path)}
    said = "1 files of the manifest published before are not here, first results/tiny/gone.json"
    assert said in capsys.readouterr().err


def test_what_no_table_shows_is_said(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    publish_to(results, Path("published"))
    said = "no table shows 1 of the 2 trainings that are published: C-N2/en-de"
    assert said in capsys.readouterr().err


def test_a_table_of_earlier_results_is_not_published(results: Path) -> None:
    change(results / "runs/base/en-de/config.json", seed=2)
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
    (results / "runs/base/en-de/scores.json").unlink()
    expected = r"^results/tiny: no run has been scored; make a table of scores first"
    with pytest.raises(UserError, match=expected):
        publish_to(results, Path("published"))
    assert not Path("published").exists()


def test_what_nothing_makes_any_more_is_not_published(results: Path) -> None:
    write(results / "tables/table2_by_length.md", "of an earlier version")
    with pytest.raises(UserError, match=r"^table2_by_length\.md: nothing makes this any more; delete it"):
        publish_to(results, Path("published"))


def test_nothing_to_publish(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "config").symlink_to(Path(__file__).parents[2] / "config")
    monkeypatch.chdir(tmp_path)
    error = tiny.error("publish_results", "--scale", "demo", "--output", "published")
    assert "there is no table to publish; make one first" in error
    assert not Path("published").exists()
