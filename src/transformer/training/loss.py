"""Label-smoothed cross-entropy (section 5.4), computed together with the softmax's linear map.

The logits of a batch are by far its largest tensor: 25,000 target tokens × 37,000 entries × 4 bytes are
3.7 GB, written and read several times.  Here they exist for a few positions at a time, in the processor's
cache, and their gradient is computed at once, so that no logits are kept for the backward pass.
"""

import math
from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor, nn

from transformer.dataset.padding import Batch
from transformer.model.arithmetic import Arithmetic, autocast_type, with_round_size
from transformer.model.attention import padding_mask
from transformer.model.transformer import Transformer, shift_right

# Number of logits computed at a time, which fit into a part of a processor's cache or of a GPU's memory.
CHUNK_ELEMENTS = {"cpu": 1 << 21, "cuda": 1 << 28}


class Objective(nn.Module):
    """The loss as one module, so that DistributedDataParallel sees a single forward pass."""

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
                states.to(weight.dtype),
                weight,
                real_targets(batch),
                self.label_smoothing,
                self.model.arithmetic,
            )


def real_states(model: Transformer, batch: Batch) -> Tensor:
    """Return the decoder's output at the n real tokens of the targets: (n, d_model)."""
    # The layers' mask is converted once instead of in each of them.
    dtype = autocast_type(batch.source.device)
    mask = None if batch.is_padding is None else padding_mask(batch.is_padding, dtype)
    states = model.states(
        batch.source, shift_right(batch.target), mask, batch.dropout_keys
    )  # (B, T, d_model)
    return states.flatten(0, 1).index_select(0, batch.targets)


def real_targets(batch: Batch) -> Tensor:
    """Return the n real tokens of the targets, (n,)."""
    return batch.target.flatten().index_select(0, batch.targets)


class _LinearCrossEntropy(torch.autograd.Function):
    """The sum over positions of the cross-entropy of softmax(states · weight^T) against the smoothed targets.

    With ``off`` = ε/(V-1) and ``on`` = 1 - ε - off, the target distribution is ``off`` everywhere plus ``on``
    at the true entry, so the gradient of the logits is softmax - on·onehot - off.  The last term is a
    constant: it is applied to the results as a product of sums instead of being subtracted from every logit.
    """

    @staticmethod
    def forward(
        ctx: Any, states: Tensor, weight: Tensor, targets: Tensor, smoothing: float, arithmetic: Arithmetic
    ) -> Tensor:
        off = smoothing / (weight.shape[0] - 1)
        on = 1 - smoothing - off
        rows = rows_at_a_time(states, weight)
        grad_states = torch.empty_like(states)
        # Transposed: with fewer rows than columns, a part is a product whose result needs no copy.
        grad_weight = torch.zeros(weight.shape[::-1], dtype=torch.float32, device=weight.device)  # (d, V)
        loss = torch.zeros((), device=states.device)
        weight_sum = weight.float().sum(0)  # (d,)
        # (n, d), (n, 1), (n, d)
        parts = (states.split(rows), targets[:, None].split(rows), grad_states.split(rows))
        for x, y, grad_x in zip(*parts, strict=True):
            x = with_round_size(x)  # (m, d); the rows from n on are zeros
            logits = arithmetic.product(x, weight)  # (m, V)
            gradient = logits.softmax(1, dtype=torch.float32)
            log_p = _log_of_true(gradient, y)  # (n, 1)
            true = logits.gather(1, y).float()
            # Cross-entropy is logsumexp - Σ target·logit, since the targets sum to one.
            loss += ((true - log_p) - on * true).sum() - off * (x.float() @ weight_sum).sum()
            gradient.scatter_add_(1, y, torch.full_like(log_p, -on))
            gradient = gradient.to(states.dtype)
            grad_x.copy_(arithmetic.product(gradient, weight.T)[: len(y)] - off * weight_sum)
            grad_weight += arithmetic.product_of_columns(x, gradient)
        grad_weight -= (off * states.float().sum(0))[:, None]
        ctx.save_for_backward(grad_states, grad_weight.T.contiguous())
        ctx.weight_dtype = weight.dtype
        return loss

    @staticmethod
    def backward(ctx: Any, grad_loss: Tensor) -> tuple[Tensor, Tensor, None, None, None]:
        grad_states, grad_weight = ctx.saved_tensors
        return grad_states * grad_loss, (grad_weight * grad_loss).to(ctx.weight_dtype), None, None, None


def linear_cross_entropy(
    states: Tensor, weight: Tensor, targets: Tensor, smoothing: float, arithmetic: Arithmetic
) -> Tensor:
    """Return the summed loss of ``targets`` under softmax(states · weight^T).

    states (n, d) and weight (V, d) have the same dtype, targets (n,) is int64.  The loss spreads ``smoothing`` evenly
    over the V - 1 wrong entries, as the 2017 code did; torch's own label smoothing also gives the true entry a share.
    """
    return _LinearCrossEntropy.apply(states, weight, targets, smoothing, arithmetic)


def log_likelihoods(
    states: Tensor, weight: Tensor, targets: Tensor, arithmetic: Arithmetic
) -> Iterator[Tensor]:
    """Yield the log-likelihoods (m, 1) of ``targets`` (n,) under softmax(states · weight^T), in nats, part by part."""
    rows = rows_at_a_time(states, weight)
    for x, y in zip(states.split(rows), targets[:, None].split(rows), strict=True):
        yield _log_of_true(arithmetic.product(x, weight).softmax(1, dtype=torch.float32), y)


def rows_at_a_time(states: Tensor, weight: Tensor) -> int:
    """Return how many rows of states (n, d) are multiplied by weight (V, d) at a time.

    The parts are equal, except for the last: a short last part would have another number of rows in every batch.
    """
    most = max(1, CHUNK_ELEMENTS[states.device.type] // len(weight))
    parts = max(1, math.ceil(len(states) / most))
    return math.ceil(len(states) / parts)


def _log_of_true(probabilities: Tensor, targets: Tensor) -> Tensor:
    """Return the log-probability (n, 1) of each of targets (n, 1)."""
    # Probabilities below float32's range count as its smallest value; this affects reported numbers only.
    return probabilities.gather(1, targets).clamp_min(torch.finfo(torch.float32).tiny).log()
