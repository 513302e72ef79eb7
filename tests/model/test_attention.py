"""Equation (1), its masks, and the heads around it."""

import math

import pytest
import tiny
import torch

from transformer.model.attention import (
    CrossAttention,
    SelfAttention,
    causal_mask,
    padding_mask,
    scaled_dot_product_attention,
)
from transformer.model.config import TransformerConfig
from transformer.model.dropout import Dropout
from transformer.model.transformer import source_padding_mask

B, H, T, S, D_K, D_V = 2, 3, 4, 5, 6, 7


@pytest.mark.parametrize("hidden", [False, True])
def test_equation_1_against_a_plain_loop(hidden: bool) -> None:
    torch.manual_seed(0)
    Q, K, V = torch.randn(B, H, T, D_K), torch.randn(B, H, S, D_K), torch.randn(B, H, S, D_V)
    may_look = torch.rand(B, S) < 0.6
    may_look[:, 2] = True
    result = scaled_dot_product_attention(
        Q, K, V, padding_mask(~may_look) if hidden else None, Dropout(0.0, S)
    )
    for b in range(B):
        for head in range(H):
            for t in range(T):
                keys = [s for s in range(S) if may_look[b, s] or not hidden]
                scores = [float(Q[b, head, t] @ K[b, head, s]) / math.sqrt(D_K) for s in keys]
                total = sum(map(math.exp, scores))
                weights = torch.tensor([math.exp(score) / total for score in scores])
                expected = weights @ V[b, head, keys]
                torch.testing.assert_close(result[b, head, t], expected, rtol=1e-5, atol=1e-6)


def test_causal_mask_hides_what_comes_later() -> None:
    mask = causal_mask(3, torch.device("cpu"))
    assert mask.tolist() == [[0, -math.inf, -math.inf], [0, 0, -math.inf], [0, 0, 0]]


def test_no_mask_where_nothing_is_padded() -> None:
    assert source_padding_mask(tiny.tokens(2, 3)) is None


@pytest.mark.parametrize(("h", "d_k", "d_v"), [(1, 5, 2), (3, 2, 7), (5, 1, 1)])
def test_heads_and_their_widths_are_independent(h: int, d_k: int, d_v: int) -> None:
    """Head i is attention over its own blocks of the projections, and W^O joins the heads in order."""
    config = TransformerConfig(
        vocab_size=9, **tiny.model_config(h=h, d_k=d_k, d_v=d_v, attention_dropout=0.0)
    )
    torch.manual_seed(0)
    attention = SelfAttention(config)
    x = torch.randn(B, T, config.d_model)
    W_Q, W_K, W_V = attention.W_QKV.weight.split([h * d_k, h * d_k, h * d_v])
    heads = []
    for i in range(h):
        Q, K = (x @ W[i * d_k : (i + 1) * d_k].T for W in (W_Q, W_K))
        V = x @ W_V[i * d_v : (i + 1) * d_v].T
        heads.append((Q @ K.transpose(1, 2) / math.sqrt(d_k)).softmax(-1) @ V)
    torch.testing.assert_close(attention(x, None), torch.cat(heads, -1) @ attention.W_O.weight.T)


def test_cross_attention_equals_its_two_halves() -> None:
    config = TransformerConfig(vocab_size=9, **tiny.model_config(attention_dropout=0.0))
    torch.manual_seed(0)
    attention = CrossAttention(config)
    x, memory = torch.randn(B, T, config.d_model), torch.randn(B, S, config.d_model)
    h, d_k, d_v = config.h, config.d_k, config.d_v
    W_K, W_V = attention.W_KV.weight.split([h * d_k, h * d_v])
    heads = []
    for i in range(h):
        Q = x @ attention.W_Q.weight[i * d_k : (i + 1) * d_k].T
        K, V = memory @ W_K[i * d_k : (i + 1) * d_k].T, memory @ W_V[i * d_v : (i + 1) * d_v].T
        heads.append((Q @ K.transpose(1, 2) / math.sqrt(d_k)).softmax(-1) @ V)
    torch.testing.assert_close(attention(x, memory, None), torch.cat(heads, -1) @ attention.W_O.weight.T)
