"""Section 4: the layer types that the paper compares with self-attention, as sub-layers of the encoder.

All map (B, n, d_model) to (B, n, d_model) and take the mask of :func:`~transformer.model.attention.padding_mask`, and
the dropout_rows (dropouts, B, n) of dropout on attention weights, which only self-attention has.
Padding follows the last position of a sentence.  A sentence's output depends on neither padding nor other sentences.
"""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from transformer.model.attention import SelfAttention
from transformer.settings.run_settings import TransformerConfig


class Recurrent(nn.Module):
    """Two gated recurrent layers, each of half the width, one for each direction.

    Every output position depends on every input position, as in self-attention, but through up to n states.
    """

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.forwards = GatedRecurrence(config.d_model, config.d_model // 2)
        self.backwards = GatedRecurrence(config.d_model, config.d_model // 2)

    def forward(self, x: Tensor, mask: Tensor | None, dropout_rows: Tensor | None = None) -> Tensor:
        ahead = self.forwards(x, mask)  # (B, n, d_model / 2)
        back = self.backwards(x.flip(1), None if mask is None else mask.flip(-1)).flip(1)
        return torch.cat((ahead, back), -1)


class GatedRecurrence(nn.Module):
    """Gated recurrent units (reference [7] of the paper), from the first position to the last.

    With W x_t = (W_r x_t, W_z x_t, W_n x_t), likewise U h, and biases in both:

        r = sigmoid(W_r x_t + U_r h_{t-1})
        z = sigmoid(W_z x_t + U_z h_{t-1})
        h_t = (1 - z) tanh(W_n x_t + r U_n h_{t-1}) + z h_{t-1}
    """

    def __init__(self, d_in: int, d_state: int) -> None:
        super().__init__()
        self.W = nn.Linear(d_in, 3 * d_state)
        self.U = nn.Linear(d_state, 3 * d_state)

    def forward(self, x: Tensor, mask: Tensor | None) -> Tensor:
        """Map x (B, n, d_in) to (B, n, d_state); masked positions leave the state unchanged."""
        inputs = self.W(x)  # (B, n, 3 d_state), for all positions at once
        hidden = None if mask is None else mask[:, 0, 0, :, None].isneginf()  # (B, n, 1)
        h = x.new_zeros(len(x), self.U.in_features)
        states = []
        for t in range(x.shape[1]):
            W_r, W_z, W_n = inputs[:, t].chunk(3, -1)
            U_r, U_z, U_n = self.U(h).chunk(3, -1)
            z = (W_z + U_z).sigmoid()
            new = (W_n + (W_r + U_r).sigmoid() * U_n).tanh()
            new = new + z * (h - new)
            h = new if hidden is None else torch.where(hidden[:, t], h, new)
            states.append(h)
        return torch.stack(states, 1)


class Convolutional(nn.Module):
    """A convolution: each position sees k positions centred on itself, ``dilation`` apart."""

    def __init__(self, config: TransformerConfig, dilation: int) -> None:
        super().__init__()
        d, k = config.d_model, config.kernel_size
        self.kernel = nn.Conv1d(d, d, k, padding=dilation * (k // 2), dilation=dilation)

    def forward(self, x: Tensor, mask: Tensor | None, dropout_rows: Tensor | None = None) -> Tensor:
        if mask is not None:  # padding counts as zero, as positions past the ends do
            x = x.masked_fill(mask[:, 0, 0, :, None].isneginf(), 0)
        return self.kernel(x.transpose(1, 2)).transpose(1, 2)


class SeparableConvolution(nn.Module):
    """A convolution of each column by itself, as in :class:`Convolutional`, then a product that mixes the columns."""

    def __init__(self, config: TransformerConfig, dilation: int) -> None:
        super().__init__()
        d, k = config.d_model, config.kernel_size
        self.kernel = nn.Conv1d(d, d, k, padding=dilation * (k // 2), dilation=dilation, groups=d, bias=False)
        self.W = nn.Linear(d, d)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        """Map x (B, n, d_model) to (B, n, d_model); there is no mask, since only Table 1 uses this layer."""
        return self.W(self.kernel(x.transpose(1, 2)).transpose(1, 2))


class RestrictedSelfAttention(SelfAttention):
    """Self-attention in which a position attends only to the r positions centred on itself.

    Only these scores are computed, so that the number of operations grows with r n and not with n².
    """

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__(config)
        self.r = config.window_size

    def forward(self, x: Tensor, mask: Tensor | None, dropout_rows: Tensor | None = None) -> Tensor:
        Q, K, V = self.project(x)
        mask = self.window_mask(x, mask)
        return self.attend(Q[..., None, :], self.windows(K), self.windows(V), mask, dropout_rows)

    def windows(self, x: Tensor) -> Tensor:
        """Return the r positions centred on each position, zero past the ends: (B, h, n, d) to (B, h, n, r, d)."""
        side = self.r // 2
        return F.pad(x, (0, 0, side, side)).unfold(2, self.r, 1).transpose(-2, -1)

    def window_mask(self, x: Tensor, mask: Tensor | None) -> Tensor:
        """Return the mask (B or 1, 1, n, 1, r) that hides positions past the ends and padding."""
        side = self.r // 2
        row = x.new_zeros(1, x.shape[1]) if mask is None else mask[:, 0, 0]  # (B or 1, n)
        windows = F.pad(row, (side, side), value=-math.inf).unfold(1, self.r, 1).clone()  # (B or 1, n, r)
        windows[..., side] = 0  # padding attends to itself: a softmax over nothing would be NaN
        return windows[:, None, :, None]


def dilation_of(config: TransformerConfig, number: int) -> int:
    """Return the dilation of the convolution in layer ``number`` (from 0).

    It is (k + 1) / 2 times that of the layer below; for k = 3 it doubles, as in ByteNet (reference [18]).  The number
    of layers that connects any two of n positions then grows with log(n).  With a factor of k, some positions near the
    ends would never be connected.
    """
    return int(((config.kernel_size + 1) // 2) ** number)


def make_encoder_sublayer(config: TransformerConfig, number: int) -> nn.Module:
    """Return the first sub-layer of the encoder's layer ``number`` (from 0): self-attention or another layer type."""
    match config.encoder_layer:
        case "self-attention":
            return SelfAttention(config)
        case "recurrent":
            return Recurrent(config)
        case "convolutional":
            return Convolutional(config, dilation_of(config, number))
        case "restricted":
            return RestrictedSelfAttention(config)
