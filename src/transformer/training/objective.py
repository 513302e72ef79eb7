"""The training objective as one module, so that DistributedDataParallel sees a single forward pass."""

import torch
from torch import Tensor, nn

from transformer.common.special_tokens import PAD
from transformer.model.transformer import Transformer, shift_right
from transformer.training.loss import linear_cross_entropy


class Objective(nn.Module):
    """Label-smoothed cross-entropy (5.4) and negative log-likelihood of target sentences given source sentences."""

    def __init__(self, model: Transformer, label_smoothing: float) -> None:
        super().__init__()
        self.model = model
        self.label_smoothing = label_smoothing

    def forward(self, source: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
        """Map padded source (B, S) and target (B, T) to loss and likelihood, summed over all tokens except PAD."""
        states = self.model.decode(shift_right(target), self.model.encode(source), source)  # (B, T, d_model)
        real = target != PAD  # (B, T)
        weight: Tensor = self.model.softmax_matrix  # (V, d_model)
        if torch.is_autocast_enabled(source.device.type):
            weight = weight.to(torch.get_autocast_dtype(source.device.type))
        with torch.autocast(source.device.type, enabled=False):
            states = states[real].to(weight.dtype)  # (n, d_model)
            return linear_cross_entropy(states, weight, target[real], self.label_smoothing)
