"""The paper against ours: which numbers, how far apart, and in which order."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from fake_runs import PAPER_SETTINGS, MakeRun, make_last_run, write_sentences
from made_artifacts import change
from rendered import PAPER

from transformer.common.artifacts import write_artifact
from transformer.common.errors import UserError
from transformer.common.files import file_record
from transformer.tables.cells import Table, content
from transformer.tables.comparison import (
    orderings,
    rank_correlation,
    read_numbers,
    with_texts,
)
from transformer.tables.runs import read_runs
from transformer.tables.sentence_counts import trainings
from transformer.tables.table2 import build_table2
from transformer.tables.table3 import build_table3


def write_table2(*folders: Path) -> Path:
    return write_cells(build_table2(PAPER, read_runs(folders)))


def write_cells(table: Table) -> Path:
    """Write a table's file as make_table.py does."""
    path = Path(f"{table.name}.json")
    write_artifact(path, content(table))
    return path


def write_table3(apart: Sequence[float]) -> Path:
    """Ours are the paper's own figures backwards, of a seed for each of ``apart``."""
    runs = [
        make_last_run(
            Path("runs", f"{row['run']}-{seed}", "en-de"),
            row["run"],
            seed=seed,
            bleu=50 - float(row["bleu"]) + change,
            perplexity=1000 - float(row["perplexity"]) + change,
        )
        for row in PAPER.variations.to_dict("records")
        for seed, change in enumerate(apart, start=1)
    ]
    return write_cells(build_table3(PAPER, runs, PAPER_SETTINGS))


def read_comparison(paths: list[Path]) -> pd.DataFrame:
    return with_texts(read_numbers(paths))


def orders(found: pd.DataFrame) -> list[Any]:
    return list(orderings(found).itertuples())


@pytest.mark.parametrize("scale", ["demo", "mein Maß"])
def test_pairs_that_are_clearly_reversed(scale: str, make_run: MakeRun) -> None:
    """By a paired bootstrap over sentences, whatever the intervals: those of the tests' runs overlap here."""
    for base, big, matched, clearly in ((72, 71, 11, 1), (72, 71, 10, 0), (71, 72, 11, 0)):
        folders = [
            make_run(run, "en-de", bleu=bleu, scale=scale) for run, bleu in (("base", base), ("big", big))
        ]
        for folder, count in zip(folders, (matched, 10), strict=True):
            write_sentences(folder / "scores.csv", count)
            edit_sentences(folder / "scores.csv", (folder / "scores.csv").read_text())
        (ordering,) = orders(read_comparison([write_table2(*folders)]))
        assert (ordering.reversed, ordering.clearly) == (int(base > big), clearly)


def test_pairs_that_are_clearly_reversed_over_seeds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The seeds of each row hardly differ, but the sentences of its translations are the same as those of others."""
    monkeypatch.chdir(tmp_path)
    path = write_table3((0.0005, -0.0005))
    of_all = {item.quantity: item for item in orders(read_comparison([path])) if item.rows == "all"}
    assert 0 < of_all["PPL (dev)"].clearly <= of_all["PPL (dev)"].reversed
    assert of_all["BLEU (dev)"].clearly == 0 < of_all["BLEU (dev)"].reversed


def edit_sentences(path: Path, text: str) -> None:
    """Change the counts of sentences and the sha256 that the scores have of them."""
    path.write_text(text)
    change(path.with_suffix(".json"), per_sentence=file_record(path))


def test_counts_of_sentences_that_cannot_be_read(make_run: MakeRun) -> None:
    path = write_table2(make_run("base", "en-de"))
    counts = Path("results/demo/runs/base/en-de/scores.csv")
    edited_counts = counts.read_text().replace("25,25", "24,25", 1)
    counts.write_text(edited_counts)
    with pytest.raises(UserError, match=r"scores\.csv: not the file that was written: .*/scores\.json has"):
        read_comparison([path])
    for text in (edited_counts.replace("24,25", "2.5,25", 1), "sentence,other\n" + "1,2\n" * 40):
        edit_sentences(counts, text)
        with pytest.raises(UserError, match=r"scores\.csv: no counts of sentences"):
            read_comparison([path])
    counts.unlink()
    with pytest.raises(UserError, match=r"scores\.csv: no such file, though .*scores\.json has its sha256"):
        read_comparison([path])


def test_sentences_that_evalb_leaves_out_do_not_count(make_parser: MakeRun) -> None:
    path = make_parser("parser", f1=90.0) / "parses.csv"
    before = trainings([path]).resampled
    edit_sentences(path, path.read_text().replace(",1,17,20,20", ",1,0,20,20"))
    assert (trainings([path]).resampled == before).all()
    edit_sentences(path, path.read_text().replace(",0,17,20,20", ",0,0,20,20"))
    assert (trainings([path]).resampled < before).all()


def test_what_cannot_be_compared(make_run: MakeRun) -> None:
    tables = [write_table2(make_run("base", "en-de", bleu=72.04))]
    tables.append(write_cells(Table("table3", [], [], csv=[], scale="small")))
    with pytest.raises(
        UserError, match="table2.json and others: of the scales demo, small; compare one scale"
    ):
        read_comparison(tables)
    tables[1].unlink()
    with pytest.raises(UserError, match="table3.json: no such file"):
        read_comparison(tables)
    tables[0].write_text(tables[0].read_text().replace("72.04", "82.04"))
    with pytest.raises(UserError, match=r"table2\.json: edited or damaged"):
        read_comparison(tables)


def test_pairs_are_counted() -> None:
    found = rank_correlation([1, 2, 2, 3], [10, 30, 20, 20])
    assert (found["same"], found["reversed"], found["tied"]) == (3, 1, 2)
    assert rank_correlation([1, 2, 2], [1, 2, 3])["reversed"] == 0


@pytest.mark.parametrize("values", [[], [1.0], [2.0, 2.0, 2.0]])
def test_without_an_order_there_is_no_correlation(values: list[float]) -> None:
    found = rank_correlation(values, values)
    assert {found[name] for name in ("kendall", "spearman", "p")} == {None}
