"""Decoding one position at a time, with the keys and values of earlier positions cached.

The layers are those of ``model/layers.py``, with weights that are prepared once for all searches and with a
self-attention that reads the cache.  All hypotheses of a sentence attend to its nodes in the cache and to the encoder's
output as if they were positions of one sentence.

Shapes: B sentences, K hypotheses of each (the beam), S source positions, N nodes of the cache, h heads.
"""

import math
from collections.abc import Sequence
from functools import partial

import torch
from torch import Tensor
from torch.nn import functional as F

from transformer.common.special_tokens import PAD
from transformer.decoding.packed_linear import PackedLinear, with_packed_weights
from transformer.decoding.prefix_tree import PrefixTree, aligned, kept
from transformer.model.attention import SelfAttention, padding_mask
from transformer.model.layers import DecoderLayer
from transformer.model.transformer import Transformer, source_padding_mask


class SearchModel:
    """A model whose weights are prepared for searches.

    Matrix products run in the format of the model's arithmetic; sums and norms stay in fp32.  What changes in the model
    later has no effect.
    """

    def __init__(self, model: Transformer) -> None:
        self.config, self.positions, self.arithmetic = model.config, model.positions, model.arithmetic
        self.device = model.embedding.device
        self.dtype = self.arithmetic.dtype or model.embedding.dtype
        self.packed = with_packed_weights(model, self.dtype)
        self.embedding = model.target_embedding.detach() * math.sqrt(model.config.d_model)
        self.embedding[PAD] = 0
        self.output = PackedLinear(model.softmax_matrix, None, self.dtype)


class IncrementalDecoder:
    """Decodes K hypotheses of each of B sentences, all at the same position."""

    def __init__(self, model: SearchModel, source: Tensor, K: int) -> None:
        """Encode ``source``, padded token ids (B, S), for K hypotheses of each sentence."""
        B, config, dtype = len(source), model.config, model.dtype
        self.model = model
        self.length = 0  # positions decoded so far
        self.words: Tensor | None = None  # (B * K, 1): numbers of the next words, if positions count them
        self.layers: list[DecoderLayer] = [*model.packed.decoder]
        self.tree = PrefixTree(config.N, B, K, config.h, config.d_k, config.d_v, dtype, source.device)
        extra = aligned(source.shape[1]) - source.shape[1]
        memory = F.pad(model.packed.encode(source, source_padding_mask(source)), (0, 0, 0, extra))
        is_padding = F.pad(source, (0, extra), value=PAD) == PAD
        self.source_mask = padding_mask(is_padding, dtype)  # (B, 1, 1, S)
        # Keys and values of the encoder's output, (B, h, S, d_k) and (B, h, S, d_v), of each layer.
        projected = (layer.cross_attention.project_memory(memory) for layer in self.layers)
        self.memory = [(K.contiguous(), V.contiguous()) for K, V in projected]

    def step(self, tokens: Tensor) -> Tensor:
        """Decode the next position: map the last token of each hypothesis (B, K) to the output (B, K, d_model).

        At the first position, where all hypotheses are the same, one token of each sentence (B, 1) is enough.
        """
        self.words = self.model.positions.count_target(tokens.reshape(-1, 1), self.words)
        positions = self.model.positions(self.length, self.length + 1, self.words)
        x = F.embedding(tokens, self.model.embedding)  # (B, K, d_model)
        x += positions if self.words is None else positions.view_as(x)
        self.length += 1
        mask = self.tree.add_nodes()[:, :, : tokens.shape[1]]
        with torch.autocast(x.device.type, enabled=False):
            for number, layer in enumerate(self.layers):
                attend = partial(self._attend_to_nodes, layer.self_attention, number)
                x = layer(x, self.memory[number], mask, self.source_mask, attend_to_target=attend)
        return x

    def _attend_to_nodes(
        self, attention: SelfAttention, number: int, x: Tensor, mask: Tensor | None, rows: None
    ) -> Tensor:
        query, key, value = attention.project(x)
        return attention.attend(query, *self.tree.store(number, key, value), mask)

    def logits(self, states: Tensor) -> Tensor:
        """Apply the pre-softmax linear map: (…, d_model) to (…, V), in fp32."""
        return self.model.output(states).float()

    def reorder(self, parents: Tensor) -> None:
        """Let hypothesis k of each sentence continue hypothesis ``parents[:, k]``; parents is (B, K)."""
        self.tree.reorder(parents)
        if self.words is not None:
            self.words = self.words.view(len(parents), -1).gather(1, parents).view(-1, 1)

    def keep_sentences(self, stay: Sequence[int]) -> None:
        """Keep only sentence ``stay[i]`` as the new sentence i, for each i."""
        self.tree.keep_sentences(stay)
        self.memory = [(kept(K, stay), kept(V, stay)) for K, V in self.memory]
        self.source_mask = kept(self.source_mask, stay)
        if self.words is not None:
            self.words = kept(self.words.view(-1, self.tree.K), stay).view(-1, 1)
