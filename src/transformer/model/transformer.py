"""Section 3: the Transformer.

Read ``attention.py`` (3.2), ``layers.py`` (3.1, 3.3) and ``positions.py`` (3.5) first, then this file.
``layer_types.py`` holds the layer types that section 4 compares with self-attention.
Shapes: B sentences, S source positions, T target positions, V vocabulary entries.

PAD's embedding is the zero vector.  PAD is also the decoder's first input, as in the 2017 code.
"""

import math
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from transformer.common.special_tokens import PAD
from transformer.model.arithmetic import FP32, Arithmetic, Linear, autocast_type, resolve_numerics
from transformer.model.attention import MultiHeadAttention, causal_mask, padding_mask
from transformer.model.dropout import Dropout, mask_rows, number_dropouts
from transformer.model.layers import DecoderLayer, EncoderLayer
from transformer.model.positions import (
    LearnedPositions,
    Positions,
    SinusoidalPositions,
    WordPositions,
    sinusoids_in_halves,
)
from transformer.settings.run_settings import TARGET_SPACES, Numerics, TransformerConfig


class Transformer(nn.Module):
    """An encoder stack, a decoder stack, and one matrix for both embeddings and the softmax (3.4).

    If the target has a vocabulary of its own, a second matrix serves its embedding and the softmax; with
    ``tied_softmax: false``, the softmax has one more.  It computes in fp32 until it is told to do so otherwise.
    """

    arithmetic = FP32

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.config = config
        self.embedding = nn.Parameter(torch.empty(config.embedding_rows, config.d_model))
        self.own_target_embedding = own_matrix(config.target_vocab_size, config)
        self.target_space = own_matrix(TARGET_SPACES if config.target_space else None, config)
        self.own_softmax = own_matrix(None if config.tied_softmax else config.output_size, config)
        self.positions = make_positions(config)
        self.source_dropout = Dropout(config.dropout, config.d_model)
        self.target_dropout = Dropout(config.dropout, config.d_model)
        self.encoder = nn.ModuleList(EncoderLayer(config, number) for number in range(config.N))
        self.decoder = nn.ModuleList(DecoderLayer(config) for _ in range(config.N))
        self.target_dropout.number = 1
        self.dropouts = 2  # their number in the whole model
        # Each layer counts its own from 0, and is given its own part of the rows of masks.
        self.dropouts_of_layers: list[slice] = []
        for layer in (*self.encoder, *self.decoder):
            first, self.dropouts = self.dropouts, self.dropouts + number_dropouts(layer)
            self.dropouts_of_layers.append(slice(first, self.dropouts))
        self.initialise()

    def compute_with(self, numerics: Numerics) -> None:
        """Compute with ``numerics`` on the device where the model is, in all its parts."""
        self.arithmetic = Arithmetic(resolve_numerics(numerics, self.embedding.device))
        for part in self.modules():
            if isinstance(part, Linear | MultiHeadAttention):
                part.arithmetic = self.arithmetic

    def initialise(self) -> None:
        """Initialise as the 2017 code did: embeddings N(0, 1/d_model), other matrices Glorot uniform, biases 0."""
        nn.init.normal_(self.embedding, std=self.config.d_model**-0.5)
        if self.own_target_embedding is not None:
            nn.init.normal_(self.own_target_embedding, std=self.config.d_model**-0.5)
        if self.target_space is not None:
            nn.init.xavier_uniform_(self.target_space)
        for module in self.modules():
            if isinstance(module, nn.Linear | nn.Conv1d):
                nn.init.xavier_uniform_(module.weight)
                if module.bias is not None:
                    nn.init.zeros_(module.bias)
        if self.own_softmax is not None:
            nn.init.normal_(self.own_softmax, std=self.config.d_model**-0.5)

    @property
    def target_embedding(self) -> Tensor:
        """The matrix of the target's embeddings, (V, d_model)."""
        return self.embedding if self.own_target_embedding is None else self.own_target_embedding

    @property
    def softmax_matrix(self) -> Tensor:
        """The matrix of the pre-softmax linear map, (V, d_model)."""
        return self.target_embedding if self.own_softmax is None else self.own_softmax

    def embed(self, tokens: Tensor, embedding: Tensor, words: Tensor | None = None) -> Tensor:
        """Return embeddings times sqrt(d_model) (3.4) plus positional encodings (3.5): (B, T) to (B, T, d_model).

        ``words`` (B, T) are the numbers of the words, if the positions count them.
        """
        x = F.embedding(tokens, embedding) * math.sqrt(self.config.d_model)
        x = x.masked_fill((tokens == PAD)[..., None], 0)
        return x + self.positions(0, tokens.shape[-1], words)

    def encode(
        self, source: Tensor, source_mask: Tensor | None, dropout_rows: Tensor | None = None
    ) -> Tensor:
        """Return the encoder's output for source (B, S): (B, S, d_model).

        ``source_mask`` is that of :func:`source_padding_mask`.  ``dropout_rows`` (dropouts, B, S) of
        :func:`~transformer.model.dropout.mask_rows` determines dropout; without it, nothing is dropped.
        """
        x = self.embed(source, self.embedding, self.positions.count_source(source))
        if self.target_space is not None:
            x = x + self.target_space[0]  # as in the 2017 code, at every position
        x = self.source_dropout(x, dropout_rows)
        for layer, part in zip(self.encoder, self.dropouts_of_layers, strict=False):
            x = layer(x, source_mask, None if dropout_rows is None else dropout_rows[part])
        return x

    def decode(
        self,
        target_input: Tensor,
        memory: Tensor,
        source_mask: Tensor | None,
        dropout_rows: Tensor | None = None,
    ) -> Tensor:
        """Return the decoder's output (B, T, d_model) at every position of target_input (B, T) at once.

        ``target_input`` is the target shifted right by one (see :func:`shift_right`).  Its padding needs no mask:
        it follows the last real token, so the causal mask hides it from every position that counts.
        """
        target_mask = causal_mask(target_input.shape[1], target_input.device)
        x = self.embed(target_input, self.target_embedding, self.positions.count_target(target_input))
        x = self.target_dropout(x, dropout_rows)
        layers: Any = self.decoder
        for layer, part in zip(layers, self.dropouts_of_layers[self.config.N :], strict=False):
            rows = None if dropout_rows is None else dropout_rows[part]
            x = layer(x, layer.cross_attention.project_memory(memory), target_mask, source_mask, rows)
        return x

    def logits(self, states: Tensor) -> Tensor:
        """Apply the pre-softmax linear map, by default the embeddings' matrix (3.4): (…, d_model) to (…, V)."""
        return F.linear(states, self.softmax_matrix)

    def states(
        self,
        source: Tensor,
        target_input: Tensor,
        source_mask: Tensor | None,
        dropout_keys: Tensor | None = None,
    ) -> Tensor:
        """Map source (B, S) and shifted target (B, T) to the decoder's output (B, T, d_model).

        ``source_mask`` is that of :func:`source_padding_mask`.  ``dropout_keys`` (B,), a number for each sentence,
        determine what is dropped; without them, nothing is.
        """
        source_rows = target_rows = None
        if dropout_keys is not None:
            S, T = source.shape[1], target_input.shape[1]
            dropout_rows = mask_rows(dropout_keys, max(S, T), self.dropouts)
            source_rows, target_rows = dropout_rows[..., :S], dropout_rows[..., :T]
        memory = self.encode(source, source_mask, source_rows)
        # What all layers use is converted once instead of in each of them.
        return self.decode(target_input, memory.to(autocast_type(memory.device)), source_mask, target_rows)

    def forward(self, source: Tensor, target_input: Tensor) -> Tensor:
        """Map source (B, S) and shifted target (B, T) to logits (B, T, V)."""
        return self.logits(self.states(source, target_input, source_padding_mask(source)))


def own_matrix(rows: int | None, config: TransformerConfig) -> nn.Parameter | None:
    """Return a matrix (rows, d_model), which is not initialised yet; None without rows."""
    return None if rows is None else nn.Parameter(torch.empty(rows, config.d_model))


def make_positions(config: TransformerConfig) -> Positions:
    """Return the positional encodings that ``config`` names."""
    if config.positions == "sinusoidal":
        return SinusoidalPositions(config.d_model)
    if config.positions == "halves":
        return SinusoidalPositions(config.d_model, formula=sinusoids_in_halves)
    if config.positions == "learned":
        return LearnedPositions(config.d_model, config.max_length)
    return WordPositions(config.d_model, config.vocab_size, config.target_entries)


def source_padding_mask(source: Tensor) -> Tensor | None:
    """Return the mask (B, 1, 1, S) that hides the padding of source (B, S); None if a CPU finds none."""
    # On a GPU, asking whether there is any would make the program wait.
    is_padding = source == PAD
    return padding_mask(is_padding) if source.device.type != "cpu" or is_padding.any() else None


def shift_right(target: Tensor) -> Tensor:
    """Offset the target by one position (3.1): drop the last column and put PAD before the first; (B, T)."""
    return F.pad(target[:, :-1], (1, 0), value=PAD)


def parameter_count(model: nn.Module) -> int:
    """Return the number of trained parameters; a matrix that is used in two places counts once."""
    return sum(parameter.numel() for parameter in model.parameters())
