"""Section 3.2: scaled dot-product attention and multi-head attention.

Shapes: B sentences, h heads, T queries, S keys and values.
"""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from transformer.model.arithmetic import FP32, Arithmetic, Linear
from transformer.model.dropout import Dropout
from transformer.settings.run_settings import TransformerConfig

FUSED_DEVICES = frozenset({"cuda"})  # where torch's fused attention is faster than plain matrix products
ATTENTION_WIDTH = 1024  # keys before the masks of attention weights repeat


def scaled_dot_product_attention(
    Q: Tensor,
    K: Tensor,
    V: Tensor,
    mask: Tensor | None,
    dropout: Dropout,
    dropout_rows: Tensor | None = None,
    arithmetic: Arithmetic = FP32,
) -> Tensor:
    """Compute equation (1): softmax(Q K^T / sqrt(d_k)) V.

    Q is (B, h, T, d_k), K (B, h, S, d_k), V (B, h, S, d_v).  ``mask`` is broadcast to (B, h, T, S) and added
    to the scores; it holds 0 where a query may attend and -inf where it may not.  A mask of two dimensions is that of
    :func:`causal_mask`.  ``dropout_rows`` (dropouts, B, T) determines dropout.  Returns (B, h, T, d_v).

    On a GPU, torch's fused kernels compute the same without storing the (T, S) scores.  On a CPU, plain
    matrix products are faster for sentences of ordinary length, mainly in the backward pass.  The fused kernels'
    dropout depends on the batch, so attention weights with dropout are computed plainly everywhere.  In their backward
    pass they add in any order, which torch's deterministic algorithms rule out.
    """
    fused = Q.device.type in FUSED_DEVICES and not torch.are_deterministic_algorithms_enabled()
    if fused and (dropout_rows is None or dropout.p == 0):
        if mask is not None and mask.dim() == 2:
            return F.scaled_dot_product_attention(Q, K, V, is_causal=True)  # the fastest kernel takes no mask
        return F.scaled_dot_product_attention(Q, K, V, None if mask is None else mask.to(Q.dtype))
    scores = (Q * (1 / math.sqrt(Q.shape[-1]))) @ K.transpose(-2, -1)  # (B, h, T, S)
    if mask is not None:
        scores = scores + mask.to(scores.dtype)
    return dropout(arithmetic.softmax(scores), dropout_rows) @ V


class MultiHeadAttention(nn.Module):
    """Section 3.2.2: h heads side by side, concatenated and projected by W^O.

    The matrices W_1^Q … W_h^Q are the blocks of one matrix W^Q, likewise W^K and W^V, so that one product
    projects all heads.  The two subclasses also join the matrices that multiply the same input.
    """

    arithmetic = FP32

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.h, self.d_k, self.d_v = config.h, config.d_k, config.d_v
        self.dropout = Dropout(config.attention_dropout, ATTENTION_WIDTH)
        self.W_O = Linear(config.h * config.d_v, config.d_model, bias=config.attention_bias)

    def split_heads(self, x: Tensor) -> Tensor:
        """Reshape (B, T, h * d) to (B, h, T, d)."""
        return x.unflatten(-1, (self.h, -1)).transpose(1, 2)

    def attend(
        self, Q: Tensor, K: Tensor, V: Tensor, mask: Tensor | None, dropout_rows: Tensor | None = None
    ) -> Tensor:
        """Map Q (B, h, T, d_k), K (B, h, S, d_k), V (B, h, S, d_v) to Concat(head_1 … head_h) W^O, (B, T, d_model)."""
        # (B, h, T, d_v)
        heads = scaled_dot_product_attention(Q, K, V, mask, self.dropout, dropout_rows, self.arithmetic)
        return self.W_O(heads.transpose(1, 2).flatten(2))


class SelfAttention(MultiHeadAttention):
    """Attention whose queries, keys and values come from the same sequence (section 3.2.3)."""

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__(config)
        self.widths = [config.h * config.d_k, config.h * config.d_k, config.h * config.d_v]
        self.W_QKV = Linear(config.d_model, sum(self.widths), bias=config.attention_bias)

    def project(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Map x (B, T, d_model) to Q, K (B, h, T, d_k) and V (B, h, T, d_v)."""
        Q, K, V = self.W_QKV(x).split(self.widths, dim=-1)
        return self.split_heads(Q), self.split_heads(K), self.split_heads(V)

    def forward(self, x: Tensor, mask: Tensor | None, dropout_rows: Tensor | None = None) -> Tensor:
        """Map x (B, T, d_model) to (B, T, d_model)."""
        return self.attend(*self.project(x), mask, dropout_rows)


class CrossAttention(MultiHeadAttention):
    """Encoder-decoder attention (3.2.3): queries from the decoder, keys and values from the encoder's output."""

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__(config)
        self.widths = [config.h * config.d_k, config.h * config.d_v]
        self.W_Q = Linear(config.d_model, config.h * config.d_k, bias=config.attention_bias)
        self.W_KV = Linear(config.d_model, sum(self.widths), bias=config.attention_bias)

    def project_memory(self, memory: Tensor) -> tuple[Tensor, Tensor]:
        """Map memory (B, S, d_model) to K (B, h, S, d_k) and V (B, h, S, d_v)."""
        K, V = self.W_KV(memory).split(self.widths, dim=-1)
        return self.split_heads(K), self.split_heads(V)

    def forward(
        self, x: Tensor, K: Tensor, V: Tensor, mask: Tensor | None, dropout_rows: Tensor | None = None
    ) -> Tensor:
        """Map x (B, T, d_model) and the memory's K (B, h, S, d_k) and V (B, h, S, d_v) to (B, T, d_model)."""
        return self.attend(self.split_heads(self.W_Q(x)), K, V, mask, dropout_rows)


def padding_mask(is_padding: Tensor, dtype: torch.dtype | None = None) -> Tensor:
    """Return the mask (B, 1, 1, S) that hides padding, given as booleans (B, S)."""
    mask = torch.zeros(is_padding.shape, dtype=dtype, device=is_padding.device)
    return mask.masked_fill_(is_padding, -math.inf)[:, None, None]


def causal_mask(length: int, device: torch.device) -> Tensor:
    """Return the mask (length, length) that hides later positions from each position (section 3.2.3)."""
    return torch.full((length, length), -math.inf, device=device).triu(1)
