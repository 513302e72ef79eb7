"""Section 3.2: scaled dot-product attention and multi-head attention.

Shapes: B sentences, h heads, T queries, S keys and values.
"""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from transformer.model.config import TransformerConfig
from transformer.model.dropout import Dropout

REGISTER = 16  # numbers of fp32 in a CPU's widest vector register


def scaled_dot_product_attention(
    Q: Tensor, K: Tensor, V: Tensor, mask: Tensor | None, dropout: Dropout
) -> Tensor:
    """Equation (1): softmax(Q K^T / sqrt(d_k)) V.

    Q is (B, h, T, d_k), K (B, h, S, d_k), V (B, h, S, d_v); ``mask`` is added to the scores, broadcast
    from its shape to (B, h, T, S), and holds 0 where a query may look and -inf where it may not.
    Returns (B, h, T, d_v).

    On a GPU torch's fused kernel computes the same without ever storing the (T, S) scores.  On a CPU, at
    the lengths of sentences, plain matrix products are faster, their backward above all.
    """
    if Q.device.type != "cpu":
        p = dropout.p if dropout.training else 0.0
        return F.scaled_dot_product_attention(Q, K, V, None if mask is None else mask.to(Q.dtype), p)
    scores = (Q * (1 / math.sqrt(Q.shape[-1]))) @ K.transpose(-2, -1)  # (B, h, T, S)
    if mask is not None:
        scores = scores + mask.to(scores.dtype)
    return dropout(softmax(scores)) @ V


def softmax(scores: Tensor) -> Tensor:
    """The softmax over the last dimension, computed in fp32 or finer, in the dtype of ``scores``.

    A vector register holds 16 numbers of fp32.  torch computes rows that are shorter, as sentences are, one
    number at a time, which takes up to seven times as long as rows of 16: so they are filled up to 16.
    """
    S = scores.shape[-1]
    if S < REGISTER:
        scores = F.pad(scores, (0, REGISTER - S), value=-math.inf)
    exact = torch.promote_types(scores.dtype, torch.float32)
    return scores.softmax(-1, dtype=exact)[..., :S].to(scores.dtype)


class MultiHeadAttention(nn.Module):
    """Section 3.2.2: h heads side by side, concatenated and projected by W^O.

    The h matrices W_i^Q, W_i^K and W_i^V are the blocks of one matrix each, so that all heads are
    projected by one product.  Which of them share a product is what the two subclasses differ in.
    """

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.h, self.d_k, self.d_v = config.h, config.d_k, config.d_v
        self.dropout = Dropout(config.attention_dropout)
        self.W_O = nn.Linear(config.h * config.d_v, config.d_model, bias=config.attention_bias)

    def split_heads(self, x: Tensor) -> Tensor:
        """(B, T, h * d) to (B, h, T, d)."""
        return x.unflatten(-1, (self.h, -1)).transpose(1, 2)

    def attend(self, Q: Tensor, K: Tensor, V: Tensor, mask: Tensor | None) -> Tensor:
        """Concat(head_1 … head_h) W^O: heads (B, h, T, d_k), (B, h, S, d_k), (B, h, S, d_v) to (B, T, d_model)."""
        heads = scaled_dot_product_attention(Q, K, V, mask, self.dropout)  # (B, h, T, d_v)
        return self.W_O(heads.transpose(1, 2).flatten(2))


class SelfAttention(MultiHeadAttention):
    """Queries, keys and values come from the same place (section 3.2.3)."""

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__(config)
        self.widths = [config.h * config.d_k, config.h * config.d_k, config.h * config.d_v]
        self.W_QKV = nn.Linear(config.d_model, sum(self.widths), bias=config.attention_bias)

    def project(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """x (B, T, d_model) to Q, K (B, h, T, d_k) and V (B, h, T, d_v)."""
        Q, K, V = self.W_QKV(x).split(self.widths, dim=-1)
        return self.split_heads(Q), self.split_heads(K), self.split_heads(V)

    def forward(self, x: Tensor, mask: Tensor | None) -> Tensor:
        """x (B, T, d_model) to (B, T, d_model)."""
        return self.attend(*self.project(x), mask)


class CrossAttention(MultiHeadAttention):
    """Encoder-decoder attention: queries from the decoder, keys and values from the encoder's output."""

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__(config)
        self.widths = [config.h * config.d_k, config.h * config.d_v]
        self.W_Q = nn.Linear(config.d_model, config.h * config.d_k, bias=config.attention_bias)
        self.W_KV = nn.Linear(config.d_model, sum(self.widths), bias=config.attention_bias)

    def project_memory(self, memory: Tensor) -> tuple[Tensor, Tensor]:
        """memory (B, S, d_model) to K (B, h, S, d_k) and V (B, h, S, d_v)."""
        K, V = self.W_KV(memory).split(self.widths, dim=-1)
        return self.split_heads(K), self.split_heads(V)

    def look_up(self, x: Tensor, K: Tensor, V: Tensor, mask: Tensor | None) -> Tensor:
        """x (B, T, d_model) against a memory that is projected already, to (B, T, d_model)."""
        return self.attend(self.split_heads(self.W_Q(x)), K, V, mask)

    def forward(self, x: Tensor, memory: Tensor, mask: Tensor | None) -> Tensor:
        """x (B, T, d_model) and memory (B, S, d_model) to (B, T, d_model)."""
        return self.look_up(x, *self.project_memory(memory), mask)


def padding_mask(is_padding: Tensor) -> Tensor | None:
    """(B, S), true at padding, to the mask (B, 1, 1, S) that hides it; None where there is none to hide."""
    if not is_padding.any():
        return None
    mask = torch.zeros(is_padding.shape, device=is_padding.device).masked_fill(is_padding, -math.inf)
    return mask[:, None, None]


def causal_mask(length: int, device: torch.device) -> Tensor:
    """The mask (length, length) that hides from each position those after it (section 3.2.3)."""
    return torch.full((length, length), -math.inf, device=device).triu(1)
