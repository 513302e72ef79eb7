"""What dvc metrics and dvc plots show."""

from pathlib import Path

from fake_runs import MakeRun, make_last_run
from made_artifacts import write_metrics, write_perplexity

from transformer.tables.collect_metrics import curve, headline, metrics
from transformer.tables.runs import PARSES, read_runs
from transformer.tables.scores import scores_of


def test_figures_by_run_and_pair(make_run: MakeRun) -> None:
    folders = [make_run(run, "en-de", bleu=bleu) for run, bleu in (("base", 71.23456), ("big", 75.0))]
    for folder in folders:
        write_perplexity(folder / "perplexity.json", dev=1.61803, test=1.5)
    found = metrics(scores_of(read_runs(folders)))
    assert found["base"]["en-de"]["bleu"] == {"multi_bleu_split": 71.2346, "sacrebleu": 70.2346}
    assert found["big"]["en-de"]["perplexity"] == {"dev": 1.618, "test": 1.5}


def test_figures_of_a_last_checkpoint_have_their_own_place(make_run: MakeRun) -> None:
    last = make_last_run(make_run("base", "en-de", bleu=71.0), "base", bleu=20.5, perplexity=4.5)
    assert metrics(scores_of([last])) == {
        "base": {"en-de": {"last": {"bleu": {"multi_bleu_split": 20.5}, "perplexity": {"dev": 4.5}}}}
    }


def test_figures_of_parsers(make_parser: MakeRun) -> None:
    folders = [make_parser("parser", f1=95.12345), make_parser("parser-semi", f1=96)]
    assert metrics(scores_of(read_runs(folders, PARSES))) == {
        "parser": {"f1": 95.1235, "complete_match": 40.125},
        "parser-semi": {"f1": 96, "complete_match": 40.125},
    }


def test_the_headline_is_one_number_of_each_run(make_run: MakeRun, make_parser: MakeRun) -> None:
    runs = read_runs([make_run("base", pair, bleu=71.23456) for pair in ("en-de", "en-fr")])
    runs.append(make_last_run(make_run("mine", "en-de"), "mine", bleu=20.5))
    runs += read_runs([make_parser("parser", f1=95.12345)], PARSES)
    assert headline(scores_of(runs)) == {
        "base": {"en-de": {"bleu": 71.23}, "en-fr": {"bleu": 71.23}},
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
