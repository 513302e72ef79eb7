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


def trained_models(
    runs: Sequence[Mapping[str, Any]], data: Path
) -> tuple[list[ModelFiles], list[Mapping[str, Any]]]:
    """Return the models that were averaged, given runs as a table has them; of several seeds the first.

    ``data`` is the scale's folder of corpora.  Tables alone may have been pulled with DVC: the runs whose models or
    vocabularies are not here follow apart.
    """
    models: dict[tuple[str, str], ModelFiles] = {}
    missing: dict[tuple[str, str], Mapping[str, Any]] = {}
    seeds = {run["config"]["seed"] for run in runs}
    for run in runs:
        name, pair = run["config"]["run"], run["config"]["pair"]
        if "averaged" not in run["files"] or (name, pair) in models:
            continue
        if Path(run["files"]["averaged"]["path"]).is_file() and (data / "subwords" / pair).exists():
            models[name, pair] = _model(
                run, f", seed {run['config']['seed']}" if len(seeds) > 1 else "", data
            )
        else:
            missing[name, pair] = run
    order = sorted(models, key=lambda name: [name[0] != first for first in FIRST])
    return [models[name] for name in order], [run for name, run in missing.items() if name not in models]


def absent(run: Mapping[str, Any]) -> dict[str, str]:
    """Return the entry of a model whose files are not here, as those of ``packed_models``."""
    reason = "its files, or those of its vocabulary, are not here"
    return {"run": run["config"]["run"], "pair": run["config"]["pair"], "left_out": reason}


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
        example=_example(data / "clean" / pair, pair.split("-")[0]),
        weights_sha256=averaged["sha256"],
    )


def _example(texts: Path, language: str) -> str:
    """Return the first short sentence of a test set, as its model reads it, or the first sentence."""
    sentences = list(read_lines(texts / f"test.{language}"))
    return next((text for text in sentences if len(text.split()) <= LONGEST), sentences[0])
