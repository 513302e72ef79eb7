"""Attention between words, from attention between the subwords that spell them."""

import unicodedata
from collections.abc import Sequence

import torch
from torch import Tensor

from transformer.common.special_tokens import EOS, PAD
from transformer.subwords.subwords import Subwords

NAMES = {PAD: "<start>", EOS: "<EOS>"}  # the decoder's first input; the second as the paper writes it


def words_of(subwords: Subwords, ids: Sequence[int]) -> tuple[list[str], list[list[int]]]:
    """The words that ``ids`` spell, and the places in ``ids`` of each one's subwords.

    A word is what stands between spaces, without the punctuation marks at its end, which are a word together where
    they are subwords of their own.  PAD and EOS are words, too.
    """
    groups: list[list[int]] = []
    for place, id in enumerate(ids):
        if not groups or id in NAMES or ids[place - 1] in NAMES or subwords.piece(id).startswith("▁"):
            groups.append([])
        groups[-1].append(place)
    groups = [part for group in groups for part in _split_punctuation(subwords, ids, group)]
    return [_written(subwords, [ids[place] for place in group]) for group in groups], groups


def _split_punctuation(subwords: Subwords, ids: Sequence[int], group: list[int]) -> list[list[int]]:
    end = len(group)
    while end and _is_punctuation(subwords.piece(ids[group[end - 1]])):
        end -= 1
    return [part for part in (group[:end], group[end:]) if part]


def _is_punctuation(piece: str) -> bool:
    return all(unicodedata.category(character).startswith("P") for character in piece.replace("▁", ""))


def _written(subwords: Subwords, ids: list[int]) -> str:
    return NAMES.get(ids[0]) or subwords.decode(ids).strip()


def between_words(weights: Tensor, queries: list[list[int]], keys: list[list[int]]) -> Tensor:
    """Weights (…, T, S) between subwords to (…, words, words), each word given as the places of its subwords.

    What goes to a word is the sum of what goes to its subwords; what comes from it is their mean.  So the weights of
    each word still sum to 1.
    """
    to_words = torch.stack([weights[..., group].sum(-1) for group in keys], dim=-1)
    return torch.stack([to_words[..., group, :].mean(-2) for group in queries], dim=-2)
