"""What dvc metrics and dvc plots show."""

from pathlib import Path

from fake_runs import MakeRun, make_last_run
from made_artifacts import write_metrics, write_perplexity

from transformer.tables.collect_metrics import curve, headline, metrics
from transformer.tables.runs import PARSES, read_runs
from transformer.tables.scores import scores_of


def test_figures_by_run_and_pair_and_one_headline_of_each(make_run: MakeRun, make_parser: MakeRun) -> None:
    """Those of a last checkpoint, on the development set, have a place of their own."""
    base = make_run("base", "en-de", bleu=71.23456)
    write_perplexity(base / "perplexity.json", dev=1.61803, test=1.5)
    runs = read_runs([base])
    runs.append(make_last_run(make_run("mine", "en-de"), "mine", bleu=20.5, perplexity=4.5))
    runs += read_runs([make_parser("parser", f1=95.12345)], PARSES)
    scores = scores_of(runs)
    of_base = {"bleu": {"multi_bleu_split": 71.2346, "sacrebleu": 70.2346}}
    of_mine = {"bleu": {"multi_bleu_split": 20.5}, "perplexity": {"dev": 4.5}}
    assert metrics(scores) == {
        "base": {"en-de": of_base | {"perplexity": {"dev": 1.618, "test": 1.5}}},
        "mine": {"en-de": {"last": of_mine}},
        "parser": {"f1": 95.1235, "complete_match": 40.125},
    }
    assert headline(scores) == {
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
