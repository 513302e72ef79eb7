"""The models in a page, in Chromium: what is typed is translated and parsed as the pipeline does it."""

import json
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import node
import pytest

from transformer.settings.run_settings import BeamConfig

pytest.importorskip("playwright", reason="the packages of requirements-extras.lock are not installed")
import chromium

pytestmark = pytest.mark.skipif(chromium.CHROMIUM is None, reason="there is no Chromium")

MODELS = [
    ("base", "en-de"),
    ("base", "en-fr"),
    ("parser", "en-trees"),
    ("parser-semi", "en-silver"),
    ("big", "en-de"),
]


@pytest.fixture(scope="module")
def page(finished: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A page with all models but the last, which does not fit."""
    file = tmp_path_factory.mktemp("page") / "page.html"
    files = [node.files_of(finished, "micro", *model) for model in MODELS]
    chromium.write_page(file, files, budget_bytes=1 << 30)
    last = (files[-1].averaged / "model.safetensors").stat().st_size // 4
    chromium.write_page(file, files, budget_bytes=file.stat().st_size - last)
    with chromium.opened(file) as opened:
        yield opened


def typed(page: Any, sentence: str) -> str:
    """Type a sentence as a user does who has no mouse, and return what the page shows."""
    page.get_by_label("Sentence").fill(sentence)
    page.get_by_label("Sentence").press("Enter")
    return str(page.locator('[data-part="output"]').inner_text())


def choose(page: Any, text: str) -> None:
    page.get_by_role("combobox", name="Model", exact=True).select_option(label=text)


def status(page: Any) -> str:
    return str(page.locator('[data-part="status"]').inner_text())


def test_the_files_of_a_model_that_is_not_in_the_page(page: Any, finished: Path, tmp_path: Path) -> None:
    run, pair = MODELS[-1]
    folder = node.files_of(finished, "micro", run, pair).averaged
    choose(page, f"{run}, {pair} (not in this page)")
    assert f"do not fit into this page. Open model.safetensors and model.json of {folder}" in status(page)
    files = [folder / "model.json", folder / "model.safetensors"]
    page.locator('[data-part="files"]').set_input_files(files)
    page.locator('[data-part="answer"]').wait_for()
    sentences, outputs = node.sentences_of(finished, "micro", run, pair)
    assert [typed(page, sentence) for sentence in sentences] == outputs

    page.locator('[data-part="files"]').set_input_files([files[0], _other_weights(finished, tmp_path)])
    page.get_by_text("model.safetensors is not the file that model.json describes").wait_for()
    description = json.loads(files[0].read_text()) | {"vocabulary_sha256": "0" * 64}
    (tmp_path / "model.json").write_text(json.dumps(description))
    page.locator('[data-part="files"]').set_input_files([tmp_path / "model.json", files[1]])
    page.get_by_text("Use it with: python src/transformer/decoding/translate.py --model").wait_for()
    description = json.loads(files[0].read_text())
    for name, value in {"encoder_layer": "recurrent", "unheard": 2}.items():
        config = description["config"] | {name: value}
        # Under another name, or no event would say that files were chosen.
        (tmp_path / f"{name}.json").write_text(json.dumps(description | {"config": config}))
        page.locator('[data-part="files"]').set_input_files([tmp_path / f"{name}.json", files[1]])
        page.get_by_text(f"{name} is {value}, which this page does not compute").wait_for()


def _other_weights(finished: Path, folder: Path) -> Path:
    base = node.files_of(finished, "micro", "base", "en-de").averaged
    return Path(shutil.copy(base / "model.safetensors", folder))


def test_it_shows_the_search_and_the_attention(page: Any, finished: Path) -> None:
    choose(page, "base, en-de")
    best = typed(page, "The girl sees the dog.")
    hypotheses = page.locator('[data-part="hypotheses"] button')
    assert hypotheses.first.inner_text() == best
    assert (
        page.locator('[data-part="beams"] text.t-chosen').count()
        == page.locator(".t-attention > div").first.get_by_role("button").count()
    )
    scores = [
        float(text) for text in page.locator('[data-part="hypotheses"] td:nth-child(2)').all_inner_texts()
    ]
    assert scores == sorted(scores, reverse=True)
    page.get_by_role("slider", name="Beam size").fill("1")
    assert hypotheses.count() == 1
    page.get_by_label("Head").select_option("1")
    page.locator(".t-attention button").first.focus()
    assert "attends to" in page.locator('[data-part="reading"]').inner_text()
    typed(page, "The g\U0001f600rl sees the dog.")
    assert page.locator(".t-unknown").count() > 1


def test_any_recorded_search_is_that_of_the_page(page: Any, finished: Path, tmp_path: Path) -> None:
    """A slider that moved to its next step would search with another α."""
    files = node.files_of(finished, "micro", "base", "en-de")
    beam = BeamConfig(beam_size=9, alpha=2.345)
    chromium.write_page(tmp_path / "page.html", [replace(files, beam=beam)], budget_bytes=1 << 30)
    opened = page.context.new_page()
    opened.goto((tmp_path / "page.html").as_uri())
    shown = [opened.locator(f'[data-part="{name}-value"]').inner_text() for name in ("beam", "alpha")]
    assert shown == ["9", "2.345"]
    opened.get_by_label("Sentence").fill("dog " * 1000)
    opened.get_by_label("Sentence").press("Enter")
    assert "reads fewer than 1000. Run: python" in status(opened)
