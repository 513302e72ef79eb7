"""``scores.csv`` is compared with the runs that its rows name."""

import shutil
from pathlib import Path

import pytest
import tiny
from fake_runs import make_further_test, make_last_run, make_parser, make_run, measure, write
from made_artifacts import change

from transformer.verification.verify import check_scores_csv

RESULTS = Path("results")


@pytest.fixture
def scores(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The scores of runs of each kind, below the working directory."""
    monkeypatch.chdir(tmp_path)
    runs = [
        make_run("base", "en-de", bleu=82.5),
        make_run("base", "en-fr"),
        make_run("base", "en-de", seed=2),
    ]
    tests = [make_further_test(runs[0], "news", 20.5)]
    last = make_last_run(make_run("mine.2", "en-de"), "mine.2", bleu=20.5).folder
    baselines = Path("results/demo/baselines/en-de.json")
    facts = {"format": 1, "pair": "en-de", "sentences": 40, "headline": "multi_bleu_split"}
    write(baselines, {**facts, "baselines": {"copy": {"multi_bleu_split": measure(1.5)}}})
    inputs = ["--runs", *runs, "--tests", *tests, "--last", last, "--parsers", make_parser("parser")]
    options = ["--baselines", baselines, "--output", "results/scores.csv"]
    done = tiny.run_captured("collect_scores", *inputs, *options)
    assert done.returncode == 0, done.stderr
    return RESULTS / "scores.csv"


def findings() -> list[str]:
    return [check.differs for check in check_scores_csv(RESULTS) if check.differs]


def test_what_the_script_collected_stands(scores: Path) -> None:
    assert [check.what for check in check_scores_csv(RESULTS)] == [str(scores)]
    assert findings() == []
    scores.unlink()
    assert list(check_scores_csv(RESULTS)) == []


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (",82.5,", ",83.5,", "line 4 differs from the one made again"),
        (",81.0,", ",81.1,", "line 4 differs from the one made again"),
        ("base,en-fr,test", "big,en-fr,test", "line"),
        (",news,", ",demo,", "line"),
        ("copy,en-de", "dictionary,en-de", "line"),
        ("runs/parser/trees/parses.json", "runs/x/trees/parses.json", "x/trees/config.json: no such"),
    ],
)
def test_an_edit_is_found(scores: Path, old: str, new: str, said: str) -> None:
    text = scores.read_text()
    assert old in text
    scores.write_text(text.replace(old, new, 1))
    (found,) = findings()
    assert found.startswith(f"{scores}: ")
    assert said in found


def test_rows_that_are_gone_are_missed(scores: Path) -> None:
    lines = scores.read_text().splitlines(keepends=True)
    scores.write_text("".join(lines[:3] + lines[4:]))
    assert findings() == [f"{scores}: line 4 differs from the one made again"]
    scores.write_text("run,path\nbase,scores.json\n")
    assert findings()[0].startswith(f"{scores}: ")


def test_a_run_that_was_scored_again_is_found(scores: Path) -> None:
    """Its rows name the files of their own scale, whichever scale is checked."""
    shutil.copytree("results/demo", "results/small")
    change(RESULTS / "demo/runs/base/en-de/scores.json", measures={"multi_bleu_split": measure(41.5)})
    (found,) = findings()
    assert found.startswith(f"{scores}: line 4")
