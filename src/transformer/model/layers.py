"""Sections 3.1 and 3.3: the feed-forward network, and the layers of both stacks."""

from collections.abc import Callable

import torch
from torch import Tensor, nn

from transformer.model.arithmetic import Linear
from transformer.model.attention import CrossAttention, SelfAttention
from transformer.model.dropout import Dropout
from transformer.model.layer_types import make_encoder_sublayer
from transformer.settings.run_settings import TransformerConfig

# Maps x (B, T, d_model), a mask and dropout_rows to (B, T, d_model).
Attend = Callable[[Tensor, Tensor | None, Tensor | None], Tensor]
LAYER_NORM_EPSILON = 1e-6  # from the 2017 code; the paper does not give it
ACTIVATIONS = {"relu": torch.relu, "gelu": nn.functional.gelu}  # GELU is exact: with erf, not with tanh


class FeedForward(nn.Module):
    """Equation (2): max(0, x W_1 + b_1) W_2 + b_2, the same at every position; or another function than the maximum."""

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.W_1 = Linear(config.d_model, config.d_ff)
        self.W_2 = Linear(config.d_ff, config.d_model)
        self.activation = ACTIVATIONS[config.activation]
        self.dropout = Dropout(config.relu_dropout, config.d_ff)

    def forward(self, x: Tensor, dropout_rows: Tensor | None = None) -> Tensor:
        """Map x (B, T, d_model) to (B, T, d_model); ``dropout_rows`` (dropouts, B, T) determines dropout."""
        return self.W_2(self.dropout(self.activation(self.W_1(x)), dropout_rows))


class AddAndNorm(nn.Module):
    """LayerNorm(x + Dropout(Sublayer(x))), the residual connection of sections 3.1 and 5.4."""

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(config.d_model, eps=LAYER_NORM_EPSILON)
        self.dropout = Dropout(config.dropout, config.d_model)

    def forward(self, x: Tensor, sublayer: Tensor, dropout_rows: Tensor | None = None) -> Tensor:
        """Map x and the sub-layer's output, both (B, T, d_model), to (B, T, d_model)."""
        return self.norm(self.dropout.add(x, sublayer, dropout_rows))


class EncoderLayer(nn.Module):
    """Self-attention, or the layer type that ``config.encoder_layer`` names; then the feed-forward network."""

    def __init__(self, config: TransformerConfig, number: int) -> None:
        super().__init__()
        self.self_attention = make_encoder_sublayer(config, number)
        self.feed_forward = FeedForward(config)
        self.after_attention = AddAndNorm(config)
        self.after_feed_forward = AddAndNorm(config)

    def forward(self, x: Tensor, source_mask: Tensor | None, dropout_rows: Tensor | None = None) -> Tensor:
        """Map x (B, S, d_model) to (B, S, d_model); ``dropout_rows`` (dropouts, B, S) determines dropout."""
        x = self.after_attention(x, self.self_attention(x, source_mask, dropout_rows), dropout_rows)
        return self.after_feed_forward(x, self.feed_forward(x, dropout_rows), dropout_rows)


class DecoderLayer(nn.Module):
    """Masked self-attention, attention over the encoder's output, then the feed-forward network."""

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.self_attention = SelfAttention(config)
        self.cross_attention = CrossAttention(config)
        self.feed_forward = FeedForward(config)
        self.after_self_attention = AddAndNorm(config)
        self.after_cross_attention = AddAndNorm(config)
        self.after_feed_forward = AddAndNorm(config)

    def forward(
        self,
        x: Tensor,
        memory: tuple[Tensor, Tensor],
        target_mask: Tensor | None,
        source_mask: Tensor | None,
        dropout_rows: Tensor | None = None,
        attend_to_target: Attend | None = None,
    ) -> Tensor:
        """Map x (B, T, d_model) to (B, T, d_model); ``dropout_rows`` is (dropouts, B, T).

        ``memory`` is the encoder's output as keys and values, :meth:`CrossAttention.project_memory`.  Beam search
        brings its own ``attend_to_target``, which has the keys and values of earlier positions.
        """
        attend_to_target = attend_to_target or self.self_attention
        x = self.after_self_attention(x, attend_to_target(x, target_mask, dropout_rows), dropout_rows)
        attended = self.cross_attention(x, *memory, source_mask, dropout_rows)
        x = self.after_cross_attention(x, attended, dropout_rows)
        return self.after_feed_forward(x, self.feed_forward(x, dropout_rows), dropout_rows)
