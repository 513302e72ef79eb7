"""Measure the training speed of our Trainer and of a plain loop over torch.nn.Transformer, in tokens a second.

    python benchmarks/training_speed.py --data data/small/tokenized/en-de

The model is that of the small scale (4 + 4 layers, d_model 128, d_ff 256), and batches have 4096 tokens a side.  The
tokens are those of source and target without padding.  The time includes making the batches.
"""

import itertools
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import torch
from comparison import argument_parser, compare, own_process
from plain_transformer import PlainTransformer
from torch import nn

from transformer.common.errors import run_script
from transformer.common.special_tokens import PAD
from transformer.dataset.batching import Indices
from transformer.dataset.padding import make_batch
from transformer.dataset.tokenized import TokenizedDataset
from transformer.model.config import TransformerConfig
from transformer.model.transformer import Transformer, shift_right
from transformer.training.checkpoints import Checkpoints
from transformer.training.distributed import ProcessGroup
from transformer.training.schedule import learning_rate
from transformer.training.trainer import Trainer, TrainingConfig

N, D_MODEL, D_FF, H = 4, 128, 256, 4
DROPOUT = 0.1
BATCH_TOKENS = 4096
WARMUP_STEPS = 2000
SEED = 1
UNTIMED_STEPS = 3  # before the first round of each program


def main() -> None:
    parser = argument_parser(__doc__)
    parser.add_argument("--seconds", type=float, default=30, help="length of a turn (30)")
    arguments = parser.parse_args()
    settings = arguments.data / "train", arguments.threads, arguments.seconds
    # Ours runs with the malloc settings of the rule `train`, the plain program without.
    with (
        own_process(make_plain, *settings, our_malloc_settings=False) as plain,
        own_process(make_ours, *settings, our_malloc_settings=True) as ours,
    ):
        compare(plain, ours, arguments.rounds)


def make_plain(data: Path, threads: int, seconds: float) -> Callable[[], int]:
    """Make a turn of the plain program."""
    torch.set_num_threads(threads)
    return warmed_up(plain_steps(TokenizedDataset.open(data)), seconds)


def make_ours(data: Path, threads: int, seconds: float) -> Callable[[], int]:
    """Make a turn of our program."""
    return warmed_up(our_steps(TokenizedDataset.open(data), threads, Path(tempfile.mkdtemp())), seconds)


def warmed_up(steps: Iterator[int], seconds: float) -> Callable[[], int]:
    """Return a turn that takes these steps; the first few are taken now and are not timed."""
    list(itertools.islice(steps, UNTIMED_STEPS))
    return lambda: train_for(seconds, steps)


def train_for(seconds: float, steps: Iterator[int]) -> int:
    """Take steps, each of which yields its tokens, for about ``seconds``; return the sum of their tokens."""
    end = time.perf_counter() + seconds
    tokens = 0
    while time.perf_counter() < end:
        tokens += next(steps)
    return tokens


def our_steps(dataset: TokenizedDataset, threads: int, folder: Path) -> Iterator[int]:
    """Yield the tokens of each step of our training."""
    torch.set_num_threads(threads)
    trainer = Trainer(
        Transformer(model_config(dataset.vocab_size)),
        dataset,
        training_config(threads),
        ProcessGroup(rank=0, world_size=1, device=torch.device("cpu")),
        Checkpoints(folder, keep=1),
        validate=lambda model, group: {},
        max_tokens=BATCH_TOKENS,
    )
    print(f"ours: {trainer.precision}, plain: fp32, {threads} thread(s) each", flush=True)
    for work in trainer.work():
        trainer.read_loss(trainer.train_step(work), work.target_tokens)
        yield work.source_tokens + work.target_tokens


def plain_steps(dataset: TokenizedDataset) -> Iterator[int]:
    """Yield the tokens of each step of a plain loop."""
    torch.manual_seed(SEED)
    model = PlainTransformer(dataset.vocab_size, N, D_MODEL, D_FF, H, DROPOUT)
    optimizer = torch.optim.Adam(model.parameters(), betas=(0.9, 0.98), eps=1e-9)
    criterion = nn.CrossEntropyLoss(ignore_index=PAD, label_smoothing=0.1)
    for step, batch in enumerate(random_batches(dataset), start=1):
        padded = make_batch(dataset, batch)
        source, target = padded.source, padded.target
        optimizer.param_groups[0]["lr"] = learning_rate(step, D_MODEL, WARMUP_STEPS)
        logits = model(source, shift_right(target))
        loss = criterion(logits.flatten(0, 1), target.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        yield int((source != PAD).sum() + (target != PAD).sum())


def random_batches(dataset: TokenizedDataset) -> Iterator[Indices]:
    """Yield endless batches of shuffled sentences, each as large as BATCH_TOKENS tokens a side allow."""
    rng = np.random.default_rng(SEED)
    while True:
        batch: list[int] = []
        tokens = np.zeros(2, dtype=int)
        for i in rng.permutation(len(dataset)).tolist():
            new = dataset.source.lengths[i], dataset.target.lengths[i]
            if (tokens + new).max() > BATCH_TOKENS:
                yield np.array(batch)
                batch, tokens = [], np.zeros(2, dtype=int)
            batch.append(i)
            tokens += new
        yield np.array(batch)


def model_config(vocab_size: int) -> TransformerConfig:
    """Return a config with dropout and biases in the places where torch.nn.Transformer has them."""
    return TransformerConfig(
        vocab_size=vocab_size, N=N, d_model=D_MODEL, d_ff=D_FF, h=H, d_k=D_MODEL // H, d_v=D_MODEL // H,
        dropout=DROPOUT, attention_dropout=DROPOUT, relu_dropout=DROPOUT,
        positions="sinusoidal", attention_bias=True, max_length=1024,
    )  # fmt: skip


def training_config(threads: int) -> TrainingConfig:
    """Return the paper's settings with this benchmark's batches, without validation and checkpoints."""
    never = 10**9
    return TrainingConfig(
        steps=never, warmup_steps=WARMUP_STEPS, learning_rate_scale=1.0,
        batch_tokens=BATCH_TOKENS, max_length=256,
        label_smoothing=0.1, adam_beta1=0.9, adam_beta2=0.98, adam_epsilon=1e-9,
        checkpoint_every_steps=never, keep_checkpoints=1,
        validate_every_steps=never, numerics="fast", threads=threads, seed=SEED,
    )  # fmt: skip


if __name__ == "__main__":
    run_script(main)
