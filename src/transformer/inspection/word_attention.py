"""The attention of a model between the words of two sentences, recorded in its own layers while it reads them."""

import itertools
import unicodedata
from collections.abc import Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.nn.modules.module import register_module_forward_hook

from transformer.common.errors import UserError
from transformer.common.special_tokens import EOS, PAD
from transformer.common.words import has_no_blanks
from transformer.model.attention import (
    CrossAttention,
    MultiHeadAttention,
    SelfAttention,
    scaled_dot_product_attention,
)
from transformer.model.transformer import Transformer, shift_right
from transformer.subwords.subwords import Subwords

NAMES = {PAD: "<start>", EOS: "<EOS>"}  # PAD is the decoder's first input; the paper writes <EOS>
# Self-attention of the encoder, self-attention of the decoder, and the decoder's attention over the encoder's output.
KINDS = ("encoder", "decoder", "cross")


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
    attention = {}
    for kind, query, key in (
        ("encoder", "source", "source"),
        ("decoder", "input", "input"),
        # A row of this attention belongs to the word that the decoder writes next.
        ("cross", "output", "source"),
    ):
        (queries, rows), (keys, columns) = names[query], names[key]
        attention[kind] = WordAttention(queries, keys, between_words(weights[kind], rows, columns).cpu())
    return attention


@torch.no_grad()
def attention_weights(model: Transformer, source: Tensor, target_input: Tensor) -> dict[str, Tensor]:
    """Compute softmax(Q K^T / sqrt(d_k)) of every layer and head for one pair: source (1, S), target_input (1, T).

    Returns (N, h, S, S) as ``encoder``, (N, h, T, T) as ``decoder`` and (N, h, T, S) as ``cross``, with the axes
    layer, head, query and key.  The model must be in evaluation mode.  Raises UserError when the encoder has other
    layers than self-attention.
    """
    encoder: Any = model.encoder
    decoder: Any = model.decoder
    kinds = {layer.self_attention: "encoder" for layer in encoder}
    for layer in decoder:
        kinds |= {layer.self_attention: "decoder", layer.cross_attention: "cross"}
    found: dict[str, list[Tensor]] = {kind: [] for kind in KINDS}

    def record(module: Any, inputs: tuple[Any, ...], output: Any) -> None:
        if module in kinds:
            found[kinds[module]].append(weights_of(module, *inputs)[0])

    with register_module_forward_hook(record):
        model(source, target_input)
    return {kind: torch.stack(layers) for kind, layers in found.items()}


def weights_of(attention: MultiHeadAttention, x: Tensor, *memory_mask_and_rows: Any) -> Tensor:
    """Return the weights (B, h, T, S) of one call, given the arguments of the module's ``forward``.

    The model's own function computes them: with the identity matrix as values, its result is the weights.
    """
    *memory, mask, _ = memory_mask_and_rows  # the last is for dropout, and is absent in evaluation
    if type(attention) is CrossAttention:
        Q, K = attention.split_heads(attention.W_Q(x)), memory[0]
    elif type(attention) is SelfAttention:
        Q, K, _ = attention.project(x)
    else:
        raise UserError(
            f"the model has {type(attention).__name__} where every position attends to every other; "
            "take a run with encoder_layer: self-attention"
        )
    identity = torch.eye(K.shape[-2], dtype=K.dtype, device=K.device).expand(*K.shape[:2], -1, -1)
    return scaled_dot_product_attention(
        Q, K, identity, mask, attention.dropout, arithmetic=attention.arithmetic
    )


def words_of(subwords: Subwords, ids: Sequence[int]) -> tuple[list[str], list[list[int]]]:
    """Return the words that ``ids`` spell, and for each word the indices of its subwords in ``ids``.

    Words are separated by spaces; in a text without, each subword is one, or those that spell a character together.
    Punctuation marks at the end of a word form a word of their own, provided that they are subwords of their own.  PAD
    and EOS are words, too.
    """
    no_blanks = has_no_blanks([subwords.decode(ids)])

    def begins(index: int) -> bool:
        if no_blanks:
            return _is_whole(subwords.decode(ids[i] for i in groups[-1]))
        return subwords.begins_word(ids[index])

    groups: list[list[int]] = []
    for index, id in enumerate(ids):
        if not groups or id in NAMES or ids[index - 1] in NAMES or begins(index):
            groups.append([])
        groups[-1].append(index)
    groups = [part for group in groups for part in _split_punctuation(subwords, ids, group)]
    words = [NAMES.get(ids[group[0]]) or subwords.decode(ids[i] for i in group).strip() for group in groups]
    return words, groups


def _is_whole(text: str) -> bool:
    """Return whether subwords spell whole characters, and not some of the bytes of one or a blank."""
    return bool(text.strip()) and "\ufffd" not in text


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
