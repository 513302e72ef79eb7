"""The attention of a model between the words of two sentences."""

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from transformer.common.special_tokens import EOS
from transformer.inspection.attention_weights import attention_weights
from transformer.inspection.words import between_words, words_of
from transformer.model.transformer import Transformer, shift_right
from transformer.subwords.subwords import Subwords


class WordAttention(NamedTuple):
    """The words that attend, those that they attend to, and the weights (N, h, queries, keys) of layers and heads."""

    queries: list[str]
    keys: list[str]
    weights: Tensor


def word_attention(
    model: Transformer, subwords: Subwords, source: Sequence[int], target: Sequence[int]
) -> dict[str, WordAttention]:
    """Return the attention ``encoder``, ``decoder`` and ``cross`` while ``model`` reads two sentences, given as ids.

    The ids have no EOS.  A query of ``cross`` is the word that the decoder writes next.  Raises UserError when the
    encoder has other layers than self-attention.
    """
    device = model.embedding.device
    output = torch.tensor([[*target, EOS]], device=device)
    sides = {
        "source": torch.tensor([[*source, EOS]], device=device),
        "input": shift_right(output),
        "output": output,
    }
    names = {side: words_of(subwords, ids[0].tolist()) for side, ids in sides.items()}
    weights = attention_weights(model, sides["source"], sides["input"])
    return {
        kind: WordAttention(
            names[queries][0],
            names[keys][0],
            between_words(weights[kind], names[queries][1], names[keys][1]).cpu(),
        )
        for kind, queries, keys in (
            ("encoder", "source", "source"),
            ("decoder", "input", "input"),
            # A row of this attention belongs to the word that the decoder writes next.
            ("cross", "output", "source"),
        )
    }
