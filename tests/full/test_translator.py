"""The models in a page, in Chromium: what is typed is translated and parsed as the pipeline does it."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import tiny
import torch

from transformer.common.special_tokens import EOS
from transformer.decoding.beam_search import beam_search
from transformer.model.config import BeamConfig
from transformer.model.storage import save_model
from transformer.run_folder import load
from transformer.subwords.vocabularies import load_vocabularies

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
# What the vocabularies' libraries treat in their own way: spaces, marks, what is not in the vocabulary, special tokens.
HOSTILE = [
    "The girl sees the dog.",
    "  two  spaces \t and a tab ",
    "a\u00a0no-break\u2009thin\u3000wide\ufeffmark\u0085line\u200bzero",
    "\u2581low\u2581line \ue000 \ue0001 </s> <pad> <unk> <0x41>",
    "Straße, naïve; e\u0301 \U0001f600\U0001f468\u200d\U0001f469 日本語 ١٢٣ don't (x) 3.14%",
    "x" * 130 + "!" * 70 + " " * 70 + ".",
]


@pytest.fixture(scope="module")
def page(finished: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A page with all models but the last, which does not fit."""
    file = tmp_path_factory.mktemp("page") / "page.html"
    files = [chromium.files_of(finished, "micro", *model) for model in MODELS]
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


@pytest.mark.parametrize(("run", "pair"), MODELS[:-1])
def test_it_answers_as_the_pipeline(page: Any, finished: Path, run: str, pair: str) -> None:
    choose(page, f"{run}, {pair}")
    sentences, outputs = chromium.sentences_of(finished, "micro", run, pair)
    found = [typed(page, sentence) for sentence in sentences]
    # Weights in few bits may change one sentence of twenty.
    assert sum(map(str.__eq__, found, outputs)) >= len(outputs) - 1


def test_the_files_of_a_model_that_is_not_in_the_page(page: Any, finished: Path, tmp_path: Path) -> None:
    run, pair = MODELS[-1]
    folder = chromium.files_of(finished, "micro", run, pair).averaged
    choose(page, f"{run}, {pair} (not in this page)")
    assert f"do not fit into this page. Open model.safetensors and model.json of {folder}" in status(page)
    files = [folder / "model.json", folder / "model.safetensors"]
    page.locator('[data-part="files"]').set_input_files(files)
    page.locator('[data-part="answer"]').wait_for()
    sentences, outputs = chromium.sentences_of(finished, "micro", run, pair)
    assert [typed(page, sentence) for sentence in sentences] == outputs

    page.locator('[data-part="files"]').set_input_files([files[0], _other_weights(finished, tmp_path)])
    page.get_by_text("model.safetensors is not the file that model.json describes").wait_for()
    description = json.loads(files[0].read_text()) | {"vocabulary_sha256": "0" * 64}
    (tmp_path / "model.json").write_text(json.dumps(description))
    page.locator('[data-part="files"]').set_input_files([tmp_path / "model.json", files[1]])
    page.get_by_text("Use it with: python src/transformer/decoding/translate.py --model").wait_for()


def _other_weights(finished: Path, folder: Path) -> Path:
    base = chromium.files_of(finished, "micro", "base", "en-de").averaged
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


@pytest.mark.parametrize(("number", "bound"), [(0, 1e-2), (1, 1e-2), (2, 3e-2)])
def test_attention_weights(page: Any, finished: Path, number: int, bound: float) -> None:
    """A translator's weights have ten bits, a parser's eight."""
    run, pair = MODELS[number]
    chromium.load(page, number)
    sentences, _ = chromium.sentences_of(finished, "micro", run, pair)
    model = load(finished / "results" / "micro" / "runs" / run / pair).model
    for answer in chromium.answers(page, [{"sentence": sentence} for sentence in sentences[:2]]):
        assert answer.largest_difference(model) < bound


@pytest.mark.parametrize("pair", ["en-de", "en-fr"])
def test_subwords(page: Any, finished: Path, pair: str) -> None:
    vocabulary = load_vocabularies(chromium.files_of(finished, "micro", "base", pair).subwords, None).source
    expression = (
        "argument.map(text => { const content = JSON.parse(document.getElementById('models').textContent), "
        f"entry = content.models.find(model => model.pair === '{pair}'), "
        "vocabulary = new Vocabulary(content.vocabularies[entry.vocabulary]), { ids } = vocabulary.encode(text); "
        "return [ids, vocabulary.decode(ids)]; })"
    )
    expected = [[vocabulary.encode(text), text] for text in HOSTILE]
    assert chromium.evaluated(page, expression, HOSTILE) == expected


@pytest.mark.parametrize(
    "changes",
    [
        {"attention_bias": True},
        {"positions": "learned", "max_length": 3},
        {"positions": "halves", "target_space": True, "vocabulary_rows": 23},
        {"positions": "words"},
        {"target_vocab_size": 15},
        {"tied_softmax": False, "N": 1, "h": 1},
    ],
    ids=str,
)
def test_every_setting_of_a_model(page: Any, tmp_path: Path, changes: dict[str, Any]) -> None:
    model = tiny.model(seed=1, **changes)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.3)
    save_model(tmp_path, model, "", "fp32")
    ids, beam = [3, 9, 4, 7, 5], BeamConfig(3, 0.6, 4)
    chromium.load(page, 0, tmp_path / "model.safetensors", model.config.to_dict())
    (answer,) = chromium.answers(page, [{"ids": ids, "beam": vars(beam)}])
    assert [answer.tokens] == beam_search(model, torch.tensor([[*ids, EOS]]), beam)
    assert answer.largest_difference(model) < 1e-5
