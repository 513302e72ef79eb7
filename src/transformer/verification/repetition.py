"""The checks that need a model: perplexity, translations and the first steps of the training are made again."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import torch

from transformer.common.errors import UserError
from transformer.common.files import read_lines
from transformer.common.json_artifacts import read_artifact, write_artifact
from transformer.common.metrics_file import read_metrics
from transformer.common.project import PROJECT
from transformer.dataset.tokenized import TokenizedDataset
from transformer.export.ctranslate2_engine import with_ctranslate2
from transformer.inference.trained_model import TrainedModel, read_model, recorded_beam
from transformer.inference.trained_parser import parse_sentences
from transformer.model.device import default_device, device_name
from transformer.model.storage import load_model
from transformer.parsing.trees import write_tree
from transformer.scoring.perplexity import perplexity
from transformer.tables.runs import Run
from transformer.training.evaluation import negative_log_likelihood
from transformer.verification.artifacts import files_of_scores, perplexities, vocabulary_files, weights_of
from transformer.verification.checks import Check, value_check
from transformer.verification.rescoring import SCORES

BATCH_TOKENS = 4096  # of one forward pass
# Relative.  Other processors and numbers of threads round differently, which a training amplifies.
PERPLEXITY_TOLERANCE = 1e-3
LOSS_TOLERANCE = 1e-2


def check_again(run: Run, data: Path) -> Iterator[Check]:
    """Decode the test set again, and train up to the first line of metrics.jsonl again."""
    model, _ = load_model(weights_of(run), default_device())
    for split, figures in perplexities(run).items():
        dataset = TokenizedDataset.open(data / "tokenized" / run.pair / split)
        found = perplexity(*negative_log_likelihood(model, dataset, BATCH_TOKENS))
        where = run.path("perplexity")
        yield value_check(f"perplexity of {split}", found, figures["perplexity"], where, PERPLEXITY_TOLERANCE)
    for name in SCORES:
        if name in run.files:
            yield _decoding_check(run, name, data)
    yield _first_steps(run, data)


def _decoding_check(run: Run, name: str, data: Path) -> Check:
    """Translate or parse again as the scores file ``name`` records, and compare the lines."""
    files = files_of_scores(run, name, data)
    path = files["hypothesis" if name == "scores" else "predicted"]
    try:
        trained = _recorded_model(run, name, data)
    except UserError as error:
        return Check(str(path), f"{path}: cannot be decoded again: {error}")
    if name == "scores":
        return _lines_check(path, trained.translate(list(read_lines(files["source"]))))
    sentences = list(read_lines(data / "clean" / run.pair / "test.en"))
    constrained = run.content[name]["decoding"]["constrained"]
    parses = parse_sentences(trained, sentences, constrained=constrained)
    return _lines_check(path, [write_tree(parse.tree) for parse in parses])


def _recorded_model(run: Run, name: str, data: Path) -> TrainedModel:
    """Return the model of a run with the search that the scores file ``name`` records, our own or CTranslate2's.

    Raises UserError when the file does not record it, or when CTranslate2 is not installed.
    """
    beam = recorded_beam(run.content[name], run.path(name))
    subwords, symbols = vocabulary_files(run.pair, data)
    decoding = run.content[name]["decoding"]
    if "engine" in decoding:
        trained = read_model(weights_of(run), subwords, beam, device=torch.device("cpu"))
        return with_ctranslate2(trained, decoding["engine"]["compute_type"])
    return read_model(weights_of(run), subwords, beam, symbols, precision=decoding["search"]["precision"])


def _lines_check(path: Path, again: list[str]) -> Check:
    before = list(read_lines(path))
    others = sum(one != other for one, other in zip(before, again, strict=False))
    if others or len(before) != len(again):
        return Check(
            str(path), f"{path}: {others} of {len(before)} lines are others when they are made again"
        )
    return Check(str(path))


def processes_here(timing: Mapping[str, Any]) -> int:
    """Return as many processes as a training had if this machine has as many devices of that name, and else one."""
    device = default_device()
    devices = torch.cuda.device_count() if device.type == "cuda" else os.cpu_count() or 1
    same = timing["device_name"] == device_name(device)
    return timing["devices"] if same and timing["devices"] <= devices else 1


def _first_steps(run: Run, data: Path) -> Check:
    """Train up to the first line of the run's metrics.jsonl, in as many processes if possible, and compare the loss."""
    metrics = run.folder / "metrics.jsonl"
    line = read_metrics(metrics)[0]
    subwords, symbols = vocabulary_files(run.pair, data)
    with tempfile.TemporaryDirectory() as folder:
        config = read_artifact(run.path("config"), "config")
        config["training"] |= {"steps": line["step"]}
        write_artifact(Path(folder, "config.json"), config)
        command = [
            sys.executable, PROJECT / "src/training/train.py", "--config", Path(folder, "config.json"),
            "--data", data / "tokenized" / run.pair, "--subwords", subwords,
            *(["--symbols", symbols] if symbols else []),
            "--output", folder, "--processes", processes_here(run.content["timing"]),
        ]  # fmt: skip
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
        if done.returncode:
            return Check(str(metrics), f"{metrics}: the training cannot be repeated: {done.stderr[-300:]}")
        again = read_metrics(Path(folder, "metrics.jsonl"))[0]
    what = f"loss at step {line['step']}"
    return value_check(what, again["loss"], line["loss"], metrics, LOSS_TOLERANCE)
