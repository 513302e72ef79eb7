"""A trained model, found by the folder of its run.

from transformer import load
t = load("results/demo/runs/base/en-de")
t.translate(["A dog runs."])
"""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from transformer.common.artifacts import Kind, read_artifact
from transformer.common.errors import UserError
from transformer.common.files import sha256_of
from transformer.common.lines import without_marks
from transformer.decoding.beam_search import BeamConfig
from transformer.decoding.trained_model import TrainedModel, listed, recorded_beam
from transformer.inspection.word_attention import WordAttention, word_attention
from transformer.parsing.parse import Parse, parse_sentences
from transformer.settings.settings import PARSERS

# By whether it is a parser: sections 6.3 and 6.1.
PAPER = {True: BeamConfig(beam_size=21, alpha=0.3, max_extra_tokens=300), False: BeamConfig()}
# The models of a run, the first choice first, with the files of their scores.
MODELS: dict[str, dict[str, Kind]] = {
    "averaged": {"scores.json": "scores", "parses.json": "parses"},
    "last": {"last/scores.json": "scores"},
}


class TrainedRun(TrainedModel):
    """The model of a run, for use from Python."""

    def parse(self, sentences: Iterable[str], constrained: bool = True) -> list[Parse]:
        """Return the tree of each sentence, see :func:`parse_sentences`; ``parse(…)[0].tree`` is the first one."""
        return parse_sentences(self, listed(sentences, "parse"), constrained=constrained)

    def attention(self, source: str, target: str) -> dict[str, WordAttention]:
        """Return the attention while the model reads a sentence and its translation, see :func:`word_attention`.

        ``attention(…)["cross"].weights[n, h, q, k]`` is the weight from query word q to key word k in head h of layer
        n, all counted from 0.  Raises UserError when a sentence is empty.
        """
        subwords = self.vocabularies.source
        if subwords is not self.vocabularies.target:
            raise UserError("the model is a parser, whose output has no words; attention is for translation")
        source, target = (without_marks(text).strip() for text in listed([source, target], "attention"))
        if not source or not target:
            raise UserError("attention needs a sentence and its translation, and one of them is empty")
        return word_attention(self.model, subwords, subwords.encode(source), subwords.encode(target))


def load(folder: Path | str) -> TrainedRun:
    """Load the model of a run, e.g. from ``results/demo/runs/base/en-de``.

    The model is the averaged one, or for a run of Table 3 the last checkpoint.  The vocabulary is that of the scale and
    the pair, in ``data/`` beside ``results/``.  Beam search has the settings with which the run was scored, or the
    paper's if it was not.  The numerics are those of the training; unless they are portable, the model is put
    on a GPU if there is one.  A note says so if this process was started without the variables of portable numerics.
    In a process that is forked, the model computes with one thread; it can be copied and pickled.

    Raises UserError when the folder has no trained model, when its vocabulary is missing or has changed, or when its
    scores do not record the search.
    """
    if not isinstance(folder, str | os.PathLike):
        raise UserError(
            f"load takes the folder of a run such as results/demo/runs/base/en-de, not {folder!r}"
        )
    folder = Path(folder)
    if not (folder / "config.json").exists():
        raise UserError(f"{folder}: not the folder of a run; name one such as results/demo/runs/base/en-de")
    names = [name for name in MODELS if (folder / name / "model.json").exists()]
    if not names:
        raise UserError(
            f"{folder}: has no trained model yet; make one: snakemake --cores all {folder}/averaged/model.json"
        )
    config = read_artifact(folder / "config.json", "config")
    training, sha256 = folder / "training.json", sha256_of(folder / "config.json")
    trained = read_artifact(training, "training") if training.exists() else {}
    names = [
        name for name in names if trained.get("config_sha256") == sha256 and _is_of(folder, name, trained)
    ]
    if not names:
        raise UserError(
            f"{folder}: its model is of other settings than config.json, or is being trained; train it: "
            f"snakemake --cores all {training}"
        )
    pair, scale = config["pair"], config["scale"]
    project = Path(os.path.abspath(folder / "../../../../.."))  # of results/<scale>/runs/<run>/<pair>
    data = project / "data" / scale / "subwords" / pair
    parser = pair in PARSERS.values()
    symbols = data / "symbols.json" if parser else None
    beam = beam_of(folder, names[0], parser)
    return TrainedRun.read(folder / names[0], data / "subwords.model", beam, symbols)


def _is_of(folder: Path, name: str, training: Mapping[str, Any]) -> bool:
    """Return whether the scores of a model, if it has some, are of this model, and both of this training."""
    model = read_artifact(folder / name / "model.json", "model")
    files = scored[1]["files"] if (scored := _scored(folder, name)) else {}
    sums = {"config": training["config_sha256"], "checkpoint": model["weights_sha256"]}
    return all(files[file]["sha256"] == sha256 for file, sha256 in sums.items() if file in files)


def _scored(folder: Path, name: str) -> tuple[Path, dict[str, Any]] | None:
    """Return the file of scores of a model of a run, and its content; None if it was not scored."""
    for file, kind in MODELS[name].items():
        if (path := folder / file).exists():
            return path, read_artifact(path, kind)
    return None


def beam_of(folder: Path, name: str, parser: bool) -> BeamConfig:
    """Return the beam search with which this model of a run was scored; the paper's if it was not."""
    if scored := _scored(folder, name):
        path, scores = scored
        return recorded_beam(scores, path)
    return PAPER[parser]
