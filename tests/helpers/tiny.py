"""Tiny models, corpora and settings for tests."""

import contextlib
import importlib
import io
import json
import random
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scripts import MODULES

SENTENCES = 60


def model_config(**changes: Any) -> dict[str, Any]:
    """The fields of a TransformerConfig.  All dimensions differ, so that no two can be confused."""
    sizes = {"N": 2, "d_model": 12, "d_ff": 20, "h": 3, "d_k": 4, "d_v": 6}
    dropout = {"dropout": 0.1, "attention_dropout": 0.1, "relu_dropout": 0.1}
    others = {"positions": "sinusoidal", "attention_bias": False, "max_length": 64}
    return sizes | dropout | others | changes


def training_config(**changes: Any) -> dict[str, Any]:
    """The fields of a TrainingConfig: 6 steps, checkpoints at steps 2, 4 and 6."""
    schedule = {"steps": 6, "warmup_steps": 4, "learning_rate_scale": 1.0}
    batches = {"batch_tokens": 120, "max_length": 40, "label_smoothing": 0.1}
    adam = {"adam_beta1": 0.9, "adam_beta2": 0.98, "adam_epsilon": 1e-9}
    checkpoints = {"checkpoint_every_steps": 2, "keep_checkpoints": 2}
    others = {"validate_every_steps": 3, "numerics": "fp32", "threads": 1, "seed": 1}
    return schedule | batches | adam | checkpoints | others | changes


def beam(beam_size: int, alpha: float, max_extra_tokens: int, nbest: int = 1) -> Any:
    """The settings of a beam search."""
    from transformer.settings.run_settings import BeamConfig

    return BeamConfig(beam_size=beam_size, alpha=alpha, max_extra_tokens=max_extra_tokens, nbest=nbest)


def run_config(model: dict[str, Any] | None = None, training: dict[str, Any] | None = None) -> dict[str, Any]:
    """The content of a run's ``config.json``."""
    names = {"run": "base", "pair": "en-de", "scale": "tiny", "corpus": "tiny", "seed": 1}
    settings = {"model": model_config(**(model or {})), "training": training_config(**(training or {}))}
    return names | settings


def model(vocab_size: int = 20, seed: int = 0, **changes: Any) -> Any:
    """A Transformer with random weights, in evaluation mode.  Every third token is a word, if positions count words."""
    import torch

    from transformer.model.positions import WordPositions
    from transformer.model.transformer import Transformer
    from transformer.settings.run_settings import TransformerConfig

    torch.manual_seed(seed)
    model = Transformer(TransformerConfig(vocab_size=vocab_size, **model_config(**changes))).eval()
    if isinstance(model.positions, WordPositions):
        words = [id % 3 == 0 for id in range(vocab_size)]
        model.positions.set_words(words, words)
    return model


def place_of_dropout(model: Any, name: str) -> int:
    """The place of the Dropout ``name`` among those of the whole model: layers count their own from 0."""
    layers = [f"{stack}.{number}." for stack in ("encoder", "decoder") for number in range(model.config.N)]
    first = next(
        (
            places.start
            for layer, places in zip(layers, model.dropouts_of_layers, strict=True)
            if name.startswith(layer)
        ),
        0,
    )
    place: int = model.get_submodule(name).number
    return first + place


def trainer(
    folder: Path,
    store: Any,
    validate: Callable[..., dict[str, float]] = lambda *_: {"dev": 1.0},
    *,
    group: Any = None,
    max_tokens: int = 60,
    model: dict[str, Any] | None = None,
    **settings: Any,
) -> Any:
    """A Trainer of a model of one layer on ``store``, alone on the CPU if no ``group`` is given."""
    import torch

    from transformer.model.transformer import Transformer
    from transformer.settings.run_settings import TransformerConfig
    from transformer.training.checkpoints import Checkpoints
    from transformer.training.distributed import ProcessGroup
    from transformer.training.trainer import Trainer, TrainingConfig

    torch.manual_seed(1)
    config = TrainingConfig(**training_config(**settings))
    return Trainer(
        Transformer(TransformerConfig(vocab_size=20, **model_config(**{"N": 1} | (model or {})))),
        store,
        config,
        group or ProcessGroup(0, 1, torch.device("cpu")),
        Checkpoints(folder, config.keep_checkpoints, config.checkpoint_every_steps),
        validate,
        max_tokens,
    )


def outcome(folder: Path) -> dict[str, Any]:
    """The newest checkpoint's state, and the sha256 of its moments and of the weights of all that are kept."""
    from transformer.common.files import sha256_of
    from transformer.training.checkpoints import Checkpoints

    kept = Checkpoints(folder, 2).kept()
    state: dict[str, Any] = json.loads((kept[-1] / "training_state.json").read_text())
    del state["seconds"], state["began"], state["content_sha256"]  # which depend on the seconds
    files = [*(checkpoint / "model.safetensors" for checkpoint in kept), kept[-1] / "optimizer.safetensors"]
    return state | {f"{path.parent.name}/{path.name}": sha256_of(path) for path in files}


def metrics(folder: Path) -> list[dict[str, Any]]:
    """The lines of a training's ``metrics.jsonl``."""
    return [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]


def best(found: list[list[Any]]) -> list[list[int]]:
    """The best hypothesis of each sentence that a search has found, as token ids."""
    return [hypotheses[0].tokens for hypotheses in found]


def tokens(rows: int, length: int, vocab_size: int = 20, seed: int = 0) -> Any:
    """Random token ids without PAD, (rows, length)."""
    import torch

    generator = torch.Generator().manual_seed(seed)
    return torch.randint(1, vocab_size, (rows, length), generator=generator)


def dataset(
    prefix: Path, pairs: Iterable[tuple[list[int], list[int]]], vocab_size: int = 20, sha256: str = "0" * 64
) -> Any:
    """Write pairs of sentences, token ids without EOS, as a tokenized dataset, and open it."""
    from transformer.dataset.tokenized import TokenizedDataset, write_dataset
    from transformer.subwords.encode import with_eos

    with write_dataset(prefix, vocab_size, sha256) as add:
        add(*(with_eos(list(side)) for side in zip(*pairs, strict=True)))
    return TokenizedDataset.open(prefix)


def write_store(prefix: Path, vocab_size: int = 20, sentences: int = SENTENCES, longest: int = 9) -> None:
    """A tokenized dataset of random sentences."""
    rng = np.random.default_rng(0)
    lengths = (rng.integers(1, longest, 2) for _ in range(sentences))
    dataset(
        prefix, [tuple(rng.integers(2, vocab_size, n).tolist() for n in pair) for pair in lengths], vocab_size
    )


def write_corpus(folder: Path) -> None:
    """``subwords.model``, the text of two sets in ``clean/``, with the source reversed as target, and its datasets.

    The first word of each source stands twice, so that the two sides differ in length.
    """
    from transformer.subwords.learn_subwords import learn_subwords
    from transformer.subwords.subwords import load_subwords

    rng = random.Random(0)
    words = "a dog runs far and cats sleep long while birds sing".split()
    pairs = []
    for _ in range(SENTENCES):
        chosen = rng.choices(words, k=rng.randint(1, 6))
        pairs.append((" ".join([chosen[0], *chosen]), " ".join(reversed(chosen))))
    (folder / "text").write_text("".join(f"{source}\n{target}\n" for source, target in pairs))
    learn_subwords("bpe", [folder / "text"], 290, folder, seed=1)
    subwords = load_subwords(folder / "subwords.model")
    (folder / "clean").mkdir()
    for split, part in (("train", pairs[8:]), ("dev", pairs[:8])):
        for language, sentences in zip(("en", "de"), zip(*part, strict=True), strict=True):
            (folder / "clean" / f"{split}.{language}").write_text("".join(f"{text}\n" for text in sentences))
        ids = [(subwords.encode(source), subwords.encode(target)) for source, target in part]
        dataset(folder / "data" / split, ids, subwords.vocab_size, subwords.sha256)


def run(main: Callable[[], int | None], *arguments: object) -> int:
    """Run a script's ``main`` as its command line would be; returns its exit code."""
    from transformer.common.errors import run_script

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["script", *map(str, arguments)])
        with pytest.raises(SystemExit) as exit:
            run_script(main)
    code = exit.value.code
    assert isinstance(code, int)
    return code


def run_captured(script: str, *arguments: object, text: str = "") -> subprocess.CompletedProcess[str]:
    """Run a script in this process, which is much faster than in a new one; return its exit status and its output.

    ``text`` is its standard input.
    """
    out, err = io.StringIO(), io.StringIO()
    with (
        pytest.MonkeyPatch.context() as patch,
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        status = run(importlib.import_module(MODULES[script]).main, *arguments)
    return subprocess.CompletedProcess([script, *map(str, arguments)], status, out.getvalue(), err.getvalue())


def error(script: str, *arguments: object, text: str = "") -> str:
    """The single error line with which a script ends; it writes nothing to standard output."""
    done = run_captured(script, *arguments, text=text)
    assert (done.returncode, done.stdout) == (1, "")
    return the_error(done.stderr)


def the_error(captured: str) -> str:
    """The single error line with which a script ended its standard error."""
    lines = [line for line in captured.splitlines() if line.startswith("error: ")]
    assert len(lines) == 1
    assert captured.splitlines()[-1] == lines[0]
    assert "Traceback" not in captured
    return lines[0]


def with_file_size_limit(size: int, work: Callable[[], Any]) -> Any:
    """Do ``work`` while no file can grow past ``size`` bytes, as a stand-in for a full disk."""
    import resource

    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, limits[1]))
    try:
        return work()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


def write_long_sentence(prefix: Path) -> None:
    """Add a pair of more than 256 tokens a side to a tokenized dataset."""
    from transformer.dataset.tokenized import TokenizedDataset

    store = TokenizedDataset.open(prefix)
    pairs = [(store.source[i][:-1].tolist(), store.target[i][:-1].tolist()) for i in range(len(store))]
    long = ([*range(3, 263)], [*range(3, 273)])
    dataset(prefix, [long, *pairs], store.header["vocab_size"], store.vocabulary_sha256)


def measure_little(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the measurements of Table 1 use few and small sizes."""
    from transformer.inspection import layer_costs

    monkeypatch.setattr(layer_costs, "N_PRODUCTS", (8, 32))
    monkeypatch.setattr(layer_costs, "D_PRODUCTS", (4, 16))
    monkeypatch.setattr(layer_costs, "N_CHAINS", (16, 32, 64))
