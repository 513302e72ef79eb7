"""The page of a scale's results."""

import json
import re
import shutil
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
import tiny

from transformer.common.errors import UserError
from transformer.common.files import sha256_of
from transformer.model.config import BeamConfig
from transformer.model.storage import save_model
from transformer.page.make_page import page, write_page
from transformer.page.pack_models import ModelFiles, left_out, packed_models, text_of
from transformer.page.printed import read_values
from transformer.page.variations import variations
from transformer.tables.table3 import OURS

ROOT = Path(__file__).parents[2]
PUBLISHED = ROOT / "docs" / "results"
DEMO = PUBLISHED / "demo"
HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)> \"' &amp; {{ 7 * 7 }}"


class Page(HTMLParser):
    """The elements of a page, each with its attributes and the text directly in it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None], list[str]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs), []))

    def handle_data(self, data: str) -> None:
        if self.elements:
            self.elements[-1][2].append(data)

    def of(self, tag: str, **wanted: str) -> Iterator[tuple[dict[str, str | None], str]]:
        for name, attributes, texts in self.elements:
            if name == tag and wanted.items() <= attributes.items():
                yield attributes, "".join(texts)


def published(folder: Path) -> str:
    return page(folder, {"commit": "abc", "record": "published"}, is_published=True)


@pytest.fixture
def after_table_2(tmp_path: Path) -> Path:
    """A folder as it is after Table 2 alone."""
    folder = tmp_path / "results" / "demo"
    (folder / "tables").mkdir(parents=True)
    for ending in ("md", "csv"):
        shutil.copy(DEMO / f"table2.{ending}", folder / "tables")
    shutil.copy(DEMO / "provenance.json", folder)
    return folder


@pytest.mark.parametrize("name", ["demo", "demo-3-seeds", "small", "small-table3"])
def test_each_number_of_ours_has_the_files_behind_it(name: str) -> None:
    """Those of its table's provenance; of several seeds, the mean of the values is the number."""
    known = {
        (number["path"], number["key"]): number
        for path in PUBLISHED.glob(f"{name}/provenance*.json")
        for number in json.loads(path.read_text()).get("numbers", [])
    }
    shown = Page(published(PUBLISHED / name))
    ((_, text),) = shown.of("script", id="chains")
    chains = json.loads(text)
    buttons = [(attributes, text) for attributes, text in shown.of("button") if "data-chain" in attributes]
    scores = 0
    for attributes, said in buttons:
        behind = chains["numbers"][int(attributes["data-chain"] or "")]
        for path, key, _ in behind:
            assert chains["files"][path][0] == ["measured", path, known[path, key]["sha256"]]
        values = [known[path, key]["value"] for path, key, _ in behind]
        # Scores have one decimal; counts of operations, and what Table 1 prints, have other forms.
        number = re.match(r"\d+\.\d(?!\d|e)", said)
        if number and isinstance(values[0], float):
            scores += 1
            assert float(number[0]) == pytest.approx(sum(values) / len(values), abs=0.0501)
    assert scores >= {"demo": 30, "demo-3-seeds": 30, "small": 8, "small-table3": 20}[name]


def test_the_chain_of_a_score() -> None:
    ((_, text),) = Page(published(DEMO)).of("script", id="chains")
    folder = "results/demo/runs/base/en-de"
    steps = json.loads(text)["files"][f"{folder}/scores.json"]
    run = json.loads((DEMO / "provenance.json").read_text())["runs"]["base/en-de"]
    assert steps == [
        ["measured", f"{folder}/scores.json", run["files"]["scores"]["sha256"]],
        ["translations", f"{folder}/test.de", run["scores"]["files"]["hypothesis"]["sha256"]],
        ["weights", f"{folder}/averaged/model.safetensors", run["scores"]["files"]["checkpoint"]["sha256"]],
        ["settings", f"{folder}/config.json", run["scores"]["files"]["config"]["sha256"]],
    ]


def test_what_is_missing_is_named_with_its_command(
    after_table_2: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(after_table_2)  # where no model lies
    text = page(after_table_2, {"commit": "abc", "record": "none"})
    commands = set(re.findall(r"snakemake --cores all (\S+) --config scale=demo", text))
    tables = {f"results/table{number}.tex" for number in (1, 3, 4)}
    assert tables | {"results/claims.md", "results/figures/architecture.svg"} <= commands
    assert "results/table2.tex" not in commands
    assert "results/table3.tex" not in published(after_table_2)


def test_models_that_are_left_out(
    after_table_2: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page, and the lines that its script returns, say which and why; a table alone may have been pulled."""
    monkeypatch.chdir(tmp_path)
    lines = write_page(Path("results/demo"), [], Path("results/index.html"), None)
    reason = "its files, or those of its vocabulary, are not here"
    names = "base (en-de), base (en-fr), big (en-de), big (en-fr)"
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
    small = packed_models(models, len(text_of(content)) - 1000)
    assert left_out(small["models"]) == [
        "self-attention (en-de): its weights do not fit into this page",
        *lines,
    ]
    weights = tmp_path / "self-attention" / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1] + b"?")
    with pytest.raises(UserError, match="not the file that was written"):
        packed_models(models, 1 << 20)


def test_after_table_1_alone(tmp_path: Path) -> None:
    """It has no runs, and so neither a corpus nor seeds."""
    (tmp_path / "tables").mkdir()
    for ending in ("md", "csv"):
        shutil.copy(DEMO / f"table1.{ending}", tmp_path / "tables")
    assert "Self-Attention (restricted)" in page(tmp_path, {"commit": "abc", "record": "none"})


def test_without_a_table_there_is_no_page(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"there is no table to show; make one first"):
        published(tmp_path)


def test_no_text_of_the_results_becomes_an_element(after_table_2: Path) -> None:
    corpus = "the project's own synthetic corpus"
    for path in (after_table_2 / "tables").iterdir():
        text = HOSTILE.replace('"', '""') if path.suffix == ".csv" else HOSTILE.replace("<", "&lt;")
        path.write_text(path.read_text().replace(f",{corpus},", f',"{text}",').replace(corpus, text))
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
    assert len(pages) == 4
    for path in pages:
        assert path.stat().st_size < 1_500_000
        assert 'id="translator"' not in path.read_text()


def test_distances_from_base() -> None:
    """Row h = 1 of the paper: perplexity 5.29 and BLEU 24.9, where base has 4.92 and 25.8."""
    titles: list[Any] = [
        attributes["title"] for attributes, _ in Page(published(DEMO)).of("td") if "title" in attributes
    ]
    assert titles[:2] == ["paper ×1.08, ours ×1.06", "paper -0.9, ours -3.9"]
    assert len(titles) == 2 * 19


def test_a_table_in_which_no_row_differs_from_base() -> None:
    base, *_ = read_values(DEMO / "table3.csv")
    for rows in (
        [base],
        [base, base | {"block": OURS, "run": "same", "perplexity_paper": "", "bleu_paper": ""}],
    ):
        assert variations([row | {"perplexity_paper": "", "bleu_paper": ""} for row in rows])
