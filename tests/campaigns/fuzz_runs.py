"""The readers of runs, and of what tables and figures are made from (see ``fuzz_artifacts.py``)."""

import contextlib
import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import fake_runs
import made_artifacts
from fuzz_valid import Files, damaged, made

from transformer.common.checksums import write_sums
from transformer.common.files import sha256_of
from transformer.common.json_artifacts import artifact_text, read_artifact
from transformer.common.metrics_file import read_metrics
from transformer.common.yaml_files import read_yaml
from transformer.figures.attention_figures import attention_figures
from transformer.tables import comparison
from transformer.tables.compare import comparison_table
from transformer.tables.comparison import orderings, read_comparison
from transformer.tables.cost import cost
from transformer.tables.literature import read_literature
from transformer.tables.runs import LAST, PARSES, read_runs
from transformer.tables.scores import scores_of
from transformer.tables.seed_means import resampled
from transformer.tables.table2 import build_table2
from transformer.tables.table4 import build_table4

# Runs, and the tables made from them


@cache
def literature() -> Any:
    return read_literature(fake_runs.LITERATURE)


@cache
def devices() -> Any:
    return read_yaml(fake_runs.DEVICES)


def in_folder(folder: Path, make: Callable[[], Path]) -> None:
    """Call a function that writes a run below the working directory, and move the run to ``folder``."""
    with contextlib.chdir(folder):
        run = make()
        for path in run.iterdir():
            shutil.move(path, path.name)
        shutil.rmtree("results", ignore_errors=True)
        lines = [
            {"step": step, "loss": 5.0 / step, "dev_perplexity": 9.5, "dev_bleu": 1.25} for step in (1, 2, 3)
        ]
        made_artifacts.write_metrics(Path("metrics.jsonl"), *lines)


@cache
def run() -> Files:
    return made(lambda folder: in_folder(folder, lambda: fake_runs.make_run("base", "en-de")))


@cache
def parser_run() -> Files:
    return made(lambda folder: in_folder(folder, lambda: fake_runs.make_parser("parser")))


@cache
def last_run() -> Files:
    def make() -> Path:
        fake_runs.make_last_run(Path("run"), "base")
        return Path("run")

    return made(lambda folder: in_folder(folder, make))


def use_run(folder: Path) -> None:
    """Make Table 2, its cost and the curve of a run, as the scripts do."""
    runs = read_runs([folder])
    read_metrics(folder / "metrics.jsonl", "loss", "dev_perplexity")
    build_table2(literature(), runs, pairs=["en-de"]).files()
    cost(runs, literature(), devices())
    resampled(folder / "scores.csv")
    scores_of(runs).to_csv()


def use_last_run(folder: Path) -> None:
    runs = read_runs([folder], LAST)
    read_metrics(folder / "metrics.jsonl", "loss", "dev_perplexity")
    scores_of(runs).to_csv()
    resampled(folder / "last" / "scores.csv")


def use_parser_run(folder: Path) -> None:
    runs = read_runs([folder], PARSES)
    read_metrics(folder / "metrics.jsonl", "loss", "dev_perplexity")
    build_table4(literature(), runs).files()
    scores_of(runs).to_csv()
    resampled(folder / "parses.csv")


# The tables' own CSV files


@cache
def tables() -> Files:
    def make(folder: Path) -> None:
        with contextlib.chdir(folder):
            folders = [fake_runs.make_run(name, "en-de") for name in ("base", "big")]
            parsers = [fake_runs.make_parser("parser")]
            made_tables = [
                build_table2(literature(), read_runs(folders), pairs=["en-de"]),
                build_table4(literature(), read_runs(parsers, PARSES)),
            ]
            for table in made_tables:
                path = Path(f"{table.name}.csv")
                # The counts of the sentences are not among the input's files.
                path.write_text(table.files()[path.name].replace("results/demo", ""), encoding="utf-8")
                write_sums(path.with_suffix(".sha256"), {path.name: sha256_of(path)})
            shutil.rmtree("results")

    return made(make)


def use_tables(folder: Path) -> None:
    """Compare with the paper, apart from the evidence of single sentences, which the runs' targets read."""
    plain, comparison._spread = comparison._spread, lambda row: None
    try:
        found = read_comparison([folder / "table2.csv", folder / "table4.csv"])
    finally:
        comparison._spread = plain
    orderings(found)
    comparison_table(found).files()


# What figures and Table 1 are drawn from


@cache
def drawn() -> Files:
    def make(folder: Path) -> None:
        weights = [[[[0.5, 0.5], [0.25, 0.75]]] * 2] * 3  # layers, heads, queries, keys
        kinds = {
            kind: {"queries": ["a", "dog"], "keys": ["a", "dog"], "weights": weights}
            for kind in ("encoder", "decoder", "cross")
        }
        sentence = {"word": "dog", "source": "a dog", "translation": "ein Hund", "attention": kinds}
        facts = {"run": "base", "pair": "en-de", "scale": "demo", "corpus": "x", "model_sha256": "d" * 64}
        sentences = {"long_distance": sentence, "anaphora": sentence | {"antecedent": "a"}}
        text = artifact_text({"format": 1, **facts, "sentences": sentences}, indent=None)
        (folder / "attention.json").write_text(text)

    return made(make)


def use_drawn(folder: Path) -> None:
    attention_figures(read_artifact(folder / "attention.json", "attention")["sentences"])


TARGETS = [
    damaged("run", run, use_run),
    damaged("parser-run", parser_run, use_parser_run),
    damaged("last-run", last_run, use_last_run),
    damaged("tables", tables, use_tables),
    damaged("drawn", drawn, use_drawn),
]
