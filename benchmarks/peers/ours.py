"""This project: its Trainer with its batches, and its beam search.

It also measures the processor's rate of matrix products.
"""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from matmul_rates import matmul_rates
from worker import (
    ADAM,
    ALPHA,
    BEAM_SIZE,
    DROPOUT,
    LABEL_SMOOTHING,
    Decode,
    Shape,
    Workload,
    one_by_one,
    serve,
)

from transformer.common.sizes import BATCH_TOKENS
from transformer.dataset.tokenized import TokenizedDataset, write_dataset
from transformer.decoding.beam_search import BeamConfig
from transformer.decoding.incremental import SearchModel
from transformer.decoding.translation import translate
from transformer.model.config import TransformerConfig
from transformer.model.transformer import Transformer
from transformer.subwords.encode import with_eos
from transformer.training.checkpoints import Checkpoints
from transformer.training.distributed import ProcessGroup
from transformer.training.trainer import Trainer, TrainingConfig

LONGEST = 256  # tokens of a sentence
SEED = 1  # of the order of training


def make_model(shape: Shape) -> Transformer:
    return Transformer(model_config(shape))


def model_config(shape: Shape) -> TransformerConfig:
    return TransformerConfig(
        vocab_size=shape.vocab_size, N=shape.layers, d_model=shape.d_model, d_ff=shape.d_ff, h=shape.heads,
        d_k=shape.d_model // shape.heads, d_v=shape.d_model // shape.heads, dropout=DROPOUT, attention_dropout=0.0,
        relu_dropout=0.0, positions="sinusoidal", attention_bias=False, max_length=LONGEST,
    )  # fmt: skip


def make_trainer(shape: Shape, precision: Any, workload: Workload, folder: Path) -> Trainer:
    sources, targets = zip(*workload.pairs, strict=True)
    with write_dataset(folder / "train", shape.vocab_size, "0" * 64) as add:
        add(with_eos(sources), with_eos(targets))
    never = 10**9
    config = TrainingConfig(
        steps=never, warmup_steps=4000, learning_rate_scale=1.0, batch_tokens=shape.batch_tokens, max_length=LONGEST,
        label_smoothing=LABEL_SMOOTHING, adam_beta1=ADAM["betas"][0], adam_beta2=ADAM["betas"][1],
        adam_epsilon=ADAM["eps"], checkpoint_every_steps=never, keep_checkpoints=1,
        validate_every_steps=never, numerics=precision, threads=torch.get_num_threads(), seed=SEED,
    )  # fmt: skip
    return Trainer(
        make_model(shape),
        TokenizedDataset.open(folder / "train"),
        config,
        ProcessGroup(0, 1, torch.device("cpu")),
        Checkpoints(folder, keep=1),
        validate=lambda model, group: {},
        max_tokens=shape.batch_tokens,
    )


def training(shape: Shape, precision: str, workload: Workload) -> Iterator[int]:
    with tempfile.TemporaryDirectory() as folder:
        trainer = make_trainer(shape, precision, workload, Path(folder))
        for work in trainer.work():
            trainer.read_loss(trainer.train_step(work), work.target_tokens)
            yield work.source_tokens + work.target_tokens


def decoding(shape: Shape, precision: Any) -> Decode:
    model = make_model(shape).eval()
    model.compute_with(precision)
    prepared = SearchModel(model)
    # A translation has as many tokens as its own source.
    beam = BeamConfig(BEAM_SIZE, ALPHA, max_extra_tokens=0)

    def decode(sources: list[list[int]], length: int) -> int:
        outputs = translate(prepared, sources, beam, BATCH_TOKENS["cpu"])
        return sum(min(len(best.tokens), len(s)) + 1 for (best,), s in zip(outputs, sources, strict=True))

    return one_by_one(decode)


def measure_peak(request: dict[str, Any]) -> dict[str, Any]:
    """Return the rates of matrix products, in FLOPs a second."""
    torch.set_num_threads(request["threads"])
    return {"rates": matmul_rates(request["precision"])}


if __name__ == "__main__":
    serve("attention-is-all-you-need", training, decoding, {"peak": measure_peak})
