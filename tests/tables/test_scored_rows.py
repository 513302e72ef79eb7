"""What the claims read of the tables and of the counts of sentences behind them."""

from pathlib import Path

import pytest
from fake_runs import MakeRun
from made_artifacts import change
from rendered import PAPER

from transformer.common.artifacts import write_artifact
from transformer.common.errors import UserError
from transformer.common.files import file_record
from transformer.tables.cells import Table, content
from transformer.tables.runs import read_runs
from transformer.tables.scored_rows import read_scored_rows
from transformer.tables.sentence_counts import trainings
from transformer.tables.table2 import build_table2


def write_table2(*folders: Path) -> Path:
    return write_cells(build_table2(PAPER, read_runs(folders)))


def write_cells(table: Table) -> Path:
    """Write a table's file as its script does."""
    path = Path(f"{table.name}.json")
    write_artifact(path, content(table))
    return path


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
        read_scored_rows([path])
    for text in (edited_counts.replace("24,25", "2.5,25", 1), "sentence,other\n" + "1,2\n" * 40):
        edit_sentences(counts, text)
        with pytest.raises(UserError, match=r"scores\.csv: no counts of sentences"):
            read_scored_rows([path])
    counts.unlink()
    with pytest.raises(UserError, match=r"scores\.csv: no such file, though .*scores\.json has its sha256"):
        read_scored_rows([path])


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
        read_scored_rows(tables)
    tables[1].unlink()
    with pytest.raises(UserError, match="table3.json: no such file"):
        read_scored_rows(tables)
    tables[0].write_text(tables[0].read_text().replace("72.04", "82.04"))
    with pytest.raises(UserError, match=r"table2\.json: edited or damaged"):
        read_scored_rows(tables)
