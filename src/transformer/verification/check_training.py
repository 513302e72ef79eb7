"""What no rule makes again: the files that a training read, its counts, and the sums and text behind perplexities."""

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from torch import device

from transformer.common.artifacts import cached_sha256, read_artifact
from transformer.common.errors import UserError, reading
from transformer.common.files import read_lines
from transformer.dataset.tokenized import TokenizedDataset
from transformer.model.config import TrainingConfig, TransformerConfig
from transformer.model.flops import training_flops
from transformer.model.transformer import Transformer, parameter_count
from transformer.scoring.perplexity import perplexity
from transformer.subwords.encode import with_eos
from transformer.subwords.vocabularies import Vocabularies, load_vocabularies, vocabulary_files
from transformer.tables.sentence_counts import sentence_file
from transformer.training.distributed import ProcessGroup
from transformer.training.micro_batches import Position, Worklist

SAME = (
    1e-12  # relative difference of two exponentials of the same number, by libraries that round differently
)
ROUNDED = 0.5e-6  # nats, by which a sentence's likelihood in a file of sentences may be rounded


def check_training(folder: Path, data: Path) -> Iterator[str]:
    """Yield what differs in a run, the folder of which is given; ``data`` is its scale's, e.g. ``data/demo``."""
    for check in (_inputs, _counts, _perplexities):
        try:
            yield from check(folder, data)
        except UserError as error:  # of a file that cannot be read
            yield str(error)


def _inputs(folder: Path, data: Path) -> Iterator[str]:
    """Compare settings, vocabulary, tokenized text and metrics with what the training recorded of them."""
    where = folder / "training.json"
    training = read_artifact(where, "training")
    recorded = {
        folder / "config.json": training["config_sha256"],
        folder / "metrics.jsonl": training["metrics_sha256"],
        **{data / "tokenized" / folder.name / name: sha256 for name, sha256 in training["data"].items()},
        **{
            folder / kept["path"]: kept["sha256"]
            for kept in training["checkpoints"]
            if has_checkpoints(folder)
        },
    }
    for path, sha256 in recorded.items():
        if not path.exists():
            yield f"{path}: missing; {where} has its sha256"
        elif cached_sha256(path) != sha256:
            yield f"{path}: not the file that {where} has the sha256 of"
    subwords, symbols = vocabulary_files(folder.name, data)
    if load_vocabularies(subwords, symbols).sha256 != training["vocabulary_sha256"]:
        yield f"{subwords}: not the vocabulary that {where} has the sha256 of"


def has_checkpoints(folder: Path) -> bool:
    """Return whether the checkpoints of a run are here; DVC does not keep them, so ``dvc pull`` brings none."""
    return (folder / "checkpoints").exists()


def _counts(folder: Path, data: Path) -> Iterator[str]:
    """Count parameters, tokens and operations again, from the batches that the seed and the data give."""
    where = folder / "training.json"
    training, settings = read_artifact(where, "training"), read_artifact(folder / "config.json", "config")
    model = TransformerConfig(**training["model"])
    found = {
        "parameters": parameter_count(Transformer(model)),
        "source_tokens": 0,
        "target_tokens": 0,
        "training_flops": 0,
        "epochs": 0,
    }
    dataset = TokenizedDataset.open(data / "tokenized" / folder.name / "train")
    alone = ProcessGroup(0, 1, device("cpu"))
    worklist = Worklist(dataset, model, TrainingConfig(**settings["training"]), alone, count=1)
    source, target = worklist.lengths
    for position, batch in worklist.batches(Position(0, 0, 0), training["steps"]):
        found["source_tokens"] += int(source[batch].sum())
        found["target_tokens"] += int(target[batch].sum())
        found["training_flops"] += training_flops(
            model, len(batch), int(source[batch].max()), int(target[batch].max())
        )
        found["epochs"] = position.epoch
    yield from _compared(where, training, found)


def _perplexities(folder: Path, data: Path) -> Iterator[str]:
    """Compare perplexities with their sums, the sums with the sentences, and these with the tokenized text."""
    vocabularies = load_vocabularies(*vocabulary_files(folder.name, data))
    for where in (
        path for path in (folder / "perplexity.json", folder / "last/perplexity.json") if path.exists()
    ):
        scores = read_artifact(where, "perplexity")
        sentences, weights = sentence_file(where), where.parent / "model.safetensors"
        if where.parent == folder:
            weights = folder / "averaged" / weights.name
        for path, sha256 in (
            (weights, scores["model_sha256"]),
            (sentences, scores["per_sentence"]["sha256"]),
        ):
            if not path.exists() or cached_sha256(path) != sha256:
                yield f"{path}: not the file that {where} has the sha256 of"
        with reading(sentences, "it can be made again"):
            listed = pd.read_csv(sentences)
        for split in scores.keys() & {"dev", "test"}:
            recorded, of_split = scores[split], listed[listed["split"] == split]
            prefix = data / "tokenized" / folder.name / split
            dataset = TokenizedDataset.open(prefix)
            lengths = dataset.target.lengths
            yield from _other_tokens(prefix, dataset, data / "clean" / folder.name / split, vocabularies)
            if of_split["tokens"].tolist() != lengths.tolist():
                yield f"{sentences}: does not have the lengths of the sentences of {split}"
            again = {
                "perplexity": perplexity(recorded["nll"], recorded["tokens"]),
                "tokens": int(lengths.sum()),
                "nll": recorded["nll"],
            }
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


def _compared(where: Path, recorded: dict[str, Any], again: dict[str, Any]) -> Iterator[str]:
    for name, value in again.items():
        same = isinstance(value, float) and math.isclose(value, recorded[name], rel_tol=SAME)
        if not same and value != recorded[name]:
            yield f"{where}: {name} is {recorded[name]}, and counted again {value}"
