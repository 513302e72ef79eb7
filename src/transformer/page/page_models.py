"""The trained models behind a scale's tables, each with the sentence that the page begins with."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from transformer.common.files import read_lines
from transformer.model.config import BeamConfig
from transformer.page.pack_models import ModelFiles
from transformer.verification.recorded import vocabulary_files

LONGEST = 12  # words of the sentence that the page begins with, if its test set has one that is so short
# Which models get room in the page first.
FIRST = ("base", "parser")


def trained_models(runs: Sequence[Mapping[str, Any]], data: Path) -> list[ModelFiles]:
    """Return the models that were averaged, given runs as provenance.json has them; of several seeds the first.

    ``data`` is the scale's folder of corpora.  Models whose files are not here are left out: tables alone may have been
    pulled with DVC.
    """
    models: dict[tuple[str, str], ModelFiles] = {}
    for run in runs:
        name, pair = run["config"]["run"], run["config"]["pair"]
        weights = Path(run["files"].get("averaged", {"path": ""})["path"])
        if weights.is_file() and (data / "subwords" / pair).exists():
            models.setdefault((name, pair), _model(run, name, pair, data))
    order = sorted(models, key=lambda name: [name[0] != first for first in FIRST])
    return [models[name] for name in order]


def _model(run: Mapping[str, Any], name: str, pair: str, data: Path) -> ModelFiles:
    search = dict(run["parses" if "parses" in run else "scores"]["decoding"]["search"])
    search.pop("precision")
    subwords, symbols = vocabulary_files(pair, data)
    return ModelFiles(
        run=name,
        pair=pair,
        averaged=Path(run["files"]["averaged"]["path"]).parent,
        subwords=subwords,
        symbols=symbols,
        beam=BeamConfig(**search),
        example=_example(data / "clean" / pair, pair.split("-")[0]),
    )


def _example(texts: Path, language: str) -> str:
    """Return the first short sentence of a test set, as its model reads it, or the first sentence."""
    sentences = list(read_lines(texts / f"test.{language}"))
    return next((text for text in sentences if len(text.split()) <= LONGEST), sentences[0])
