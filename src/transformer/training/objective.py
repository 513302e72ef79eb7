"""The training objective as one module, so that DistributedDataParallel sees a single forward pass."""

import torch
from torch import Tensor, nn

from transformer.dataset.padding import Batch
from transformer.model.attention import padding_mask
from transformer.model.dropout import mask_rows
from transformer.model.precision import autocast_type
from transformer.model.transformer import Transformer, shift_right
from transformer.training.loss import linear_cross_entropy


class Objective(nn.Module):
    """Label-smoothed cross-entropy (5.4) of target sentences given source sentences."""

    def __init__(self, model: Transformer, label_smoothing: float) -> None:
        super().__init__()
        self.model = model
        self.label_smoothing = label_smoothing

    def forward(self, batch: Batch) -> Tensor:
        """Return the loss summed over all target tokens of the batch, a scalar."""
        states = real_states(self.model, batch)
        weight = self.model.softmax_matrix.to(autocast_type(states.device))  # (V, d_model)
        with torch.autocast(states.device.type, enabled=False):
            return linear_cross_entropy(
                states.to(weight.dtype), weight, real_targets(batch), self.label_smoothing
            )


def real_states(model: Transformer, batch: Batch) -> Tensor:
    """Return the decoder's output at the n real tokens of the targets: (n, d_model)."""
    # What all layers use is converted once instead of in each of them.
    dtype = autocast_type(batch.source.device)
    mask = None if batch.is_padding is None else padding_mask(batch.is_padding, dtype)
    source_noise = target_noise = None
    if batch.keys is not None:
        S, T = batch.source.shape[1], batch.target.shape[1]
        noise = mask_rows(batch.keys, max(S, T), model.places)
        # Compiled layers have another program for each kind of strides, so both are made alike.
        source_noise, target_noise = noise[..., :S].contiguous(), noise[..., :T].contiguous()
    memory = model.encode(batch.source, mask, source_noise).to(dtype)
    states: Tensor = model.decode(shift_right(batch.target), memory, mask, target_noise)  # (B, T, d_model)
    return states.flatten(0, 1).index_select(0, batch.targets)


def real_targets(batch: Batch) -> Tensor:
    """Return the n real tokens of the targets, (n,)."""
    return batch.target.flatten().index_select(0, batch.targets)
