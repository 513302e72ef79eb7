"""What no rule makes again: the files that a training read, its counts, and the sums and text behind perplexities."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pandas as pd
from torch import device

from transformer.common.artifacts import check_sha256, read_artifact
from transformer.common.errors import UserError, reading
from transformer.dataset.tokenized import TokenizedDataset
from transformer.model.flops import training_flops
from transformer.model.transformer import Transformer, parameter_count
from transformer.scoring.perplexity import perplexity
from transformer.settings.run_settings import TrainingConfig, TransformerConfig
from transformer.subwords.vocabularies import load_vocabularies, vocabulary_files
from transformer.tables.sentence_counts import sentence_file
from transformer.training.distributed import ProcessGroup
from transformer.training.micro_batches import Position, Worklist

SAME = 1e-12  # relative difference of exponentials of one number, by libraries that round differently
ROUNDED = 0.5e-6  # nats, by which a sentence's likelihood in a file of sentences may be rounded


def check_training(run: Path, data: Path) -> Iterator[str]:
    """Yield what differs in a run, whose folder is given; ``data`` is its scale's, e.g. ``data/demo``."""
    for check in (_inputs, _counts, _perplexities):
        try:
            yield from check(run, data)
        except UserError as error:  # of a file that cannot be read
            yield str(error)


def has_checkpoints(run: Path) -> bool:
    """Return whether the checkpoints of a run are here; DVC does not keep them, so ``dvc pull`` brings none."""
    return (run / "checkpoints").exists()


def _inputs(run: Path, data: Path) -> Iterator[str]:
    """Compare settings, vocabulary, tokenized text and metrics with what the training recorded of them."""
    where, tokenized = run / "training.json", data / "tokenized" / run.name
    training = read_artifact(where, "training")
    sums = {run / name: training[f"{Path(name).stem}_sha256"] for name in ("config.json", "metrics.jsonl")}
    sums |= {tokenized / name: sha256 for name, sha256 in training["data"].items()}
    if has_checkpoints(run):
        sums |= {run / kept["path"]: kept["sha256"] for kept in training["checkpoints"]}
    yield from _other_files(sums, where)
    subwords, symbols = vocabulary_files(run.name, data)
    if load_vocabularies(subwords, symbols).sha256 != training["vocabulary_sha256"]:
        yield f"{subwords}: not the vocabulary that {where} has the sha256 of"


def _counts(run: Path, data: Path) -> Iterator[str]:
    """Count parameters, tokens and operations again, from the batches that the seed and the data give."""
    where = run / "training.json"
    training, settings = read_artifact(where, "training"), read_artifact(run / "config.json", "config")
    model, config = TransformerConfig(**training["model"]), TrainingConfig(**settings["training"])
    again = dict.fromkeys(("source_tokens", "target_tokens", "training_flops", "epochs"), 0)
    again["parameters"] = parameter_count(Transformer(model))
    dataset = TokenizedDataset.open(data / "tokenized" / run.name / "train")
    worklist = Worklist(dataset, model, config, ProcessGroup(0, 1, device("cpu")), count=1)
    for position, batch in worklist.batches(Position(0, 0, 0), training["steps"]):
        source, target = (lengths[batch] for lengths in worklist.lengths)
        again["source_tokens"] += int(source.sum())
        again["target_tokens"] += int(target.sum())
        again["training_flops"] += training_flops(model, len(batch), int(source.max()), int(target.max()))
        again["epochs"] = position.epoch
    yield from _others(where, training, again)


def _perplexities(run: Path, data: Path) -> Iterator[str]:
    """Compare perplexities with their weights and sums, these with the sentences, and these with the text."""
    for where in (run / "perplexity.json", run / "last/perplexity.json"):
        if not where.exists():
            continue
        scores, sentences = read_artifact(where, "perplexity"), sentence_file(where)
        model = run / ("averaged" if where.parent == run else "last") / "model.safetensors"
        yield from _other_files(
            {model: scores["model_sha256"], sentences: scores["per_sentence"]["sha256"]}, where
        )
        with reading(sentences, "it can be made again"):
            counts = pd.read_csv(sentences)
        for split in scores.keys() & {"dev", "test"}:
            dataset = TokenizedDataset.open(data / "tokenized" / run.name / split)
            of_split, lengths = counts[counts["split"] == split], dataset.target.lengths
            if of_split["tokens"].tolist() != lengths.tolist():
                yield f"{sentences}: does not have the lengths of the sentences of {split}"
            nll, again = float(of_split["nll"].sum()), scores[split]
            if abs(nll - again["nll"]) > ROUNDED * (len(of_split) + 1):
                again = again | {"nll": nll}
            exact = perplexity(scores[split]["nll"], scores[split]["tokens"])
            if abs(exact - again["perplexity"]) > SAME * exact:
                again = again | {"perplexity": exact}
            yield from _others(where, scores[split], again | {"tokens": int(lengths.sum())})


def _other_files(sums: Mapping[Path, str], where: Path) -> Iterator[str]:
    """Yield which files are missing, or have another sha256 than was recorded in the file ``where``."""
    for path, sha256 in sums.items():
        try:
            check_sha256(path, sha256, where)
        except UserError as error:
            yield str(error)


def _others(where: Path, recorded: Mapping[str, Any], again: Mapping[str, Any]) -> Iterator[str]:
    """Yield which numbers in the file ``where`` are others than were counted again."""
    for name, value in again.items():
        if value != recorded[name]:
            yield f"{where}: {name} is {recorded[name]}, and counted again {value}"
