"""The files that collect the figures of all runs are compared with the runs."""

import contextlib
import shutil
from pathlib import Path

import pytest
import tiny
from fake_runs import make_further_test, make_last_run, make_parser, make_run, measure, write
from made_artifacts import change, write_metrics

from transformer.verification.remade import check_collected

DEMO = Path("results/demo")
FILES = ["scores.csv", "metrics.json", "headline.json"]
CURVES = [f"curves/{name}.csv" for name in ("base.en-de", "base.en-fr", "mine.2.en-de", "parser.trees")]


@pytest.fixture(scope="module")
def collected(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with runs of each kind, and what the scripts collect from them; not to be written to."""
    folder = tmp_path_factory.mktemp("collected")
    with contextlib.chdir(folder):
        collect()
    return folder


@pytest.fixture
def results(collected: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder ``results`` of a copy, in the working directory."""
    shutil.copytree(collected, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path / "results"


def collect() -> None:
    runs = [
        make_run("base", "en-de", bleu=82.5),
        make_run("base", "en-fr"),
        make_run("base", "en-de", seed=2),
    ]
    tests = [make_further_test(runs[0], "news", 20.5)]
    last = make_last_run(make_run("mine.2", "en-de"), "mine.2", bleu=20.5).folder
    parser = make_parser("parser")
    baselines = DEMO / "baselines" / "en-de.json"
    copy = {"multi_bleu_split": measure(1.5)}
    facts = {"format": 1, "pair": "en-de", "sentences": 40, "headline": "multi_bleu_split"}
    write(baselines, {**facts, "baselines": {"copy": copy}})
    for folder in (*runs, last, parser):
        lines = [{"step": step, "loss": 9.25 / step, "dev_perplexity": 3.5} for step in (1, 2)]
        write_metrics(folder / "metrics.jsonl", *lines)
    others = ["--last", last, "--parsers", parser]
    own = ["--tests", *tests, "--baselines", baselines, "--output-dir", "results"]
    places = [f"--{name}=results/{name}.json" for name in ("metrics", "headline")]
    for done in (
        tiny.run_captured("collect_scores", "--runs", *runs, *others, *own),
        tiny.run_captured(
            "collect_metrics", "--runs", *runs[:2], *others, *places, "--curves=results/curves"
        ),
    ):
        assert done.returncode == 0, done.stderr


def findings() -> list[str]:
    return [check.differs for check in check_collected(DEMO) if check.differs]


def test_what_the_scripts_collected_stands(results: Path) -> None:
    checked = [Path(check.what).relative_to("results").as_posix() for check in check_collected(DEMO)]
    assert checked == [*FILES, *CURVES]
    assert findings() == []


def test_nothing_is_asked_for_that_was_not_made(results: Path) -> None:
    for name in (*FILES, *CURVES):
        (results / name).unlink()
    assert list(check_collected(DEMO)) == []


@pytest.mark.parametrize(
    ("name", "old", "new", "said"),
    [
        ("scores.csv", ",82.5,", ",83.5,", "line 4, column value is '83.5', and made again '82.5'"),
        ("scores.csv", ",81.0,", ",81.1,", "line 4, column low is"),
        ("scores.csv", "base,en-fr,test", "big,en-fr,test", ", column run is 'big', and made again 'base'"),
        ("scores.csv", ",news,", ",demo,", ", column test_set is 'demo'"),
        ("scores.csv", "copy,en-de", "dictionary,en-de", ", column run is 'dictionary'"),
        (
            "scores.csv",
            "runs/parser/trees/parses.json",
            "runs/x/trees/parses.json",
            "x/trees/config.json: no such",
        ),
        (
            "metrics.json",
            "82.5",
            "82.6",
            "base.en-de.bleu.multi_bleu_split is 82.6 there, and computed again 82.5",
        ),
        ("metrics.json", '"base"', '"absent"', "runs/absent/en-de/config.json: no such file"),
        ("metrics.json", '"f1": 95.25', '"f1": null', "parser.f1 is null there, and computed again 95.25"),
        ("headline.json", "82.5", "[]", "base.en-de.bleu is [] there"),
        ("headline.json", "20.5", "21.5", "mine.2.en-de.dev_bleu is 21.5"),
        ("headline.json", "{", '{"other": 1,', "other is 1 there"),
        ("headline.json", "{", "", "cannot be made again: "),
        ("curves/base.en-de.csv", "4.625", "4.5", "line 3, column loss is '4.5', and made again '4.625'"),
        ("curves/mine.2.en-de.csv", "4.625", "4.5", "line 3, column loss"),
    ],
)
def test_an_edit_is_found(results: Path, name: str, old: str, new: str, said: str) -> None:
    text = (results / name).read_text()
    assert old in text
    (results / name).write_text(text.replace(old, new, 1))
    (found,) = findings()
    assert found.startswith(f"results/{name}: ")
    assert said in found


def test_rows_that_are_gone_are_missed(results: Path) -> None:
    lines = (results / "scores.csv").read_text().splitlines(keepends=True)
    (results / "scores.csv").write_text("".join(lines[:3] + lines[4:]))
    assert findings() == ["results/scores.csv: line 4 differs from the one made again"]
    (results / "scores.csv").write_text("run,path\nbase,scores.json\n")
    assert findings()[0].startswith("results/scores.csv: ")


def test_they_may_be_of_another_scale(results: Path) -> None:
    """They belong to the scale that was built last, which need not be the one whose tables are checked."""
    shutil.copytree(results / "demo", results / "small")
    change(results / "demo/runs/base/en-de/scores.json", measures={"multi_bleu_split": measure(41.5)})
    write_metrics(
        results / "demo/runs/base/en-de/metrics.jsonl", {"step": 1, "loss": 1.5, "dev_perplexity": 3.5}
    )
    (found,) = findings()
    assert found.startswith("results/scores.csv: line 4")  # its rows name their files
