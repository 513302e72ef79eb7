"""What the campaign measures with: generated sentences of WMT-like lengths, the models base and big, and trainers."""

import contextlib
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import torch
from numpy.typing import NDArray

from transformer.common.special_tokens import PAD
from transformer.dataset import padding
from transformer.dataset.padding import Batch
from transformer.dataset.tokenized import Sentences, TokenizedDataset, TokenizedDatasetWriter
from transformer.model import attention
from transformer.model.config import TransformerConfig
from transformer.model.transformer import Transformer
from transformer.training import micro_batches
from transformer.training.checkpoints import Checkpoints
from transformer.training.distributed import ProcessGroup
from transformer.training.trainer import Trainer, TrainingConfig

# Subwords a sentence with EOS: the logarithm's mean and deviation.  They give a mean of 28 and a median of 23, near
# those of WMT 2014 EN-DE with 37,000 subwords.
LOG_MEAN, LOG_DEVIATION = 3.15, 0.6
RATIO_DEVIATION = 0.2  # of the logarithm of target length to source length
LONGEST = 256
NEVER = 10**9
Array = NDArray[Any]
SEED = 1


@dataclass(frozen=True)
class Sizes:
    """How large the measurements are."""

    models: dict[str, dict[str, Any]]  # name → fields of TransformerConfig
    vocabulary: int
    pairs: int
    batch_tokens: int  # a side of a step
    longest: int  # tokens of a sentence
    warm_up_steps: int
    steps: int  # that are timed
    matrix: int  # rows of the matrices whose product gives the peak
    test_sentences: int


BASE = {"N": 6, "d_model": 512, "d_ff": 2048, "h": 8, "d_k": 64, "d_v": 64, "dropout": 0.1}
BIG = BASE | {"d_model": 1024, "d_ff": 4096, "h": 16, "dropout": 0.3}
TINY = {"N": 1, "d_model": 16, "d_ff": 24, "h": 2, "d_k": 8, "d_v": 8, "dropout": 0.1}
FULL = Sizes({"base": BASE, "big": BIG}, 37_000, 80_000, 25_000, LONGEST, 6, 25, 8192, 3003)
REHEARSAL = Sizes({"base": TINY, "big": TINY | {"d_ff": 32}}, 300, 300, 400, 60, 1, 2, 128, 12)


@dataclass(frozen=True)
class Way:
    """One way to train; the defaults are those of ``train.py`` on an H100."""

    batch_tokens: int
    max_tokens: int  # a side of a micro-batch
    precision: str = "bf16"
    tf32: bool = False
    fused: bool = True  # attention by torch's fused kernels
    thread: bool = True  # that makes batches in advance
    pinned: bool = True  # batches in page-locked memory
    read_every: int = 10  # steps from one reading of the loss to the next
    multiple: int = 1  # padded lengths are multiples of it


def write_sentences(prefix: Path, sizes: Sizes) -> TokenizedDataset:
    """Write random sentence pairs with WMT-like lengths; small ids are more frequent, as in text."""
    rng = np.random.default_rng(SEED)
    source = rng.lognormal(LOG_MEAN, LOG_DEVIATION, sizes.pairs)
    target = source * rng.lognormal(0, RATIO_DEVIATION, sizes.pairs)
    sides = []
    for lengths in (np.clip(side.astype(int), 2, sizes.longest) for side in (source, target)):
        ids = 3 + ((sizes.vocabulary - 3) * rng.random(lengths.sum()) ** 3).astype(int)
        ids[np.cumsum(lengths) - 1] = 1
        sides.append(Sentences(ids, lengths))
    with TokenizedDatasetWriter(prefix, sizes.vocabulary, "0" * 64) as writer:
        writer.add_all(*sides)
    return TokenizedDataset.open(prefix)


def make_model(settings: dict[str, Any], vocabulary: int, **changes: Any) -> Transformer:
    """Return a Transformer with random weights, the same on every machine."""
    torch.manual_seed(SEED)
    fields: dict[str, Any] = {
        "vocab_size": vocabulary, "attention_dropout": 0.0, "relu_dropout": 0.0, "positions": "sinusoidal",
        "attention_bias": False, "max_length": 1024,
    }  # fmt: skip
    return Transformer(TransformerConfig(**fields | settings | changes))


def make_trainer(
    model: Transformer, data: TokenizedDataset, device: torch.device, folder: Path, way: Way, **changes: Any
) -> Trainer:
    """Return a trainer with the paper's settings; ``changes`` are fields of TrainingConfig."""
    fields: dict[str, Any] = {
        "steps": NEVER, "warmup_steps": 4000, "learning_rate_scale": 1.0, "batch_tokens": way.batch_tokens,
        "max_length": min(LONGEST, way.batch_tokens), "label_smoothing": 0.1, "adam_beta1": 0.9, "adam_beta2": 0.98,
        "adam_epsilon": 1e-9, "checkpoint_every_steps": NEVER, "keep_checkpoints": 2,
        "validate_every_steps": NEVER, "numerics": way.precision, "threads": 1, "seed": SEED,
    }  # fmt: skip
    config = TrainingConfig(**fields | changes)
    group, checkpoints = (
        ProcessGroup(0, 1, device),
        Checkpoints(folder, config.keep_checkpoints, config.checkpoint_every_steps),
    )
    return Trainer(model, data, config, group, checkpoints, lambda *_: {}, way.max_tokens)


@contextlib.contextmanager
def training(
    model: Transformer, data: TokenizedDataset, device: torch.device, way: Way, **changes: Any
) -> Iterator[Trainer]:
    """Yield a trainer of its own folder, while everything that ``way`` names is switched on or off."""
    tf32 = torch.backends.cuda.matmul.allow_tf32
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        stack.enter_context(mock.patch.object(padding, "_pad", partial(_pad_to, way.multiple, padding._pad)))
        if not way.fused:
            stack.enter_context(mock.patch.object(attention, "FUSED_DEVICES", set()))
        if not way.thread:
            stack.enter_context(mock.patch.object(micro_batches, "prefetch", lambda items, depth: items))
        if not way.pinned:
            stack.enter_context(mock.patch.object(Batch, "pin_memory", lambda self: self))
        stack.callback(setattr, torch.backends.cuda.matmul, "allow_tf32", tf32)
        torch.backends.cuda.matmul.allow_tf32 = way.tf32
        yield make_trainer(model, data, device, Path(folder), way, **changes)


def _pad_to(multiple: int, pad: Callable[[Any], tuple[Array, Array]], sentences: Any) -> tuple[Array, Array]:
    """Pad sentences as ``pad`` does, and then to a length that ``multiple`` divides."""
    ids, real = pad(sentences)
    more = (0, 0), (0, -ids.shape[1] % multiple)
    return np.pad(ids, more, constant_values=PAD), np.pad(real, more)


def synchronize(device: torch.device) -> None:
    """Wait until the device has done all its work."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)
