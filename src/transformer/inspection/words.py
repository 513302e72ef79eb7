"""Attention between words, computed from attention between the subwords that spell them."""

import itertools
import unicodedata
from collections.abc import Sequence

import torch
from torch import Tensor

from transformer.common.special_tokens import EOS, PAD
from transformer.subwords.subwords import Subwords

NAMES = {PAD: "<start>", EOS: "<EOS>"}  # PAD is the decoder's first input; the paper writes <EOS>


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
