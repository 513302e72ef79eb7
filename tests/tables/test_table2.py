"""Table 2 from run folders: what each rendering holds, and what it must not."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from fake_runs import PAPER as RUNS
from fake_runs import MakeRun
from made_artifacts import change
from rendered import PAPER, csv_rows, formats

from transformer.common.errors import UserError
from transformer.settings.runs_file import LAYER_RUNS, T2T_RUNS
from transformer.tables.literature import PAPER_PAIRS
from transformer.tables.runs import read_runs
from transformer.tables.table2 import LAYERS, T2T, build_table2


def table_of(*folders: Path, pairs: Sequence[str] = PAPER_PAIRS) -> dict[str, str]:
    """The table in its formats: tex, csv and md."""
    return formats(build_table2(PAPER, read_runs(folders), pairs=pairs))


def test_the_project_s_own_rows_are_those_of_the_settings() -> None:
    assert list(T2T) == [run for run in RUNS if run.startswith("t2t-")] == list(T2T_RUNS)
    assert list(LAYERS) == [run for run in RUNS if "encoder_layer" in RUNS[run] and run != "base"]
    assert list(LAYERS) == list(LAYER_RUNS)


def test_a_row_of_the_user_s_own_gets_no_mark_by_an_uncorrected_p(make_run: MakeRun) -> None:
    """It is of a family of its own, which changes nothing that is said of the paper's rows."""
    runs = [
        make_run(run, "en-de", bleu=bleu)
        for run, bleu in (("base", 50), ("big", 56), ("mine", 80), ("other", 65))
    ]
    papers, table = table_of(*runs[:2]), table_of(*runs)
    rows = csv_rows(table["csv"])
    assert rows[:14] == csv_rows(papers["csv"])
    tested = [row for row in rows if row["bleu_en-de_p"]]
    assert [row["model"] for row in tested] == ["Transformer (big)", "mine", "other"]
    p, corrected = ([float(row[f"bleu_en-de_{name}"]) for row in tested] for name in ("p", "p_holm"))
    assert corrected[0] == p[0]
    assert min(corrected[1:]) == pytest.approx(2 * min(p[1:]), rel=1e-4)


def test_a_fact_that_no_column_names_is_an_error(make_run: MakeRun) -> None:
    table = build_table2(PAPER, read_runs([make_run("base", "en-de")]))
    with pytest.raises(
        ValueError, match=r"table2.csv has no column for the facts corpus, measure, model, origin"
    ):
        formats(replace(table, csv=["modle"]))


def test_rows_without_base_are_not_tested_and_the_table_says_so(make_run: MakeRun) -> None:
    said = "Nothing is tested: the rows are compared with base, which is not among them."
    for text in table_of(make_run("big", "en-de"), make_run("mine", "en-de")).values():
        assert said in text or ("\\toprule" not in text and text.startswith("origin"))
    assert said not in table_of(make_run("big", "en-de"))["md"]


def test_files_of_another_config_training_or_other_weights(make_run: MakeRun) -> None:
    run = make_run("base", "en-de")
    change(run / "perplexity.json", model_sha256="e" * 64)
    files = json.loads((run / "scores.json").read_text())["files"]
    change(run / "scores.json", files=files | {"checkpoint": {"name": "x", "sha256": "d" * 64}})
    with pytest.raises(UserError, match=r"perplexity\.json: of other weights than .*scores\.json"):
        read_runs([run])
    change(run / "scores.json", files={"config": {"name": "config.json", "sha256": "0" * 64}})
    with pytest.raises(UserError, match=r"scores\.json: of another config than .*config\.json"):
        read_runs([run])
    change(run / "training.json", config_sha256="0" * 64)
    with pytest.raises(UserError, match=r"training\.json: of another config than .*; delete it and run Snak"):
        read_runs([run])


def test_runs_that_do_not_belong_together(make_run: MakeRun) -> None:
    run = make_run("base", "en-de")
    with pytest.raises(UserError, match="are the same run, with the same seed"):
        read_runs([run, run])
    with pytest.raises(UserError, match="Table 2 has no column for en-it, only for en-de, en-fr"):
        table_of(run, make_run("base", "en-it"))
    with pytest.raises(UserError, match="one scale and corpus"):
        read_runs([run, make_run("base", "en-de", scale="small", corpus="Multi30k")])


@pytest.mark.parametrize("test_sets", ["newstest2014-filtered", "newstest2014-filtered, newstest2014"])
def test_on_other_test_sets_than_the_paper_s_a_warning_says_so(make_run: MakeRun, test_sets: str) -> None:
    run = make_run("base", "en-de", scale="paper", corpus=f"WMT14, {test_sets}")
    said = f"Ours: paper scale, fp32 numerics, WMT14, {test_sets}; not comparable with newstest2014"
    assert csv_rows(table_of(run)["csv"])[-1]["note"] == said
