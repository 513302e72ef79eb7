"""What is in the model only because it is fast on a CPU: a linear map and a softmax of padded rows.

On a CPU, oneDNN compiles a kernel for each new shape of a matrix product in 16 bits, which takes a millisecond and
more.  Batches have thousands of shapes, and so a small model would spend a fifth of its training on compiling.
"""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from transformer.model.numerics import autocast_type, is_portable
from transformer.model.portable_products import linear

SIZES_PER_DOUBLING = 16  # so that at most 6% of the rows are zeros, and 3% on average
REGISTER = 16  # fp32 numbers in a CPU's widest vector register


class RoundedLinear(nn.Linear):
    """torch's linear map, computed with the rows of :func:`with_round_size`."""

    def forward(self, x: Tensor) -> Tensor:
        """Map x (…, d_in) to (…, d_out)."""
        dtype = autocast_type(x.device)
        if x.device.type != "cpu":
            return super().forward(x)
        if dtype is None:
            if not is_portable():
                return super().forward(x)
            return linear(x.flatten(0, -2), self.weight, self.bias).view(*x.shape[:-1], -1)
        rows = x.to(dtype).flatten(0, -2)
        return super().forward(with_round_size(rows))[: len(rows)].view(*x.shape[:-1], -1)


def with_round_size(rows: Tensor) -> Tensor:
    """Append zeros to rows (n, d) until their number is a round one, if they are on a CPU and have 16 bits."""
    if rows.device.type != "cpu" or rows.element_size() != 2:
        return rows
    n = len(rows)
    return F.pad(rows, (0, 0, 0, round_up(n) - n))


def round_up(number: int) -> int:
    """Return the next number of those that divide the way between two powers of two into 16 equal steps."""
    step = max(1, 2 ** (number.bit_length() - 1) // SIZES_PER_DOUBLING)
    return -(-number // step) * step


def softmax(scores: Tensor) -> Tensor:
    """Return the softmax over the last dimension in the dtype of ``scores``, computed in fp32 or finer.

    Short rows are padded to 16 numbers, or to 8 in portable numerics: torch computes rows that are shorter than a
    vector register one number at a time, which takes up to seven times as long.
    """
    S = scores.shape[-1]
    register = REGISTER // 2 if is_portable() else REGISTER
    if register > S:
        scores = F.pad(scores, (0, register - S), value=-math.inf)
    exact = torch.promote_types(scores.dtype, torch.float32)
    return scores.softmax(-1, dtype=exact)[..., :S].to(scores.dtype)
