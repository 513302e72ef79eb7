"""Many sentences through the beam search, in batches of similar length."""

from collections.abc import Callable, Sequence

import numpy as np
import torch
from torch import Tensor

from transformer.common.special_tokens import EOS
from transformer.dataset.batching import collate
from transformer.decoding.beam_search import BeamConfig, Constraint, beam_search
from transformer.model.precision import Precision, autocast, resolve_precision
from transformer.model.transformer import Transformer


def translate(
    model: Transformer,
    sources: Sequence[Sequence[int]],
    config: BeamConfig,
    batch_tokens: int,
    precision: Precision = "auto",
    done: Callable[[int], None] = lambda count: None,
    constrain: Callable[[Sequence[int], Tensor], Constraint] | None = None,
) -> list[list[int]]:
    """The best hypothesis of each source sentence, in the order given; ids without EOS on both sides.

    ``batch_tokens`` bounds a batch's padded source slots times the beam.  ``done`` is told the number of
    sentences after each batch.  ``constrain`` gives the constraint of a batch from the numbers of its sentences and
    its padded source.  A source without tokens has an output without tokens.
    """
    device = model.embedding.device
    results: list[list[int]] = [[] for _ in sources]
    order = sorted((n for n in range(len(sources)) if sources[n]), key=lambda n: -len(sources[n]))
    start = 0
    while start < len(order):
        count = max(1, batch_tokens // (config.beam_size * (len(sources[order[start]]) + 1)))
        batch = order[start : start + count]
        source = torch.from_numpy(collate([np.array([*sources[n], EOS]) for n in batch])).to(device)
        constraint = constrain(batch, source) if constrain else None
        with autocast(resolve_precision(precision, device), device):
            for n, hypothesis in zip(batch, beam_search(model, source, config, constraint), strict=True):
                results[n] = hypothesis
        start += count
        done(len(batch))
    return results
