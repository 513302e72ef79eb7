"""The paper against ours: which numbers, how far apart, and in which order."""

import contextlib
import re
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import tiny
from fake_runs import LITERATURE, PAPER_SETTINGS, MakeRun, make_last_run, make_run, write_sentences
from made_artifacts import change
from rendered import PAPER, csv_rows, formats

from transformer.common.artifacts import write_artifact
from transformer.common.errors import UserError
from transformer.common.files import file_record, sha256_of
from transformer.common.project import find_recorded
from transformer.tables.cells import EXPRESSION, Cell, Line, Table, content, read_table
from transformer.tables.cells import PAPER as PAPER_S
from transformer.tables.compare import comparison_table, scale_of
from transformer.tables.comparison import (
    orderings,
    rank_correlation,
    read_numbers,
    with_texts,
)
from transformer.tables.runs import PARSES, Run, read_runs
from transformer.tables.sentence_counts import trainings
from transformer.tables.table2 import build_table2
from transformer.tables.table3 import build_table3
from transformer.tables.table4 import build_table4


def write_table2(*folders: Path) -> Path:
    return write_cells(build_table2(PAPER, read_runs(folders)))


def write_cells(table: Table) -> Path:
    """Write a table's file as make_table.py does."""
    path = Path(f"{table.name}.json")
    write_artifact(path, content(table))
    return path


def test_pairs_that_the_paper_does_not_have_are_not_compared(make_run: MakeRun) -> None:
    runs = read_runs([make_run("base", pair) for pair in ("el-en", "en-fr")])
    write_cells(build_table2(PAPER, runs, pairs=["el-en", "en-fr"]))
    found = read_comparison([Path("table2.json")])
    assert list(found["quantity"]) == ["BLEU, EN-FR", "counted FLOPs, EN-FR"]


def write_table3(sign: int = 1, more: Sequence[Run] = (), apart: Sequence[float] = (0.0,)) -> Path:
    """Ours are the paper's own figures, or those backwards, of a seed for each of ``apart``, and ``more`` runs."""
    runs = [
        make_last_run(
            Path("runs", f"{row['run']}-{seed}", "en-de"),
            row["run"],
            seed=seed,
            bleu=50 + sign * float(row["bleu"]) + change,
            perplexity=(10 if sign > 0 else 1000) + sign * float(row["perplexity"]) + change,
        )
        for row in PAPER.variations.to_dict("records")
        for seed, change in enumerate(apart, start=1)
    ]
    return write_cells(build_table3(PAPER, [*runs, *more], PAPER_SETTINGS))


TABLES = [Path("table2.json"), Path("table3.json")]


def read_comparison(paths: list[Path]) -> pd.DataFrame:
    return with_texts(read_numbers(paths))


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Table 2 of base and big on one pair, Table 3 with a run of the user, and their runs; not to be written to."""
    folder = tmp_path_factory.mktemp("built")
    with contextlib.chdir(folder):
        write_table2(make_run("base", "en-de", bleu=72.04), make_run("big", "en-de", bleu=70.0))
        write_table3(more=[make_last_run(Path("runs", "mine", "en-de"), "mine", h=4)])
    return folder


@pytest.fixture(scope="module")
def found(built: Path) -> pd.DataFrame:
    with contextlib.chdir(built):
        return read_comparison(TABLES)


@pytest.fixture
def tables(built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Copies of the tables, in the working directory."""
    shutil.copytree(built, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return TABLES


def write_table4(*folders: Path) -> Path:
    return write_cells(build_table4(PAPER, read_runs(folders, PARSES)))


def number(found: pd.DataFrame, table: str, row: str, quantity: str) -> pd.Series:
    chosen = (found["table"] == table) & (found["row"] == row) & (found["quantity"] == quantity)
    (only,) = (series for _, series in found[chosen].iterrows())
    return only


def page(found: pd.DataFrame) -> str:
    return formats(comparison_table(found))["md"]


def numbers_of_csv(found: pd.DataFrame) -> list[dict[str, str]]:
    return csv_rows(formats(comparison_table(found))["csv"])


def orders(found: pd.DataFrame) -> list[Any]:
    return list(orderings(found).itertuples())


def test_every_number_that_both_have(found: pd.DataFrame) -> None:
    printed = sum(PAPER.variations["parameters"] != "")
    assert found.groupby(["table", "quantity"]).size().to_dict() == {
        ("table2", "BLEU, EN-DE"): 2,
        ("table2", "counted FLOPs, EN-DE"): 2,
        ("table3", "PPL (dev)"): 20,
        ("table3", "BLEU (dev)"): 20,
        ("table3", "params ×10⁶, 2017 code"): printed,
        ("table3", "params ×10⁶"): printed,
    }


def test_scores_are_compared_by_their_difference_and_sizes_by_their_ratio(found: pd.DataFrame) -> None:
    bleu = number(found, "table2", "Transformer (base model)", "BLEU, EN-DE")
    assert (bleu.paper, bleu.ours_text, bleu.difference_text) == ("27.3", "72.0", "+44.7")
    flops = number(found, "table2", "Transformer (big)", "counted FLOPs, EN-DE")
    assert (flops.paper, flops.ours_text, flops.difference_text) == ("9.5e18", "1.2e14", "×1.3e-05")
    parameters = number(found, "table3", "base", "params ×10⁶")
    assert (parameters.paper, parameters.ours_text, parameters.difference_text) == ("65", "1.64", "×0.0252")
    code = number(found, "table3", "base", "params ×10⁶, 2017 code")
    assert (code.ours_text, code.difference_text) == ("65", "×1")


def test_expressions_stand_beside_each_other(tables: list[Path]) -> None:
    """Table 1 has no numbers, no scale and no order."""
    measured = [("flops", "complexity", "O(n · d^2)", "9 n d^2"), ("path", "path length", "O(n)", "9.2 n")]
    cells = [
        cell
        for column, quantity, paper, ours in measured
        for cell in (
            Cell(column, origin=PAPER_S, value=paper),
            Cell(column, kind=EXPRESSION, quantity=quantity, value=ours),
        )
    ]
    path = write_cells(Table("table1", [], [Line(cells, "recurrent", facts={"note": "counted"})], csv=[]))
    found = read_comparison([path, tables[1]])
    assert scale_of(found) == "demo"
    table1 = found[found["table"] == "table1"]
    assert table1[["row", "quantity", "paper", "ours_text"]].to_numpy().tolist() == [
        ["recurrent", "complexity", "O(n · d^2)", "9 n d^2"],
        ["recurrent", "path length", "O(n)", "9.2 n"],
    ]
    assert set(orderings(found)["table"]) == {"table3"}
    assert re.search(r"\| O\(n · d\^2\) → 9 n d\^2 +\| O\(n\) → 9.2 n +\|", page(found))
    row = numbers_of_csv(found)[0]
    assert (row["ours"], row["difference"], row["ratio"], row["scale"]) == ("9 n d^2", "", "", "")


def test_parsers_are_compared_by_f1(make_parser: MakeRun) -> None:
    """Of constrained decoding; the semi-supervised parser is the better one, as in the paper."""
    found = read_comparison(
        [write_table4(make_parser("parser", f1=90.0), make_parser("parser-semi", f1=92.04))]
    )
    assert found[["row", "paper", "ours_text", "difference_text"]].to_numpy().tolist() == [
        ["WSJ only, discriminative", "91.3", "90.0", "-1.3"],
        ["semi-supervised", "92.7", "92.0", "-0.7"],
    ]
    assert [(item.rows, item.kendall) for item in orders(found)] == [("all", 1)]
    assert "grammar trees, in place of WSJ; not comparable with WSJ 23" in page(found)


def test_order_within_a_table(found: pd.DataFrame) -> None:
    ordered = orderings(found)
    assert set(ordered[["table", "quantity", "rows", "count"]].itertuples(index=False, name=None)) >= {
        ("table2", "BLEU, EN-DE", "all", 2),
        ("table3", "PPL (dev)", "all", 20),
        ("table3", "BLEU (dev)", "base, (C)", 8),
    }
    for item in ordered.to_dict("records"):
        wrong = item["table"] == "table2"  # base was given more than big
        assert (item["reversed"] == 0) != wrong
        assert item["spearman"] in (pytest.approx(-1 if wrong else 1), None)


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
    path = write_table3(-1, apart=(0.0005, -0.0005))
    of_all = {item.quantity: item for item in orders(read_comparison([path])) if item.rows == "all"}
    assert 0 < of_all["PPL (dev)"].clearly <= of_all["PPL (dev)"].reversed
    assert of_all["BLEU (dev)"].clearly == 0 < of_all["BLEU (dev)"].reversed


def test_published_tables_have_no_sentences(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing then tells whether rows differ beyond chance."""
    monkeypatch.chdir(tmp_path)
    path = write_table3(-1)
    shutil.rmtree("runs")
    assert {item.clearly for item in orders(read_comparison([path]))} == {None}


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


def test_csv_names_the_scores_behind_each_number(built: Path, found: pd.DataFrame) -> None:
    rows = numbers_of_csv(found)
    assert len(rows) == len(found)
    files = {"PPL (dev)": "perplexity", "counted FLOPs, EN-DE": "training", "params ×10⁶": "training"}
    for row in rows:
        if not row["scores"]:  # our count of the model of 2017
            assert row["quantity"] == "params ×10⁶, 2017 code"
            continue
        assert row["scores_sha256"] == sha256_of(built / row["scores"])
        assert Path(row["scores"]).stem == files.get(row["quantity"], "scores")
        assert float(row["ours"]) - float(row["paper"]) == pytest.approx(float(row["difference"]), abs=1e-3)


def test_what_cannot_be_compared(tables: list[Path], tmp_path: Path) -> None:
    write_cells(replace(read_table(tables[1]), scale="small"))
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


def test_the_script_prints_the_page_and_writes_where_all_came_from(tables: list[Path]) -> None:
    done = tiny.run_captured(
        "make_table", "comparison", "--literature", LITERATURE, "--tables", *tables, "--output-dir", "out"
    )
    assert done.returncode == 0, done.stderr
    assert "# The paper against ours" in done.stdout
    for file in read_table(Path("out/comparison.json")).behind["sources"]:
        assert file["sha256"] == sha256_of(find_recorded(file["path"]))
    endings = ("csv", "json", "md", "tex")
    assert sorted(path.name for path in Path("out").iterdir()) == [f"comparison.{end}" for end in endings]


def test_pairs_are_counted() -> None:
    found = rank_correlation([1, 2, 2, 3], [10, 30, 20, 20])
    assert (found["same"], found["reversed"], found["tied"]) == (3, 1, 2)
    assert rank_correlation([1, 2, 2], [1, 2, 3])["reversed"] == 0


@pytest.mark.parametrize("values", [[], [1.0], [2.0, 2.0, 2.0]])
def test_without_an_order_there_is_no_correlation(values: list[float]) -> None:
    found = rank_correlation(values, values)
    assert {found[name] for name in ("kendall", "spearman", "p")} == {None}
