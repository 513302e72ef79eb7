"""What no rule makes again: the files that a training read, its counts, and the sums and text behind perplexities."""

import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from torch import device

from transformer.common.artifacts import check_sha256, read_artifact
from transformer.common.errors import UserError, reading
from transformer.common.files import read_lines
from transformer.dataset.tokenized import TokenizedDataset
from transformer.model.flops import training_flops
from transformer.model.transformer import Transformer, parameter_count
from transformer.scoring.perplexity import perplexity
from transformer.settings.run_settings import TrainingConfig, TransformerConfig
from transformer.subwords.encode import with_eos
from transformer.subwords.vocabularies import Vocabularies, load_vocabularies, vocabulary_files
from transformer.tables.sentence_counts import sentence_file
from transformer.training.distributed import ProcessGroup
from transformer.training.micro_batches import Position, Worklist

SAME = 1e-12  # relative difference of exponentials of one number, by libraries that round differently
ROUNDED = 0.5e-6  # nats, by which a sentence's likelihood in a file of sentences may be rounded


def check_training(folder: Path, data: Path) -> Iterator[str]:
    """Yield what differs in a run, the folder of which is given; ``data`` is its scale's, e.g. ``data/demo``."""
    for check in (_inputs, _counts, _perplexities):
        try:
            yield from check(folder, data)
        except UserError as error:  # of a file that cannot be read
            yield str(error)


def has_checkpoints(folder: Path) -> bool:
    """Return whether the checkpoints of a run are here; DVC does not keep them, so ``dvc pull`` brings none."""
    return (folder / "checkpoints").exists()


def _inputs(folder: Path, data: Path) -> Iterator[str]:
    """Compare settings, vocabulary, tokenized text and metrics with what the training recorded of them."""
    where = folder / "training.json"
    training = read_artifact(where, "training")
    tokenized = data / "tokenized" / folder.name
    sums = {
        folder / "config.json": training["config_sha256"],
        folder / "metrics.jsonl": training["metrics_sha256"],
    }
    sums |= {tokenized / name: sha256 for name, sha256 in training["data"].items()}
    if has_checkpoints(folder):
        sums |= {folder / kept["path"]: kept["sha256"] for kept in training["checkpoints"]}
    yield from _other_files(sums, where)
    subwords, symbols = vocabulary_files(folder.name, data)
    if load_vocabularies(subwords, symbols).sha256 != training["vocabulary_sha256"]:
        yield f"{subwords}: not the vocabulary that {where} has the sha256 of"


def _counts(folder: Path, data: Path) -> Iterator[str]:
    """Count parameters, tokens and operations again, from the batches that the seed and the data give."""
    where = folder / "training.json"
    training, settings = read_artifact(where, "training"), read_artifact(folder / "config.json", "config")
    model = TransformerConfig(**training["model"])
    again = {"parameters": parameter_count(Transformer(model))}
    again |= dict.fromkeys(("source_tokens", "target_tokens", "training_flops", "epochs"), 0)
    dataset = TokenizedDataset.open(data / "tokenized" / folder.name / "train")
    alone = ProcessGroup(0, 1, device("cpu"))
    worklist = Worklist(dataset, model, TrainingConfig(**settings["training"]), alone, count=1)
    for position, batch in worklist.batches(Position(0, 0, 0), training["steps"]):
        source, target = (lengths[batch] for lengths in worklist.lengths)
        again["source_tokens"] += int(source.sum())
        again["target_tokens"] += int(target.sum())
        again["training_flops"] += training_flops(model, len(batch), int(source.max()), int(target.max()))
        again["epochs"] = position.epoch
    yield from _compared(where, training, again)


def _perplexities(folder: Path, data: Path) -> Iterator[str]:
    """Compare perplexities with their sums, the sums with the sentences, and these with the tokenized text."""
    vocabularies = load_vocabularies(*vocabulary_files(folder.name, data))
    weights = {folder: folder / "averaged", folder / "last": folder / "last"}
    for where in (place / "perplexity.json" for place in weights if (place / "perplexity.json").exists()):
        scores, sentences = read_artifact(where, "perplexity"), sentence_file(where)
        model = weights[where.parent] / "model.safetensors"
        sums = {model: scores["model_sha256"], sentences: scores["per_sentence"]["sha256"]}
        yield from _other_files(sums, where)
        with reading(sentences, "it can be made again"):
            listed = pd.read_csv(sentences)
        for split in scores.keys() & {"dev", "test"}:
            recorded, of_split = scores[split], listed[listed["split"] == split]
            prefix = data / "tokenized" / folder.name / split
            dataset = TokenizedDataset.open(prefix)
            yield from _other_tokens(prefix, dataset, data / "clean" / folder.name / split, vocabularies)
            if of_split["tokens"].tolist() != dataset.target.lengths.tolist():
                yield f"{sentences}: does not have the lengths of the sentences of {split}"
            again: dict[str, Any] = {"tokens": int(dataset.target.lengths.sum())}
            again["perplexity"] = perplexity(recorded["nll"], recorded["tokens"])
            if abs(of_split["nll"].sum() - recorded["nll"]) > ROUNDED * (len(of_split) + 1):
                again["nll"] = float(of_split["nll"].sum())
            yield from _compared(where, recorded, again)


def _other_tokens(
    prefix: Path, dataset: TokenizedDataset, text: Path, vocabularies: Vocabularies
) -> Iterator[str]:
    """Encode a split's text again, whose two files are ``text`` and a language, and compare the tokens.

    A perplexity does not name the sum of its text, and the sums beside the tokens can be corrected with them.
    """
    files = [text.with_name(f"{text.name}.{language}") for language in text.parent.name.split("-")]
    sides = ((dataset.source, vocabularies.source), (dataset.target, vocabularies.target))
    for file, (tokens, vocabulary) in zip(files, sides, strict=True):
        again = with_eos(vocabulary.encode_batch([*read_lines(file)]))
        if len(again.lengths) != len(tokens) or not np.array_equal(again.ids, tokens.ids):
            yield f"{prefix}.json: not the tokens of {file}"


def _other_files(sums: Mapping[Path, str], where: Path) -> Iterator[str]:
    """Yield which files are missing, or have another sha256 than was recorded in the file ``where``."""
    for path, sha256 in sums.items():
        try:
            check_sha256(path, sha256, where)
        except UserError as error:
            yield str(error)


def _compared(where: Path, recorded: Mapping[str, Any], again: Mapping[str, Any]) -> Iterator[str]:
    for name, value in again.items():
        rounds = name == "perplexity" and math.isclose(value, recorded[name], rel_tol=SAME)
        if value != recorded[name] and not rounds:
            yield f"{where}: {name} is {recorded[name]}, and counted again {value}"
