"""What the compared programs work on: shapes of models, random sentences, and the batches that our trainer makes."""

import dataclasses
import json
from pathlib import Path

import numpy as np
from peers.worker import FIRST_WORD, Shape, Workload

from transformer.dataset.batching import epoch_batches
from transformer.model.config import TransformerConfig
from transformer.model.flops import training_flops

MIXED = (
    "base, mixed lengths"  # the base shape, whose sentences to translate have lengths as those of training
)
SHAPES = {
    "tiny": Shape(layers=4, d_model=128, d_ff=256, heads=4, vocab_size=8000, batch_tokens=4096),
    "base": Shape(layers=6, d_model=512, d_ff=2048, heads=8, vocab_size=8000, batch_tokens=2048),
}
SHAPES[MIXED] = SHAPES["base"]
PAIRS = 3000
LONGEST = 100  # tokens of a sentence, EOS included
TO_TRANSLATE = 48  # sentences
SOURCE_TOKENS = 24  # of a sentence to translate, EOS included, unless lengths are mixed
SEED = 1  # that of peers/ours.py, so that all programs have the same batches


def make_workload(shape: Shape, mixed: bool = False) -> Workload:
    """Return sentences of random words.

    Source lengths are log-normal with a median of 25 tokens, about those of news; the target's differ by a fifth.
    If ``mixed``, so are those of the sentences to translate, which otherwise all have SOURCE_TOKENS.
    """
    rng = np.random.default_rng(SEED)

    def words(length: int) -> list[int]:
        ids: list[int] = rng.integers(FIRST_WORD, shape.vocab_size, length - 1).tolist()
        return ids

    source_lengths = rng.lognormal(np.log(25), 0.6, PAIRS)
    target_lengths = source_lengths * rng.lognormal(0, 0.2, PAIRS)
    lengths = [np.clip(side, 2, LONGEST).astype(int) for side in (source_lengths, target_lengths)]
    batches = epoch_batches(*lengths, batch_tokens=shape.batch_tokens, max_length=256, seed=SEED, epoch=0)
    return Workload(
        pairs=[(words(source), words(target)) for source, target in zip(*lengths, strict=True)],
        batches=[batch.tolist() for batch in batches],
        sources=[words(lengths[0][n] if mixed else SOURCE_TOKENS) for n in range(TO_TRANSLATE)],
    )


def write_workload(workload: Workload, path: Path) -> None:
    path.write_text(json.dumps(dataclasses.asdict(workload)), encoding="utf-8")


def flops_per_token(shape: Shape, workload: Workload) -> float:
    """Return the FLOPs of a training step for each source or target token: those of the sentences without padding."""
    d_head = shape.d_model // shape.heads
    config = TransformerConfig(
        vocab_size=shape.vocab_size, N=shape.layers, d_model=shape.d_model, d_ff=shape.d_ff, h=shape.heads,
        d_k=d_head, d_v=d_head, dropout=0.1, attention_dropout=0.0, relu_dropout=0.0, positions="sinusoidal",
        attention_bias=False, max_length=256,
    )  # fmt: skip
    lengths = [(len(source) + 1, len(target) + 1) for source, target in workload.pairs]
    return sum(training_flops(config, 1, S, T) for S, T in lengths) / sum(S + T for S, T in lengths)
