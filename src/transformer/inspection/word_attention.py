"""The attention of a model between the words of two sentences, computed from that between the subwords."""

import itertools
import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from transformer.common.special_tokens import EOS, PAD
from transformer.inspection.attention_weights import attention_weights
from transformer.model.transformer import Transformer, shift_right
from transformer.subwords.subwords import Subwords

NAMES = {PAD: "<start>", EOS: "<EOS>"}  # PAD is the decoder's first input; the paper writes <EOS>


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


def words_of(subwords: Subwords, ids: Sequence[int]) -> tuple[list[str], list[list[int]]]:
    """Return the words that ``ids`` spell, and for each word the indices of its subwords in ``ids``.

    Words are separated by spaces.  Punctuation marks at the end of a word form a word of their own, provided that
    they are subwords of their own.  PAD and EOS are words, too.
    """
    groups: list[list[int]] = []
    for index, id in enumerate(ids):
        if not groups or id in NAMES or ids[index - 1] in NAMES or subwords.begins_word(id):
            groups.append([])
        groups[-1].append(index)
    groups = [part for group in groups for part in _split_punctuation(subwords, ids, group)]
    words = [NAMES.get(ids[group[0]]) or subwords.decode(ids[i] for i in group).strip() for group in groups]
    return words, groups


def _split_punctuation(subwords: Subwords, ids: Sequence[int], group: list[int]) -> list[list[int]]:
    marks = itertools.takewhile(lambda index: _is_punctuation(subwords.piece(ids[index])), reversed(group))
    end = len(group) - len(list(marks))
    return [part for part in (group[:end], group[end:]) if part]


def _is_punctuation(piece: str) -> bool:
    return all(unicodedata.category(character).startswith("P") for character in piece.replace("▁", ""))


def between_words(weights: Tensor, queries: list[list[int]], keys: list[list[int]]) -> Tensor:
    """Turn weights (…, T, S) between subwords into weights (…, words, words) between words.

    Each word is given as the indices of its subwords.  The weight to a word is the sum over its subwords, and the
    weight from a word is the mean over its subwords, so that the weights from each word still sum to 1.
    """
    to_words = torch.stack([weights[..., group].sum(-1) for group in keys], dim=-1)
    return torch.stack([to_words[..., group, :].mean(-2) for group in queries], dim=-2)
