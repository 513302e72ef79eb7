"""The attention weights of a model, taken from its own layers while it reads a pair of sentences."""

import contextlib
from typing import Any

import torch
from torch import Tensor

from transformer.common.errors import UserError
from transformer.model.attention import (
    CrossAttention,
    MultiHeadAttention,
    SelfAttention,
    scaled_dot_product_attention,
)
from transformer.model.transformer import Transformer

KINDS = (
    "encoder",
    "decoder",
    "cross",
)  # self-attention of either stack; the decoder's over the encoder's output


@torch.no_grad()
def attention_weights(model: Transformer, source: Tensor, target_input: Tensor) -> dict[str, Tensor]:
    """softmax(Q K^T / sqrt(d_k)) of every layer and head, for one pair: source (1, S), target_input (1, T).

    Returns (N, h, S, S) as ``encoder``, (N, h, T, T) as ``decoder``, (N, h, T, S) as ``cross``: layer, head, query,
    key.  The model is in evaluation mode.  Raises UserError when a layer has something else in the place of attention.
    """
    found: dict[str, list[Tensor]] = {kind: [] for kind in KINDS}
    with contextlib.ExitStack() as stack:
        for kind, attention in _attentions(model):

            def record(module: Any, inputs: tuple[Any, ...], output: Tensor, kind: str = kind) -> None:
                found[kind].append(weights_of(module, *inputs)[0])

            stack.callback(attention.register_forward_hook(record).remove)
        model(source, target_input)
    return {kind: torch.stack(layers) for kind, layers in found.items()}


def _attentions(model: Transformer) -> list[tuple[str, MultiHeadAttention]]:
    layers: Any = model.decoder
    return [
        *(("encoder", layer.self_attention) for layer in model.encoder),
        *(("decoder", layer.self_attention) for layer in layers),
        *(("cross", layer.cross_attention) for layer in layers),
    ]


def weights_of(attention: MultiHeadAttention, x: Tensor, *memory_and_mask: Any) -> Tensor:
    """The weights (B, h, T, S) of one call, given what the module's ``forward`` was given.

    The module's own function computes them: with the identity for values, it returns the weights themselves.
    """
    *memory, mask = memory_and_mask
    if type(attention) is CrossAttention:
        Q, (K, _) = attention.split_heads(attention.W_Q(x)), attention.project_memory(*memory)
    elif type(attention) is SelfAttention:
        Q, K, _ = attention.project(x)
    else:
        raise UserError(
            f"the model has {type(attention).__name__} where every position attends to every other; "
            "take a run with encoder_layer: self-attention"
        )
    identity = torch.eye(K.shape[-2], dtype=K.dtype, device=K.device).expand(*K.shape[:2], -1, -1)
    return scaled_dot_product_attention(Q, K, identity, mask, attention.dropout)
