"""The attention weights of a model, recorded in its own layers while it reads a pair of sentences."""

from typing import Any

import torch
from torch import Tensor
from torch.nn.modules.module import register_module_forward_hook

from transformer.common.errors import UserError
from transformer.model.attention import (
    CrossAttention,
    MultiHeadAttention,
    SelfAttention,
    scaled_dot_product_attention,
)
from transformer.model.transformer import Transformer

# Self-attention of the encoder, self-attention of the decoder, and the decoder's attention over the encoder's output.
KINDS = ("encoder", "decoder", "cross")


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


def weights_of(attention: MultiHeadAttention, x: Tensor, *memory_mask_and_noise: Any) -> Tensor:
    """Return the weights (B, h, T, S) of one call, given the arguments of the module's ``forward``.

    The model's own function computes them: with the identity matrix as values, its result is the weights.
    """
    *memory, mask, _ = memory_mask_and_noise  # the last is dropout's noise, which is absent in evaluation
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
