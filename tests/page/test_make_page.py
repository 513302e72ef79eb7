"""The page of a scale's results."""

import json
import os
import re
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
import tiny
from fake_runs import LITERATURE, make_parser, make_run
from html_page import Page
from made_artifacts import write_timing

from transformer.common.artifacts import artifact_text, write_artifact
from transformer.common.errors import UserError
from transformer.common.files import sha256_of
from transformer.model.storage import save_model
from transformer.model.trained_by import code_here
from transformer.page.make_page import page, read_tables, write_page
from transformer.page.pack_models import ModelFiles, left_out, packed_models, text_of
from transformer.page.shown_table import shown_table
from transformer.report.publish_results import page_of
from transformer.settings.run_settings import BeamConfig
from transformer.tables.cells import Cell, Column, Line, Table, content, read_table
from transformer.tables.literature import read_literature
from transformer.tables.provenance import behind_table
from transformer.tables.runs import PARSES, Run, read_runs
from transformer.tables.table2 import build_table2
from transformer.tables.table4 import build_table4

ROOT = Path(__file__).parents[2]
PUBLISHED = ROOT / "docs" / "results"
DEMO_LONG = PUBLISHED / "demo-long"  # three seeds, and all tables
PARSERS = ("parser", "parser-semi")
PAPER = read_literature(LITERATURE)
FACTS = {"scale": "demo", "commit": "abc", "record": "none"}
TABLE2 = [Path("results/table2.csv")]
OUTPUT = Path("results/index.html")
HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)> \"' &amp; {{ 7 * 7 }}"


def published(folder: Path) -> str:
    return page_of(folder, FACTS)


@pytest.mark.parametrize("scale", ["demo", "demo-long"])
def test_the_page_of_a_published_folder_is_the_recorded_one(scale: str) -> None:
    """Chapter by chapter, but for its program.  RECORD_PAGES=1 pytest tests/page/test_make_page.py records it anew."""
    recorded = PUBLISHED / scale / "index.html"
    before = recorded.read_text()
    (commit,) = re.findall(r"<dt>Commit</dt><dd>(.*?)</dd>", before)
    facts = {"scale": scale, "commit": commit, "record": "this is the published record"}
    text = page_of(recorded.parent, facts)
    if os.environ.get("RECORD_PAGES"):
        recorded.write_text(text)
    assert chapters(text) == chapters(before)
    assert text.startswith("<!doctype html>\n")


def chapters(text: str) -> list[str]:
    """The chapters of a page but the further tables, of which published folders have none."""
    parts = re.sub(r"<script>.*?</script>", "", text, flags=re.DOTALL).split("<section ")[1:]
    return [part.strip() for part in parts if 'labelledby="further"' not in part.partition(">")[0]]


def write_cells(table: Table, runs: Sequence[Run] = ()) -> None:
    Path("results/demo/tables").mkdir(parents=True, exist_ok=True)
    behind = behind_table(Namespace(literature=LITERATURE), runs)
    write_artifact(f"results/demo/tables/{table.name}.json", content(replace(table, behind=behind)))


@pytest.fixture
def after_table_2(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a scale as it is after Table 2 alone, and the working directory that it is in."""
    monkeypatch.chdir(tmp_path)
    runs = read_runs([make_run(run, "en-de", corpus=HOSTILE) for run in ("base", "big")])
    write_cells(build_table2(PAPER, runs), runs)
    TABLE2[0].touch()
    return Path("results/demo")


def test_each_number_of_ours_names_the_files_behind_it() -> None:
    """Those of its cell; the mean of the values of its three seeds is the number."""
    tables = [DEMO_LONG / f"table{number}.json" for number in (1, 2, 3, 4)]
    cells = [cell for path in tables for _, cell in read_table(path).cells()]
    known = {(source.path, source.key): source for cell in cells for source in cell.sources}
    scores = 0
    for attributes, said in Page(published(DEMO_LONG)).of("td"):
        places = [place.split(": ") for place in filter(None, (attributes.get("title") or "").split("; "))]
        values = [known[path, key].value for path, key in places if (path, key) in known]
        if number := re.match(r"(\d+\.\d) ±", said):
            scores += 1
            assert len(values) == 3
            assert float(number[1]) == pytest.approx(sum(values) / 3, abs=0.0501)
    assert scores > 30


def test_a_row_of_the_paper_s_in_a_further_table_needs_no_corpus() -> None:
    rows = [Line([Cell("label", "theirs", origin="paper")], origin="paper"), Line([Cell("label", "ours")])]
    shown = shown_table(Table("sizes", [Column("label", ("Run",))], rows, csv=[], corpus="grammar"))
    assert [block.title for block in shown.blocks] == ["The paper", "Ours: grammar"]


def test_the_page_says_which_code_trained(after_table_2: Path) -> None:
    for run, code in (("base", code_here() | {"training/loss.py": "0" * 8}), ("big", code_here())):
        write_timing(
            after_table_2 / "runs" / run / "en-de", stretches=[{"steps": 9, "seconds": 9, "code": code}]
        )
    write_page(after_table_2, TABLE2, OUTPUT, None)
    assert "these were trained: base en-de: training/loss.py. " in OUTPUT.read_text()


def test_the_page_shows_what_it_was_given(after_table_2: Path) -> None:
    """Whatever else lies beside it, as a table of earlier settings."""
    table = after_table_2 / "tables/table4.json"
    table.write_text(artifact_text({"format": 0, "name": "table4"}))
    write_page(after_table_2, TABLE2, OUTPUT, None)
    shown = OUTPUT.read_text()
    assert "Table 2: translation" in shown
    assert "Table 4" not in shown


def test_each_table_says_its_own_seeds(after_table_2: Path) -> None:
    """Table 4 was made with other seeds than Table 2."""
    parsers = read_runs([make_parser(run, seed=seed) for run in PARSERS for seed in (3, 10)], PARSES)
    write_cells(build_table4(PAPER, parsers), parsers)
    text = page(read_tables(sorted(after_table_2.glob("tables/*.json"))), {}, FACTS)
    assert "<dt>Seeds</dt><dd>Table 2: 1; Table 4: 3, 10</dd>" in text


def test_models_that_are_left_out(after_table_2: Path) -> None:
    """The page, and the lines that its script returns, say which and why; a table alone may have been pulled."""
    path = after_table_2 / "tables/table2.json"
    table = json.loads(path.read_text())
    for run in table["behind"]["runs"].values():
        run["files"]["averaged"] = {"path": "results/model.safetensors", "sha256": "a" * 64}
    del table["content_sha256"]
    write_artifact(path, table)
    lines = write_page(after_table_2, TABLE2, OUTPUT, None)
    reason = "its files, or those of its vocabulary, are not here"
    names = "base (en-de), big (en-de)"
    assert lines == [f"{names}: {reason}"]
    shown = Page(OUTPUT.read_text())
    assert f"Not in this page: {names}: {reason}." in [
        text.strip() for _, text in shown.of("p", **{"class": "warning"})
    ]


def test_the_first_model_has_a_page_before_there_is_a_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run = make_run("base", "en-de")
    scores = json.loads((run / "scores.json").read_text())
    del scores["content_sha256"]
    weights = json.loads((run / "perplexity.json").read_text())["model_sha256"]
    scores["files"]["checkpoint"] = {"path": "averaged/model.safetensors", "sha256": weights}
    write_artifact(run / "scores.json", scores)
    (line,) = write_page(Path("results/demo"), [], Path("first.html"), None, [run])
    assert line == "base (en-de): its files, or those of its vocabulary, are not here"


def test_models_that_the_page_does_not_compute(tmp_path: Path) -> None:
    tiny.write_corpus(tmp_path)
    subwords = tmp_path / "subwords.model"
    files = {}
    for run in ("self-attention", "recurrent", "changed"):
        model = tiny.model(290, encoder_layer="self-attention" if run == "changed" else run)
        save_model(tmp_path / run, model, sha256_of(subwords), "fp32")
        sha256 = "0" * 64 if run == "changed" else sha256_of(tmp_path / run / "model.safetensors")
        files[run] = ModelFiles(run, "en-de", tmp_path / run, subwords, None, BeamConfig(), "A dog.", sha256)
    models = [*files.values()]
    lines = [
        "recurrent (en-de): encoder_layer is recurrent, which this page does not compute",
        "changed (en-de): its weights are not those that were scored",
    ]
    content = packed_models(models, 1 << 20)
    assert left_out(content["models"]) == lines
    assert ["weights" in entry for entry in content["models"]] == [True, False, False]
    # The command searches as the run was scored.
    assert content["models"][0]["command"].endswith("--beam-size 4 --alpha 0.6 --max-extra-tokens 50")
    small = packed_models(models, len(text_of(content)) - 1000)
    assert left_out(small["models"]) == [
        "self-attention (en-de): its weights do not fit into this page",
        *lines,
    ]
    weights = tmp_path / "self-attention" / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1] + b"?")
    with pytest.raises(UserError, match="not the file that was written"):
        packed_models(models, 1 << 20)


def test_after_a_table_without_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It has neither a corpus nor seeds, as Table 1."""
    monkeypatch.chdir(tmp_path)
    lines = [Line([Cell("label", "Self-Attention (restricted)")])]
    write_cells(Table("table1", [Column("label", ["Layer type"])], lines, csv=[]))
    assert "Self-Attention (restricted)" in page(
        read_tables([Path("results/demo/tables/table1.json")]), {}, FACTS
    )


def test_other_files_of_a_published_folder_are_not_taken_for_tables() -> None:
    assert (DEMO_LONG / "layers.json").exists()
    assert "<h3>layers" not in published(DEMO_LONG)


def test_without_a_table_there_is_no_page(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"there is no table to show; make one first"):
        published(tmp_path)
    with pytest.raises(UserError, match=r"there is no table to show"):
        write_page(Path("demo"), [], tmp_path / "index.html", None)  # as from within results/


def test_no_text_of_the_results_becomes_an_element(after_table_2: Path) -> None:
    shown = Page(page(read_tables([after_table_2 / "tables/table2.json"]), {}, FACTS))
    assert [
        attributes for tag, attributes, _ in shown.elements if tag == "img" or "onerror" in attributes
    ] == []
    assert not list(shown.of("script"))
    ((_, title),) = (found for found in shown.of("th", scope="rowgroup") if found[1].startswith("Ours"))
    assert title.strip() == f"Ours: {HOSTILE}"


def test_nothing_is_loaded() -> None:
    for path in PUBLISHED.glob("*/index.html"):
        text = path.read_text()
        places = {value for _, attributes, _ in Page(text).elements for value in attributes.values() if value}
        assert {place for place in places if "//" in place} == {"https://arxiv.org/abs/1706.03762"}
        assert not re.search(r"url\(|@import|\bfetch\(|XMLHttpRequest", text)


def test_published_pages_are_small_and_have_no_weights() -> None:
    pages = sorted(PUBLISHED.glob("*/index.html"))
    assert len(pages) == 5
    for path in pages:
        assert path.stat().st_size < 1_500_000
        assert 'id="translator"' not in path.read_text()
