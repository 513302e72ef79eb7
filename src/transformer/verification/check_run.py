"""The chain of files behind a run's scores: their hashes, as the next one recorded them, and what follows from them.

    subwords, tokenized text → checkpoints → averaged weights → translation or trees → scores

A file that was changed after it was used breaks the chain at its place.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

import torch

from transformer.common.artifacts import read_artifact
from transformer.common.errors import UserError
from transformer.dataset.tokenized import TokenizedDataset
from transformer.model.config import TrainingConfig, TransformerConfig
from transformer.model.flops import training_flops
from transformer.model.storage import load_tensors
from transformer.model.transformer import Transformer, parameter_count
from transformer.parsing.evalb import summary
from transformer.parsing.score_parses import score_files as score_parses
from transformer.parsing.score_parses import sentences_csv
from transformer.scoring.perplexity import perplexity
from transformer.scoring.score_bleu import score_files
from transformer.subwords.vocabularies import load_vocabularies
from transformer.tables.runs import Run
from transformer.tables.sentence_counts import beside
from transformer.training.average_checkpoints import average
from transformer.training.distributed import ProcessGroup
from transformer.training.micro_batches import Position, Worklist
from transformer.verification.checks import Check, file_check, text_check, value_check
from transformer.verification.recorded import files_of_scores, vocabulary_files


def check_run(run: Run, data: Path) -> Iterator[Check]:
    """Check a run from its data to its scores; ``data`` is the data of its scale, e.g. ``data/demo``."""
    for check in (check_inputs, check_weights, check_counts, check_scores, check_perplexity):
        try:
            yield from check(run, data)
        except UserError as error:  # of a file that cannot be read
            yield Check("", str(error))


def check_inputs(run: Run, data: Path) -> Iterator[Check]:
    """Check settings, vocabulary, tokenized text and the course of the training against what the training recorded."""
    training, recorded = run.content["training"], run.path("training")
    yield file_check(run.path("config"), training["config_sha256"], recorded)
    subwords, symbols = vocabulary_files(run.pair, data)
    found = load_vocabularies(subwords, symbols).sha256
    yield value_check(f"vocabulary of {subwords.parent}", found, training["vocabulary_sha256"], recorded)
    for name, sha256 in training["data"].items():
        yield file_check(data / "tokenized" / run.pair / name, sha256, recorded)
    metrics = run.folder / "metrics.jsonl"
    yield file_check(metrics, training["metrics_sha256"], recorded)


def check_weights(run: Run, _: Path) -> Iterator[Check]:
    """Check the shape of the averaged model, its number of parameters and, if they are here, its checkpoints."""
    training, info = run.content["training"], read_artifact(run.weights / "model.json", "model")
    config = TransformerConfig(**info["config"])
    # Averaging may be newer than training, and then its description has more fields.
    trained = TransformerConfig(**training["model"]).to_dict()
    yield value_check("the shape of the model", config.to_dict(), trained, f"{run.weights}/model.json")
    parameters = parameter_count(Transformer(config))
    yield value_check("number of parameters", parameters, training["parameters"], run.path("training"))
    if has_checkpoints(run):
        yield from _check_mean(run, info["steps"])


def has_checkpoints(run: Run) -> bool:
    """Return whether the checkpoints of a run are here; DVC does not keep them, so ``dvc pull`` brings none."""
    return (run.folder / "checkpoints").exists()


def _check_mean(run: Run, steps: Sequence[int]) -> Iterator[Check]:
    """Check the checkpoints of a run, and that its weights are the mean of those of ``steps``."""
    checkpoints, weights = run.content["training"]["checkpoints"], run.weights / "model.safetensors"
    paths = {checkpoint["step"]: run.folder / checkpoint["path"] for checkpoint in checkpoints}
    for checkpoint in checkpoints:
        yield file_check(paths[checkpoint["step"]], checkpoint["sha256"], run.path("training"))
    if unknown := [step for step in steps if step not in paths]:
        where = f"{run.weights}/model.json"
        yield Check(str(weights), f"{where}: is the mean of step {unknown[0]}, which is not there")
        return
    mean, found = average([paths[step] for step in steps]), load_tensors(weights)
    equal = mean.keys() == found.keys() and all(torch.equal(mean[name], found[name]) for name in mean)
    yield Check(str(weights), "" if equal else f"{weights}: not the mean of its checkpoints")


def check_counts(run: Run, data: Path) -> Iterator[Check]:
    """Count tokens and operations of the training again, from the batches that its seed and its data give."""
    training, settings = run.content["training"], run.content["config"]["training"]
    model = TransformerConfig(**training["model"])
    dataset = TokenizedDataset.open(data / "tokenized" / run.pair / "train")
    alone = ProcessGroup(0, 1, torch.device("cpu"))
    worklist = Worklist(dataset, model, TrainingConfig(**settings), alone, count=1)
    found = {"source_tokens": 0, "target_tokens": 0, "training_flops": 0, "epochs": 0}
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


def check_scores(run: Run, data: Path) -> Iterator[Check]:
    """Check the hashes in a run's scores files; if they stand, compute all numbers again from the same files."""
    for name in ("scores", "parses", "unconstrained"):
        if name in run.files:
            recorded, files = run.content[name]["files"], files_of_scores(run, name, data)
            checks = [
                file_check(path, recorded[kind]["sha256"], run.path(name)) for kind, path in files.items()
            ]
            yield from checks
            if not any(check.differs for check in checks):
                if name == "scores":
                    language = run.content[name]["language"]
                    figures, sentences = score_files(files["hypothesis"], files["reference"], language)
                    for measure in figures["measures"].keys() - run.content[name]["measures"].keys():
                        del figures["measures"][measure]  # newer than the file
                else:
                    is_gold = run.content[name]["tags"] == "gold"
                    counts = score_parses(files["gold"], files["predicted"], is_gold)
                    figures, sentences = summary(counts), sentences_csv(counts)
                if "decoding" in files:
                    figures["decoding"] = read_artifact(files["decoding"], "decoding")
                for figure, value in figures.items():
                    yield value_check(figure, value, run.content[name].get(figure), run.path(name))
                yield text_check(beside(run.path(name)), sentences)


def check_perplexity(run: Run, data: Path) -> Iterator[Check]:
    """Check perplexities against their sums, and their tokens against the tokenized text; a parser has none."""
    content = run.content.get("perplexity", {})
    if content:
        weights = run.weights / "model.safetensors"
        yield file_check(weights, content["model_sha256"], run.path("perplexity"))
        sentences = beside(run.path("perplexity"))
        yield file_check(sentences, content["per_sentence"]["sha256"], run.path("perplexity"))
    for split in ("dev", "test"):
        if split in content:
            figures = content[split]
            dataset = TokenizedDataset.open(data / "tokenized" / run.pair / split)  # which checks its sums
            again = {
                **figures,
                "perplexity": perplexity(figures["nll"], figures["tokens"]),
                "tokens": len(dataset.target.ids),
            }
            yield value_check(split, again, figures, run.path("perplexity"))
