"""The models of a page as JSON: weights in fp16, and the vocabularies with which text becomes tokens.

The weights of a model are a safetensors file, as the pipeline's own, which ``transformer.js`` reads, too.
"""

import base64
import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import load_file, save

from transformer.common.artifacts import AGAIN, check_sha256, read_artifact
from transformer.common.checked import checked
from transformer.export.fast_tokenizer import pieces_of
from transformer.export.formats import held_values, not_held
from transformer.settings.run_settings import BeamConfig, TransformerConfig
from transformer.subwords.vocabularies import Symbols, TaggedWords, load_vocabularies

SCRIPTS = ("subwords.js", "transformer.js", "translator.js")
START = """\
const content = JSON.parse(document.getElementById("models").textContent);
startTranslator(document.getElementById("translator"), content);"""


@dataclass(frozen=True)
class ModelFiles:
    """A trained model, and what the page says of it."""

    run: str  # such as base
    pair: str  # such as en-de
    averaged: Path  # the folder of model.safetensors and model.json
    subwords: Path
    symbols: Path | None  # a parser's symbols of trees
    beam: BeamConfig  # with which the run was scored
    example: str  # the sentence that the page begins with
    weights_sha256: str  # of the weights that were scored

    @property
    def are_here(self) -> bool:
        """Whether they can be read; tables alone may have been pulled with DVC."""
        return (self.averaged / "model.safetensors").is_file() and self.subwords.is_file()


def packed_models(models: Sequence[ModelFiles], budget_bytes: int) -> dict[str, Any]:
    """Return what fits into ``budget_bytes`` of JSON, for ``startTranslator`` in ``translator.js``.

    Vocabularies get room first, so that the page can open the files of models that do not fit; then weights, in the
    order given.  A model that is left out has ``left_out``, the reason, in place of ``weights``, and ``opens``, whether
    the page can open its files.  ``held`` are the settings that the page computes, for those that it opens.

    Raises UserError when a file is missing or damaged.
    """
    vocabularies: dict[str, dict[str, Any]] = {}
    entries = [described(files) for files in models]
    held = held_values(TransformerConfig, "page")
    room = budget_bytes - size({"models": entries, "vocabularies": {}, "held": held})
    for files, entry in zip(models, entries, strict=True):
        if entry["vocabulary"] not in vocabularies:
            vocabulary = packed_vocabulary(files.subwords, files.symbols)
            if size(vocabulary) <= room:
                room -= size(vocabulary)
                vocabularies[entry["vocabulary"]] = vocabulary
    for files, entry in zip(models, entries, strict=True):
        if "left_out" in entry:
            continue
        if entry["vocabulary"] not in vocabularies:
            entry["left_out"] = "its vocabulary does not fit into this page"
        elif least_size(files) > room or len(weights := packed_weights(files)) > room:
            entry |= {"left_out": "its weights do not fit into this page", "opens": True}
        else:
            room -= len(weights)
            entry["weights"] = weights
    return {"models": entries, "vocabularies": vocabularies, "held": held}


def described(files: ModelFiles) -> dict[str, Any]:
    """Return the entry of a model without its weights, with the reason if the page cannot compute what was scored."""
    info = read_artifact(files.averaged / "model.json", "model")
    script = "decoding/translate.py" if files.symbols is None else "parsing/parse.py"
    paths = {"model": files.averaged, "subwords": files.subwords, "symbols": files.symbols}
    search = {
        name.replace("_", "-"): value for name, value in files.beam.to_dict().items() if name != "nbest"
    }
    options = (
        f"--{name} {shlex.quote(str(value))}" for name, value in (paths | search).items() if value is not None
    )
    entry = {
        "run": files.run,
        "pair": files.pair,
        "folder": str(files.averaged),
        "command": f"python src/transformer/{script} {' '.join(options)}",
        "beam": files.beam.to_dict(),
        "example": files.example,
        "vocabulary": info["vocabulary_sha256"],
        "weights_sha256": info["weights_sha256"],
        "config": info["config"],
    }
    config = checked(TransformerConfig, info["config"], files.averaged / "model.json", AGAIN)
    if setting := not_held(config, "page") or not_held(files.beam, "page"):
        entry["left_out"] = f"{setting}, which this page does not compute"
    elif info["weights_sha256"] != files.weights_sha256:
        entry["left_out"] = "its weights are not those that were scored"
    return entry


def left_out(models: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return a line for each reason for which some of the ``models`` are left out."""
    names: dict[str, list[str]] = {}
    for entry in models:
        if "left_out" in entry:
            names.setdefault(entry["left_out"], []).append(f"{entry['run']} ({entry['pair']})")
    return [f"{', '.join(them)}: {reason}" for reason, them in names.items()]


def packed_vocabulary(subwords: Path, symbols: Path | None) -> dict[str, Any]:
    """Return the pieces of a vocabulary in the order of their ids, and a parser's symbols, for ``subwords.js``."""
    vocabularies = load_vocabularies(subwords, symbols)
    model = subwords.read_bytes()
    packed: dict[str, Any] = {
        "kind": "wordpiece" if model.startswith(b"{") else "bpe",
        "pieces": pieces_of(model),
    }
    source, target = vocabularies.source, vocabularies.target
    if isinstance(target, Symbols):
        tags = list(source.tags) if isinstance(source, TaggedWords) else []
        packed |= {"symbols": list(target.symbols), "first_id": target.first_id, "tags": tags}
    return packed


def least_size(files: ModelFiles) -> float:
    """Return a little less than the length of :func:`packed_weights`, which would take long for a large model."""
    return (files.averaged / "model.safetensors").stat().st_size / 2 * 4 / 3


def packed_weights(files: ModelFiles) -> str:
    """Return a model's weights in fp16: a safetensors file as text.

    Of 1000 sentences of the demo, those of ``base`` are translated as they were scored (tests/page).
    """
    path = files.averaged / "model.safetensors"
    check_sha256(path, files.weights_sha256, files.averaged / "model.json")
    halves = {name: values.astype(np.float16) for name, values in load_file(path).items()}
    return base64.b64encode(save(halves)).decode()


def text_of(content: Any) -> str:
    """Return JSON that can stand in a ``<script>``: no ``<`` ends it."""
    return json.dumps(content, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")


def size(content: Any) -> int:
    """Return the number of bytes of the JSON."""
    return len(text_of(content).encode())


def translator(content: Mapping[str, Any]) -> str:
    """Return the part of a page in which the models of :func:`packed_models` answer, as HTML.

    Its classes begin with ``t-``, and its ids are ``translator`` and ``models``.
    """
    folder = Path(__file__).parent
    html, style = (folder.joinpath(name).read_text("utf-8") for name in ("translator.html", "translator.css"))
    program = "".join(folder.joinpath(name).read_text("utf-8") for name in SCRIPTS)
    return (
        f'<style>\n{style}</style>\n<div id="translator">\n{html}</div>\n'
        f'<script type="application/json" id="models">{text_of(content)}</script>\n'
        f'<script>(() => {{\n"use strict";\n{program}\n{START}\n}})();</script>\n'
    )
