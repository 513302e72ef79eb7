"""Count what one training step of the base model asks of a device: operations, casts, and waits of the host.

    python benchmarks/step_profile.py
    python benchmarks/step_profile.py --precision fp32 --micro-batches 4

No GPU is needed: the step runs on the CPU, on the branch that a GPU would take, and torch's dispatcher is listened to.
Views are not counted, since they start no kernel.
"""

import argparse
import collections
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from transformer.dataset.tokenized import TokenizedDataset, TokenizedDatasetWriter
from transformer.model import attention
from transformer.model.config import TransformerConfig
from transformer.model.transformer import Transformer
from transformer.training.checkpoints import Checkpoints
from transformer.training.distributed import ProcessGroup
from transformer.training.trainer import Trainer, TrainingConfig

VOCAB_SIZE = 1000
WAITS = ("_local_scalar_dense", "nonzero", "is_nonzero", "equal", "unique")  # the host needs the result
CASTS = ("_to_copy",)
ALSO_VIEWS = ("_unsafe_view", "detach", "alias")


class OperationCounter(TorchDispatchMode):
    """Counts the operations that torch's dispatcher executes, by name."""

    def __init__(self) -> None:
        super().__init__()
        self.counts: collections.Counter[str] = collections.Counter()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if not func.is_view and func.overloadpacket.__name__ not in ALSO_VIEWS:
            self.counts[func.overloadpacket.__name__] += 1
        return func(*args, **(kwargs or {}))

    def total(self, *names: str) -> int:
        """Return how often the operations of these names were executed; of all, if none is given."""
        return sum(count for name, count in self.counts.items() if not names or name in names)


def write_sentences(prefix: Path, rng: np.random.Generator, sentences: int = 600) -> None:
    """Write a tokenized dataset of random sentences, with lengths like those of WMT."""
    with TokenizedDatasetWriter(prefix, VOCAB_SIZE, "0" * 64) as writer:
        for _ in range(sentences):
            lengths = np.clip(rng.lognormal(3.2, 0.6, 2).astype(int), 2, 100)
            writer.add(*([*rng.integers(3, VOCAB_SIZE, length - 1).tolist(), 1] for length in lengths))


def make_trainer(folder: Path, precision: Any, max_tokens: int) -> Trainer:
    """Return a trainer of the base model with a small vocabulary, on random sentences."""
    write_sentences(folder / "train", np.random.default_rng(0))
    torch.manual_seed(1)
    model = Transformer(
        TransformerConfig(
            vocab_size=VOCAB_SIZE, N=6, d_model=512, d_ff=2048, h=8, d_k=64, d_v=64, dropout=0.1,
            attention_dropout=0.0, relu_dropout=0.0, positions="sinusoidal", attention_bias=False, max_length=256,
        )
    )  # fmt: skip
    config = TrainingConfig(
        steps=100, warmup_steps=4000, learning_rate_scale=1.0, batch_tokens=1000, max_length=100, label_smoothing=0.1,
        adam_beta1=0.9, adam_beta2=0.98, adam_epsilon=1e-9, checkpoint_every_steps=1000,
        keep_checkpoints=1, validate_every_steps=1000, numerics=precision, threads=1, seed=1,
    )  # fmt: skip
    return Trainer(
        model,
        TokenizedDataset.open(folder / "train"),
        config,
        ProcessGroup(0, 1, torch.device("cpu")),
        Checkpoints(folder, keep=1),
        validate=lambda model, group: {},
        max_tokens=max_tokens,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--precision", choices=["fp32", "bf16"], default="bf16")
    parser.add_argument("--micro-batches", type=int, default=1, help="of a step (1)")
    arguments = parser.parse_args()
    attention.FUSED_DEVICES |= {"cpu"}
    with tempfile.TemporaryDirectory() as folder:
        trainer = make_trainer(Path(folder), arguments.precision, 1000 // arguments.micro_batches)
        work = trainer.work()
        for _ in range(2):  # the first step makes Adam's moments and the masks of dropout
            trainer.train_step(next(work))
        prepared = next(work)
        with OperationCounter() as counter:
            trainer.train_step(prepared)
    print(
        f"{counter.total()} operations a step, of which {counter.total(*CASTS)} casts; {counter.total(*WAITS)} waits"
    )
    for name, count in counter.counts.most_common(25):
        print(f"{count:6} {name}")


if __name__ == "__main__":
    main()
