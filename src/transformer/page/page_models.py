"""The trained models behind a scale's tables, each with the sentence that the page begins with."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from transformer.common.files import read_lines
from transformer.page.pack_models import ModelFiles
from transformer.settings.run_settings import BeamConfig
from transformer.subwords.vocabularies import vocabulary_files

LONGEST = 12  # words of the sentence that the page begins with, if its test set has one that is so short
# Which models get room in the page first.
FIRST = ("base", "parser")


def trained_models(runs: Sequence[Mapping[str, Any]], data: Path) -> list[ModelFiles]:
    """Return the models that were averaged, given runs as a table has them; of several seeds the first.

    ``data`` is the scale's folder of corpora.
    """
    models: dict[tuple[str, str], ModelFiles] = {}
    seeds = {run["config"]["seed"] for run in runs}
    for run in (run for run in runs if "averaged" in run["files"]):
        seed = f", seed {run['config']['seed']}" if len(seeds) > 1 else ""
        models.setdefault((run["config"]["run"], run["config"]["pair"]), _model(run, seed, data))
    return [models[name] for name in sorted(models, key=lambda name: [name[0] != first for first in FIRST])]


def _model(run: Mapping[str, Any], seed: str, data: Path) -> ModelFiles:
    search = dict(run["parses" if "parses" in run else "scores"]["decoding"]["search"])
    search.pop("precision")
    pair, averaged = run["config"]["pair"], run["files"]["averaged"]
    subwords, symbols = vocabulary_files(pair, data)
    return ModelFiles(
        run=run["config"]["run"] + seed,
        pair=pair,
        averaged=Path(averaged["path"]).parent,
        subwords=subwords,
        symbols=symbols,
        beam=BeamConfig(**search),
        example=_example(data / "clean" / pair / f"test.{pair.split('-')[0]}"),
        weights_sha256=averaged["sha256"],
    )


def _example(text: Path) -> str:
    """Return the first short sentence of a test set, as its model reads it, or the first sentence."""
    sentences = list(read_lines(text)) if text.exists() else [""]
    return next((sentence for sentence in sentences if len(sentence.split()) <= LONGEST), sentences[0])
