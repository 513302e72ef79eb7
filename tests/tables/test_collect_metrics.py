"""What dvc metrics and dvc plots show."""

from pathlib import Path

from fake_runs import MakeRun, make_last_run
from made_artifacts import write_metrics

from transformer.tables.collect_metrics import curve, metrics
from transformer.tables.runs import PARSES, read_runs
from transformer.tables.scores import scores_of


def test_one_score_of_each_run_and_pair(make_run: MakeRun, make_parser: MakeRun) -> None:
    """Those of a last checkpoint, on the development set, have a place of their own."""
    base = make_run("base", "en-de", bleu=71.23456)
    runs = read_runs([base])
    runs.append(make_last_run(make_run("mine", "en-de"), "mine", bleu=20.5, perplexity=4.5))
    runs += read_runs([make_parser("parser", f1=95.12345)], PARSES)
    assert metrics(scores_of(runs)) == {
        "base": {"en-de": {"bleu": 71.23}},
        "mine": {"en-de": {"dev_bleu": 20.5}},
        "parser": {"f1": 95.12},
    }


def test_a_curve_has_nothing_of_the_clock(tmp_path: Path) -> None:
    fixed = {
        "epoch": 0,
        "learning_rate": 0.1,
        "tokens": 9,
        "dev_perplexity": 2.5,
        "dev_bleu": 10.0,
        "seconds": 3.3,
    }
    lines = [{"step": step, "loss": 5.5 - step, **fixed} for step in (1, 2)]
    write_metrics(tmp_path / "metrics.jsonl", *lines)
    assert curve(tmp_path / "metrics.jsonl").to_csv(index=False) == (
        "step,loss,dev_perplexity,dev_bleu\n1,4.5,2.5,10.0\n2,3.5,2.5,10.0\n"
    )
