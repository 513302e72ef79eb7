"""Decoding one position at a time, with the keys and values of earlier positions cached.

This is the decoder of ``model/transformer.py`` again, arranged for one new position of each hypothesis: weights are
prepared once, all hypotheses of a sentence attend to its nodes in the cache and to the encoder's output as if they were
positions of one sentence, and sums are formed in place.

Shapes: B sentences, K hypotheses of each (the beam), S source positions, N nodes of the cache, h heads.
"""

import math
from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn import functional as F

from transformer.common.special_tokens import PAD
from transformer.decoding.linear import Linear
from transformer.decoding.prefix_tree import PrefixTree, aligned, kept
from transformer.model.attention import padding_mask
from transformer.model.layers import AddAndNorm, DecoderLayer
from transformer.model.precision import autocast_type
from transformer.model.transformer import Transformer, source_padding_mask


class IncrementalDecoder:
    """Decodes K hypotheses of each of B sentences, all at the same position.

    Matrix products run in the format that autocast has at the start; sums and norms stay in fp32.
    """

    def __init__(self, model: Transformer, source: Tensor, K: int) -> None:
        """Encode ``source``, padded token ids (B, S), and start K hypotheses of each sentence."""
        B, config, device = len(source), model.config, source.device
        dtype = autocast_type(device) or model.embedding.dtype
        self.model = model
        self.length = 0  # positions decoded so far
        self.words: Tensor | None = None  # (B * K, 1): numbers of the next words, if positions count them
        self.embedding = model.target_embedding.detach() * math.sqrt(config.d_model)
        self.embedding[PAD] = 0
        self.layers = [_Layer(layer, dtype) for layer in model.decoder]  # type: ignore[arg-type]
        self.output = Linear(model.softmax_matrix, None, dtype)
        self.tree = PrefixTree(config.N, B, K, config.h, config.d_k, config.d_v, dtype, device)
        extra = aligned(source.shape[1]) - source.shape[1]
        memory = F.pad(model.encode(source, source_padding_mask(source)), (0, 0, 0, extra))
        is_padding = F.pad(source, (0, extra), value=PAD) == PAD
        self.source_mask = padding_mask(is_padding, dtype)  # (B, 1, 1, S)
        # Keys and values of the encoder's output, (B, h, S, d_k) and (B, h, S, d_v), of each layer.
        self.memory = [layer.project_memory(memory) for layer in self.layers]

    def step(self, tokens: Tensor) -> Tensor:
        """Decode the next position: map the last token of each hypothesis (B, K) to the output (B, K, d_model)."""
        self.words = self.model.target_words(tokens.reshape(-1, 1), self.words)
        here = (self.length, self.length + 1)
        positions = (
            self.model.positions(*here) if self.words is None else self.model.positions(*here, self.words)
        )
        x = F.embedding(tokens, self.embedding)  # (B, K, d_model)
        x += positions if self.words is None else positions.view_as(x)
        self.length += 1
        mask = self.tree.add_nodes()
        with torch.autocast(x.device.type, enabled=False):
            for number, layer in enumerate(self.layers):
                query, key, value = layer.project(x)
                keys, values = self.tree.store(number, key, value)
                x = layer.after_self_attention(x, attend(query, keys, values, mask))
                x = layer.after_cross_attention(
                    x, attend(layer.query(x), *self.memory[number], self.source_mask)
                )
                x = layer.after_feed_forward(x)
        return x

    def logits(self, states: Tensor) -> Tensor:
        """Apply the pre-softmax linear map: (…, d_model) to (…, V), in fp32."""
        return self.output(states).float()

    def reorder(self, parents: Tensor) -> None:
        """Let hypothesis k of each sentence continue hypothesis ``parents[:, k]``; parents is (B, K)."""
        self.tree.reorder(parents)
        if self.words is not None:
            self.words = self.words.view_as(parents).gather(1, parents).view(-1, 1)

    def keep_sentences(self, stay: Sequence[int]) -> None:
        """Keep only sentence ``stay[i]`` as the new sentence i, for each i."""
        self.tree.keep_sentences(stay)
        self.memory = [(kept(K, stay), kept(V, stay)) for K, V in self.memory]
        self.source_mask = kept(self.source_mask, stay)
        if self.words is not None:
            self.words = kept(self.words.view(-1, self.tree.K), stay).view(-1, 1)


class _Layer:
    """The parts of a decoder layer, with weights in ``dtype``."""

    def __init__(self, layer: DecoderLayer, dtype: torch.dtype) -> None:
        own, cross, feed_forward = layer.self_attention, layer.cross_attention, layer.feed_forward
        self.h, self.own_widths, self.memory_widths = own.h, own.widths, cross.widths
        self.W_QKV, self.W_O = (Linear(map.weight, map.bias, dtype) for map in (own.W_QKV, own.W_O))
        self.W_Q, self.W_KV, self.W_O_cross = (
            Linear(map.weight, map.bias, dtype) for map in (cross.W_Q, cross.W_KV, cross.W_O)
        )
        self.W_1, self.W_2 = (
            Linear(map.weight, map.bias, dtype) for map in (feed_forward.W_1, feed_forward.W_2)
        )
        self.norms = (layer.after_self_attention, layer.after_cross_attention, layer.after_feed_forward)

    def split_heads(self, x: Tensor) -> Tensor:
        """View (B, T, h * d) as (B, h, T, d)."""
        return x.unflatten(-1, (self.h, -1)).transpose(1, 2)

    def project_memory(self, memory: Tensor) -> tuple[Tensor, Tensor]:
        """Map memory (B, S, d_model) to K (B, h, S, d_k) and V (B, h, S, d_v), each contiguous."""
        K, V = self.W_KV(memory).split(self.memory_widths, dim=-1)
        return self.split_heads(K).contiguous(), self.split_heads(V).contiguous()

    def project(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Map x (B, K, d_model) to the query, key and value of its positions, (B, h, K, d_k) and (B, h, K, d_v)."""
        Q, K, V = self.W_QKV(x).split(self.own_widths, dim=-1)
        return self.split_heads(Q), self.split_heads(K), self.split_heads(V)

    def query(self, x: Tensor) -> Tensor:
        """Map x (B, K, d_model) to the queries of the attention over the encoder's output, (B, h, K, d_k)."""
        return self.split_heads(self.W_Q(x))

    def after_self_attention(self, x: Tensor, heads: Tensor) -> Tensor:
        return add_and_norm(self.norms[0], x, self.W_O(heads))

    def after_cross_attention(self, x: Tensor, heads: Tensor) -> Tensor:
        return add_and_norm(self.norms[1], x, self.W_O_cross(heads))

    def after_feed_forward(self, x: Tensor) -> Tensor:
        return add_and_norm(self.norms[2], x, self.W_2(self.W_1(x).relu_()))


def add_and_norm(parts: AddAndNorm, x: Tensor, sublayer: Tensor) -> Tensor:
    """Return LayerNorm(x + sublayer), overwriting x."""
    x += sublayer
    return parts.norm(x)


def attend(Q: Tensor, K: Tensor, V: Tensor, mask: Tensor) -> Tensor:
    """Map Q (B, h, K, d_k), K (B, h, N, d_k) and V (B, h, N, d_v) to the heads side by side, (B, K, h * d_v).

    ``mask`` is added to the scores.  As in ``model/attention.py``, the fused kernel is the faster one on a GPU only.
    """
    if Q.device.type != "cpu":
        heads = F.scaled_dot_product_attention(Q, K, V, mask)
    else:
        scores = (Q * (1 / math.sqrt(Q.shape[-1]))) @ K.transpose(-2, -1)  # (B, h, K, N)
        scores += mask
        heads = scores.softmax(-1, dtype=torch.float32).to(V.dtype) @ V
    return heads.transpose(1, 2).flatten(2)
