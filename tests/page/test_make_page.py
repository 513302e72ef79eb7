"""The page of a scale's results."""

import contextlib
import json
import re
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import tiny
from fake_runs import LITERATURE, PAPER_SETTINGS, make_last_run, make_parser, make_run
from html_page import Page

from transformer.common.artifacts import artifact_text, write_artifact
from transformer.common.errors import UserError
from transformer.common.files import sha256_of
from transformer.model.config import BeamConfig
from transformer.model.storage import save_model
from transformer.page.make_page import _figures, page, write_page
from transformer.page.pack_models import ModelFiles, left_out, packed_models, text_of
from transformer.page.variations import variations
from transformer.tables.cells import Cell, Column, Line, Table, content, read_table
from transformer.tables.literature import read_literature
from transformer.tables.make_claims import claims_table
from transformer.tables.provenance import behind_table
from transformer.tables.runs import PARSES, Run, read_runs
from transformer.tables.table2 import build_table2
from transformer.tables.table3 import OWN, build_table3
from transformer.tables.table4 import build_table4

ROOT = Path(__file__).parents[2]
PUBLISHED = ROOT / "docs" / "results"
CLAIM: dict[str, Any] = {
    "claim": "Big is better.",
    "source": "Table 2",
    "about": "trained models",
    "verdict": "holds",
    "claim_verdict": "holds",
    "p": 0.01,
    "p_holm": 0.02,
}
PARSERS = ("parser", "parser-semi")
PAPER = read_literature(LITERATURE)
HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)> \"' &amp; {{ 7 * 7 }}"


def published(folder: Path) -> str:
    return page(folder, {"commit": "abc", "record": "published"}, is_published=True)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Tables 2 to 4 of three seeds and the claims, in the folder of a scale; not to be written to."""
    project = tmp_path_factory.mktemp("made")
    with contextlib.chdir(project):
        seeds = (1, 2, 3)
        runs = [
            make_run(run, pair, bleu=bleu + seed / 3, seed=seed)
            for run, bleu in (("base", 71.2), ("big", 50.0))
            for pair in ("en-de", "en-fr")
            for seed in seeds
        ]
        rows = [
            make_last_run(
                Path("results/demo/last", f"{row['run']}-{seed}", "en-de"),
                row["run"],
                seed=seed,
                bleu=float(row["bleu"]) + seed,
                perplexity=float(row["perplexity"]),
            )
            for row in PAPER.variations.to_dict("records")
            for seed in seeds
        ]
        parsers = [make_parser(run, f1=90.0 + seed, seed=seed) for run in PARSERS for seed in seeds]
        of_2, of_4 = read_runs(runs), read_runs(parsers, PARSES)
        tables = [
            (build_table2(PAPER, of_2), of_2),
            (build_table3(PAPER, rows, PAPER_SETTINGS), rows),
            (build_table4(PAPER, of_4), of_4),
            (claims_table([CLAIM | {"quantity": quantity} for quantity in ("a", "b")], "demo", ["c"]), []),
        ]
        for table, behind in tables:
            write_cells(table, behind)
    return project / "results/demo"


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
    return Path("results/demo")


def test_each_number_of_ours_has_the_files_behind_it(made: Path) -> None:
    """Those that its cell names; of several seeds, the mean of the values is the number."""
    paths = made.glob("tables/*.json")
    known = {
        (source.path, source.key): source
        for path in paths
        for _, cell in read_table(path).cells()
        for source in cell.sources
    }
    shown = Page(published(made))
    ((_, text),) = shown.of("script", id="chains")
    chains = json.loads(text)
    buttons = [(attributes, text) for attributes, text in shown.of("button") if "data-chain" in attributes]
    scores = 0
    for attributes, said in buttons:
        behind = chains["numbers"][int(attributes["data-chain"] or "")]
        for path, key, _ in behind:
            assert chains["files"][path][0] == ["measured", path, known[path, key].sha256]
        values = [known[path, key].value for path, key, _ in behind]
        # Scores have one decimal; counts of operations have another form.
        if number := re.match(r"\d+\.\d(?!\d|e)", said):
            scores += 1
            assert len(values) == 3
            assert float(number[0]) == pytest.approx(sum(values) / 3, abs=0.0501)
    assert scores == 2 * 2 * 2 + 20 + 2


def test_the_chain_of_a_score(made: Path) -> None:
    ((_, text),) = Page(published(made)).of("script", id="chains")
    folder = "results/demo/runs/base/en-de"
    steps = json.loads(text)["files"][f"{folder}/scores.json"]
    run = read_table(made / "tables/table2.json").behind["runs"]["base/en-de"]
    assert steps == [
        ["measured", f"{folder}/scores.json", run["files"]["scores"]["sha256"]],
        ["translations", f"{folder}/test.de", run["scores"]["files"]["hypothesis"]["sha256"]],
        ["settings", f"{folder}/config.json", run["scores"]["files"]["config"]["sha256"]],
    ]


def test_a_claim_is_said_again_for_each_quantity(made: Path) -> None:
    rows = [text.strip() for attributes, text in Page(published(made)).of("th", scope="row")]
    assert rows.count(CLAIM["claim"]) == 2
    assert "Of the paper’s 1 claims about trained models, 1 hold, 0 fail" in published(made)


@pytest.mark.parametrize("damage", ["edited", "old", "nothing"])
def test_what_is_no_table_of_this_version_is_said_and_ends_nothing(damage: str, after_table_2: Path) -> None:
    path = after_table_2 / "tables/table3.json"
    text = (after_table_2 / "tables/table2.json").read_text()
    old = artifact_text({"format": 0, "name": "table3"})
    path.write_text({"edited": text.replace("71.2", "81.2"), "old": old, "nothing": ""}[damage])
    lines = write_page(after_table_2, [], Path("results/index.html"), None)
    assert any(line.startswith(f"not shown: {path}") for line in lines)
    shown = Path("results/index.html").read_text()
    assert f'<p class="warning">{path}' in shown
    assert "Table 2: translation" in shown


def test_a_table_of_an_earlier_run_is_not_shown(after_table_2: Path) -> None:
    """As after new settings and `make results/table2.tex`: another table is still of the models before."""
    table = read_table(after_table_2 / "tables/table2.json")
    trained = table.behind["runs"]["base/en-de"]["files"]["training"]["path"]
    write_artifact(after_table_2 / "tables/further.json", content(replace(table, name="further")))
    write_page(after_table_2, [], Path("results/index.html"), None)
    assert "an earlier run's" not in Path("results/index.html").read_text()
    behind = json.loads(json.dumps(table.behind))
    behind["runs"]["base/en-de"]["files"]["training"]["sha256"] = "0" * 64
    write_artifact(
        after_table_2 / "tables/further.json", content(replace(table, name="further", behind=behind))
    )
    (line,) = write_page(after_table_2, [], Path("results/index.html"), None)
    assert line == (
        f"not shown: {after_table_2}/tables/further.json: an earlier run's, of another {trained}; make it again: "
        "snakemake --cores all results/further.md --config scale=demo"
    )


def test_each_table_says_its_own_seeds(after_table_2: Path) -> None:
    """Table 4 was made with other seeds than Table 2."""
    parsers = read_runs([make_parser(run, seed=seed) for run in PARSERS for seed in (3, 10)], PARSES)
    write_cells(build_table4(PAPER, parsers), parsers)
    text = page(after_table_2, {"commit": "abc", "record": "none"})
    assert "<dt>Seeds</dt><dd>Table 2: 1; Table 4: 3, 10</dd>" in text
    shown = Page(text)
    ((_, chains),) = shown.of("script", id="chains")
    content_of = json.loads(chains)
    made_with = {
        path: options
        for options, number in zip(content_of["options"], content_of["numbers"], strict=True)
        for path, _, _ in number
    }
    for path, options in made_with.items():
        assert options == ("scale=demo 'seeds=[3,10]'" if "/parser" in path else "scale=demo"), path
    assert len(set(made_with.values())) == 2


def test_what_is_missing_is_named_with_its_command(after_table_2: Path) -> None:
    text = page(after_table_2, {"commit": "abc", "record": "none"})
    commands = set(re.findall(r"snakemake --cores all (\S+) --config scale=demo", text))
    tables = {f"results/table{number}.tex" for number in (1, 3, 4)}
    assert tables | {"results/claims.md", "results/figures/architecture.svg"} <= commands
    assert "results/table2.tex" not in commands
    assert "results/table3.tex" not in published(after_table_2)


def test_models_that_are_left_out(after_table_2: Path) -> None:
    """The page, and the lines that its script returns, say which and why; a table alone may have been pulled."""
    path = after_table_2 / "tables/table2.json"
    table = json.loads(path.read_text())
    for run in table["behind"]["runs"].values():
        run["files"]["averaged"] = {"path": "results/model.safetensors", "sha256": "a" * 64}
    del table["content_sha256"]
    write_artifact(path, table)
    lines = write_page(after_table_2, [], Path("results/index.html"), None)
    reason = "its files, or those of its vocabulary, are not here"
    names = "base (en-de), big (en-de)"
    assert lines == [f"results/index.html does not hold {names}: {reason}"]
    shown = Page(Path("results/index.html").read_text())
    assert f"Not in this page: {names}: {reason}." in [
        text.strip() for _, text in shown.of("p", **{"class": "warning"})
    ]


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


def test_attention_in_an_earlier_model_is_not_shown(tmp_path: Path) -> None:
    figures, run = tmp_path / "figures", tmp_path / "runs" / "base" / "en-de"
    figures.mkdir()
    for name in ("attention_cross", "learning_rate"):
        (figures / f"{name}.svg").write_text('<svg width="9pt"></svg>')
    save_model(run / "averaged", tiny.model(290), "0" * 64, "fp32")
    sums = [sha256_of(run / "averaged" / "model.safetensors"), "0" * 64]
    for sha256, shown in zip(sums, (["attention_cross", "learning_rate"], ["learning_rate"]), strict=True):
        content = {
            "format": 1,
            "run": "base",
            "pair": "en-de",
            "scale": "tiny",
            "corpus": "c",
            "sentences": {},
        }
        write_artifact(figures / "attention.json", content | {"model_sha256": sha256})
        assert [*_figures(figures, embeds=True)] == shown


def test_after_a_table_without_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It has neither a corpus nor seeds, as Table 1."""
    monkeypatch.chdir(tmp_path)
    lines = [Line([Cell("label", "Self-Attention (restricted)")])]
    write_cells(Table("table1", [Column("label", ["Layer type"])], lines, csv=[]))
    assert "Self-Attention (restricted)" in page(Path("results/demo"), {"commit": "abc", "record": "none"})


def test_without_a_table_there_is_no_page(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"there is no table to show; make one first"):
        published(tmp_path)
    with pytest.raises(UserError, match=r"there is no table to show"):
        write_page(Path("demo"), [], tmp_path / "index.html", None)  # as from within results/


def test_no_text_of_the_results_becomes_an_element(after_table_2: Path) -> None:
    shown = Page(published(after_table_2))
    assert [
        attributes for tag, attributes, _ in shown.elements if tag == "img" or "onerror" in attributes
    ] == []
    assert len(list(shown.of("script"))) == 2
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


def test_distances_from_base(made: Path) -> None:
    """Row h = 1 of the paper: perplexity 5.29 and BLEU 24.9, where base has 4.92 and 25.8; ours are the same."""
    titles: list[Any] = [
        attributes["title"] for attributes, _ in Page(published(made)).of("td") if "title" in attributes
    ]
    assert titles[:2] == ["paper ×1.08, ours ×1.08", "paper -0.9, ours -0.9"]
    assert len(titles) == 2 * 19


def test_a_table_in_which_no_row_differs_from_base(made: Path) -> None:
    table = read_table(made / "tables/table3.json")
    base = replace(table.lines[0], cells=[cell for cell in table.lines[0].cells if cell.origin != "paper"])
    for lines in ([base], [base, replace(base, block=OWN, name="same")]):
        assert variations(replace(table, lines=lines))
