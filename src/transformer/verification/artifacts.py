"""The chain of files behind a run's scores, each with the hash that the next one recorded.

    subwords, tokenized text → checkpoints → averaged weights → translation or trees → scores

A file that was changed after it was used breaks the chain at its place.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch

from transformer.common.errors import UserError
from transformer.common.json_artifacts import read_artifact
from transformer.dataset.tokenized import TokenizedDataset
from transformer.model.config import TransformerConfig
from transformer.model.flops import training_flops
from transformer.model.storage import load_tensors
from transformer.model.transformer import Transformer, parameter_count
from transformer.subwords.vocabularies import load_vocabularies
from transformer.tables.runs import Run
from transformer.training.averaging import average
from transformer.training.micro_batches import Position, Worklist
from transformer.verification.checks import Check, file_check, value_check


def check_artifacts(run: Run, data: Path) -> Iterator[Check]:
    """Check the files of a trained run; ``data`` is the data of its scale, e.g. ``data/demo``."""
    yield from _inputs(run, data)
    yield from _weights(run)
    yield from _counts(run, data)


def vocabulary_files(pair: str, data: Path) -> tuple[Path, Path | None]:
    """Return the subword model of a pair of languages, and if it is a parser's the symbols of the trees."""
    folder = data / "subwords" / pair
    symbols = folder / "symbols.json"
    return folder / "subwords.model", symbols if symbols.exists() else None


def perplexities(run: Run) -> dict[str, dict[str, Any]]:
    """Return split → ``perplexity``, ``tokens`` and ``nll``; a parser has none."""
    content = run.content.get("perplexity", {})
    return {split: figures for split, figures in content.items() if isinstance(figures, dict)}


def weights_of(run: Run) -> Path:
    """Return the folder of the model whose scores the run has: the averaged one, or for Table 3 the last."""
    scores = next(run.path(name) for name in ("scores", "parses") if name in run.files)
    return run.folder / ("last" if scores.parent.name == "last" else "averaged")


def _inputs(run: Run, data: Path) -> Iterator[Check]:
    """Check settings, vocabulary, tokenized text and the course of the training against what the training recorded."""
    training, recorded = run.content["training"], run.path("training")
    yield file_check(run.path("config"), training["config_sha256"], recorded)
    subwords, symbols = vocabulary_files(run.pair, data)
    found = load_vocabularies(subwords, symbols).sha256
    yield value_check(f"vocabulary of {subwords.parent}", found, training["vocabulary_sha256"], recorded)
    for name, sha256 in training["data"].items():
        yield file_check(data / "tokenized" / run.pair / name, sha256, recorded)
    metrics = run.folder / "metrics.jsonl"
    yield file_check(metrics, run.content["timing"]["metrics_sha256"], run.path("timing"))


def _weights(run: Run) -> Iterator[Check]:
    """Check the checkpoints, their mean, and its number of parameters."""
    training, folder = run.content["training"], weights_of(run)
    for checkpoint in training["checkpoints"]:
        yield file_check(run.folder / checkpoint["path"], checkpoint["sha256"], run.path("training"))
    info = read_artifact(folder / "model.json", "model")
    config = TransformerConfig(**info["config"])
    # Averaging may be newer than training, and then its description has more fields.
    trained = TransformerConfig(**training["model"]).to_dict()
    yield value_check("the shape of the model", config.to_dict(), trained, f"{folder}/model.json")
    paths = {checkpoint["step"]: run.folder / checkpoint["path"] for checkpoint in training["checkpoints"]}
    missing = [step for step in info["steps"] if step not in paths or not paths[step].exists()]
    if missing:
        yield Check(str(folder), f"{folder}/model.json: is the mean of step {missing[0]}, which is not there")
        return
    mean, weights = (
        average([paths[step] for step in info["steps"]]),
        load_tensors(folder / "model.safetensors"),
    )
    equal = mean.keys() == weights.keys() and all(torch.equal(mean[name], weights[name]) for name in mean)
    yield Check(
        f"{folder}/model.safetensors",
        "" if equal else f"{folder}/model.safetensors: not the mean of its checkpoints",
    )
    model = Transformer(config)
    yield value_check(
        "number of parameters", parameter_count(model), training["parameters"], run.path("training")
    )


def _counts(run: Run, data: Path) -> Iterator[Check]:
    """Count tokens and operations of the training again, from the batches that its seed and its data give."""
    training, settings = run.content["training"], run.content["config"]["training"]
    model = TransformerConfig(**training["model"])
    worklist = Worklist(
        TokenizedDataset.open(data / "tokenized" / run.pair / "train"),
        model,
        batch_tokens=settings["batch_tokens"],
        max_length=settings["max_length"],
        buckets_per_doubling=settings.get("buckets_per_doubling"),  # older runs have none
        seed=settings["seed"],
        count=1,
        rank=0,
        world_size=1,
        device=torch.device("cpu"),
    )
    found = {"source_tokens": 0, "target_tokens": 0, "training_flops": 0}
    source, target = worklist.lengths
    for position, batch in worklist.batches(Position(0, 0, 0), training["steps"]):
        found["source_tokens"] += int(source[batch].sum())
        found["target_tokens"] += int(target[batch].sum())
        found["training_flops"] += training_flops(
            model, len(batch), int(source[batch].max()), int(target[batch].max())
        )
        found["epochs"] = position.epoch
    for name, value in found.items():
        yield value_check(name, value, training[name], run.path("training"))


def folder_of_reference(run: Run, name: str, data: Path) -> Path:
    """Return the folder of the text that the scores file ``name`` of a run was computed from."""
    if name != "scores":
        return data / "clean" / "trees"
    folder = data / "clean" / run.pair
    return folder / "tests" if run.path(name).parent.parent.name == "tests" else folder


def files_of_scores(run: Run, name: str, data: Path) -> dict[str, Path]:
    """Return the files that a scores file recorded, by what they are.  Raises UserError for an unknown kind."""
    folders: dict[str, Path] = {
        **dict.fromkeys(("hypothesis", "predicted", "decoding"), run.path(name).parent),
        **dict.fromkeys(("reference", "source", "gold"), folder_of_reference(run, name, data)),
        "checkpoint": weights_of(run),
        "config": run.folder,
    }
    recorded: dict[str, Any] = run.content[name]["files"]
    if unknown := sorted(recorded.keys() - folders.keys()):
        raise UserError(f"{run.path(name)}: files: unknown kind '{unknown[0]}'; score the run again")
    return {kind: folders[kind] / record["name"] for kind, record in recorded.items()}
