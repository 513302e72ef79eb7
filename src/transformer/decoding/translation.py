"""Beam search for many sentences, in batches of similar lengths."""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from transformer.common.special_tokens import EOS
from transformer.dataset.padding import pad
from transformer.decoding.beam_search import BeamConfig, Constraint, Hypothesis, beam_search
from transformer.decoding.incremental import SearchModel


def translate(
    model: SearchModel,
    sources: Sequence[Sequence[int]],
    config: BeamConfig,
    batch_tokens: int,
    progress: Callable[[int], None] = lambda count: None,
    constrain: Callable[[Sequence[int], Tensor], Constraint] | None = None,
) -> list[list[Hypothesis]]:
    """Return the ``config.nbest`` best hypotheses of each source sentence, in the order given; neither side has EOS.

    ``batch_tokens`` limits a batch's source tokens, padding included, times the beam size.  ``progress`` is called
    after each batch with its number of sentences.  ``constrain`` maps the indices of a batch's sentences and its
    padded source (B, S) to the batch's constraint.  An empty source has one hypothesis, which is empty.
    """
    results = [[Hypothesis([], 0.0, 0.0)] for _ in sources]
    order = sorted((n for n in range(len(sources)) if sources[n]), key=lambda n: -len(sources[n]))

    def search(batch: list[int]) -> list[list[Hypothesis]] | None:
        """Return None if a GPU's memory is too small for more than one sentence of ``batch``."""
        source = pad([[*sources[n], EOS] for n in batch], model.device)  # (B, S)
        constraint = constrain(batch, source) if constrain else None
        try:
            with model.arithmetic.autocast(model.device):
                return beam_search(model, source, config, constraint)
        except torch.OutOfMemoryError:
            if len(batch) == 1:
                raise
        return None

    start = 0
    while start < len(order):
        count = max(1, batch_tokens // (config.beam_size * (len(sources[order[start]]) + 1)))
        batch = order[start : start + count]
        found = search(batch)
        if found is None:  # this batch is halved, and so are those after it
            torch.cuda.empty_cache()
            batch_tokens = len(batch) // 2 * config.beam_size * (len(sources[batch[0]]) + 1)
            continue
        for n, hypotheses in zip(batch, found, strict=True):
            results[n] = hypotheses
        start += len(batch)
        progress(len(batch))
    return results
