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
from transformer.tables.scored_rows import read_tables, scored_rows
from transformer.tables.sentence_counts import trainings
from transformer.tables.table2 import build_table2


def edit_sentences(path: Path, text: str) -> None:
    """Change the counts of sentences and the sha256 that the scores have of them."""
    path.write_text(text)
    change(path.with_suffix(".json"), per_sentence=file_record(path))


def test_counts_of_sentences_that_cannot_be_read(make_run: MakeRun) -> None:
    table = build_table2(PAPER, read_runs([make_run("base", "en-de")]))
    counts = Path("results/demo/runs/base/en-de/scores.csv")
    edited_counts = counts.read_text().replace("25,25", "24,25", 1)
    counts.write_text(edited_counts)
    with pytest.raises(UserError, match=r"scores\.csv: not the file that was written: .*/scores\.json has"):
        scored_rows([table])
    for text in (edited_counts.replace("24,25", "2.5,25", 1), "sentence,other\n" + "1,2\n" * 40):
        edit_sentences(counts, text)
        with pytest.raises(UserError, match=r"scores\.csv: no counts of sentences"):
            scored_rows([table])
    counts.unlink()
    with pytest.raises(UserError, match=r"scores\.csv: no such file, though .*scores\.json has its sha256"):
        scored_rows([table])


def test_sentences_that_evalb_leaves_out_do_not_count(make_parser: MakeRun) -> None:
    path = make_parser("parser", f1=90.0) / "parses.csv"
    before = trainings([path]).resampled
    edit_sentences(path, path.read_text().replace(",1,17,20,20", ",1,0,20,20"))
    assert (trainings([path]).resampled == before).all()
    edit_sentences(path, path.read_text().replace(",0,17,20,20", ",0,0,20,20"))
    assert (trainings([path]).resampled < before).all()


def test_what_cannot_be_compared(tmp_path: Path) -> None:
    tables = [tmp_path / f"table{number}.json" for number in (2, 3)]
    for path, scale in zip(tables, ("demo", "small"), strict=True):
        write_artifact(path, content(Table(path.stem, [], [], csv=[], scale=scale)))
    with pytest.raises(
        UserError, match="table2.json and others: of the scales demo, small; compare one scale"
    ):
        read_tables(tables)
    tables[1].unlink()
    with pytest.raises(UserError, match="table3.json: no such file"):
        read_tables(tables)
