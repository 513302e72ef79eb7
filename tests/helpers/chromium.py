"""A page with trained models in Chromium, driven by Playwright: opened from a file and without a network."""

import base64
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from playwright.sync_api import Page, sync_playwright

from transformer.common.files import read_lines
from transformer.common.special_tokens import EOS
from transformer.inspection.word_attention import attention_weights
from transformer.model.transformer import Transformer, shift_right
from transformer.page import pack_models
from transformer.page.pack_models import ModelFiles, packed_models, translator
from transformer.run_folder import beam_of
from transformer.verification.recorded import vocabulary_files

CHROMIUM = shutil.which("chromium")
COLOURS = "--fg: #1b1b1b; --bg: #ffffff; --accent: #0b57d0; --muted: #5c5c5c; --line: #c9c9c9"
PROGRAM = "".join(Path(pack_models.__file__).with_name(name).read_text() for name in pack_models.SCRIPTS)
# Make a function `answer` of the model of an entry of the page.  Its weights, or its config, too, may be others.
LOAD = """
const content = JSON.parse(document.getElementById("models").textContent), entry = content.models[number];
const vocabulary = new Vocabulary(content.vocabularies[entry.vocabulary]);
const bytes = weights ? Uint8Array.from(atob(weights), c => c.charCodeAt(0)).buffer : unpacked(entry.weights);
const model = new Transformer(config ?? entry.config, readTensors(bytes));
const flat = kind => {
  const bytes = new Uint8Array(Float32Array.from(kind.flat(2).flatMap(row => [...row])).buffer);
  return btoa(Array.from(bytes, byte => String.fromCharCode(byte)).join(""));
};
globalThis.answer = ({ sentence, ids, words, beam = entry.beam }) => {
  const start = performance.now();
  if (sentence !== undefined) ({ ids, words } = vocabulary.encode(sentence));
  const source = [...ids, EOS], isParser = vocabulary.isParser && sentence !== undefined;
  const constraint = isParser ? new TreeConstraint(vocabulary.symbols, vocabulary.firstId, words.length) : undefined;
  const { tokens } = beamSearch(model, source, beam, constraint).best;
  const written = sentence === undefined ? "" : vocabulary.decode(tokens);
  const text = isParser ? brackets(treeOf(written.split(" "), words)) : written;
  const ms = performance.now() - start, { encoder, decoder, cross } = model.attentionWeights(source, tokens);
  return { ids, tokens, text, ms, encoder: flat(encoder), decoder: flat(decoder), cross: flat(cross) };
};
"""


@dataclass(frozen=True)
class Answer:
    """What the browser computed for a sentence; the ids have no EOS."""

    ids: list[int]
    tokens: list[int]
    text: str
    ms: float
    encoder: str  # the attention weights of all layers, heads, queries and keys: fp32 in base64
    decoder: str  # without the keys that the mask hides
    cross: str

    def largest_difference(self, model: Transformer) -> float:
        """Compare all attention weights with those of ``model`` while it reads the same ids."""
        source, output = torch.tensor([[*self.ids, EOS]]), torch.tensor([[*self.tokens, EOS]])
        expected = attention_weights(model, source, shift_right(output))
        T = output.shape[1]
        expected["decoder"] = expected["decoder"][:, :, torch.ones(T, T, dtype=torch.bool).tril()]
        differences = []
        for kind, weights in expected.items():
            found = np.frombuffer(base64.b64decode(getattr(self, kind)), "<f4")
            differences.append(np.abs(found - weights.flatten().numpy()).max())
        return float(max(differences))


@contextmanager
def opened(file: Path) -> Iterator[Page]:
    """Open a file in Chromium.  Fails when a script of it does."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])  # for root
        page = browser.new_context(offline=True, viewport={"width": 1500, "height": 1000}).new_page()
        errors: list[Any] = []
        page.on("pageerror", lambda error: errors.append(error))
        page.goto(file.as_uri())
        yield page
        browser.close()
    assert errors == []


def write_page(file: Path, models: Sequence[ModelFiles], budget_bytes: int) -> None:
    """Write a page that holds nothing but the models."""
    body = translator(packed_models(models, budget_bytes))
    style = f":root {{{COLOURS}}}"
    file.write_text(
        f'<!doctype html><html lang="en"><meta charset="utf-8"><style>{style}</style>{body}</html>'
    )


def load(page: Page, number: int, weights: Path | None = None, config: dict[str, Any] | None = None) -> None:
    """Load the model of an entry of the page for :func:`answers`; ``weights`` are a file to take instead of its own."""
    encoded = None if weights is None else base64.b64encode(weights.read_bytes()).decode()
    page.evaluate(f"([number, weights, config]) => {{ {PROGRAM} {LOAD} }}", [number, encoded, config])


def answers(page: Page, inputs: Sequence[dict[str, Any]]) -> list[Answer]:
    """Return what the loaded model makes of each input: a ``sentence``, or ``ids`` and a ``beam``."""
    return [Answer(**found) for found in page.evaluate("inputs => inputs.map(answer)", list(inputs))]


def evaluated(page: Page, expression: str, argument: Any) -> Any:
    """Return the value of a JavaScript expression of ``argument``, which knows the page's classes and functions."""
    return page.evaluate(f"argument => {{ {PROGRAM} return {expression} }}", argument)


def files_of(project: Path, scale: str, run: str, pair: str) -> ModelFiles:
    """Return the files of a trained model of ``project``."""
    folder = project / "results" / scale / "runs" / run / pair
    subwords, symbols = vocabulary_files(pair, project / "data" / scale)
    example, _ = sentences_of(project, scale, run, pair)
    beam = beam_of(folder, symbols is not None)
    return ModelFiles(run, pair, folder / "averaged", subwords, symbols, beam, example[0])


def sentences_of(project: Path, scale: str, run: str, pair: str) -> tuple[list[str], list[str]]:
    """Return the sentences of the test set, and what the pipeline made of them."""
    source, target = pair.split("-")
    text = project / "data" / scale / "clean" / pair / f"test.{source}"
    folder = project / "results" / scale / "runs" / run / pair
    output = folder / "constrained.trees" if run.startswith("parser") else folder / f"test.{target}"
    return list(read_lines(text)), list(read_lines(output))
