"""Linear maps whose inputs have few different numbers of rows, for the sake of oneDNN.

On a CPU, oneDNN compiles a kernel for each new shape of a matrix product in 16 bits, which takes a millisecond and
more.  Batches have thousands of shapes, and so a small model would spend a fifth of its training on compiling.
"""

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from transformer.model.precision import autocast_type

SIZES_PER_DOUBLING = 16  # so that at most 6% of the rows are zeros, and 3% on average


class Linear(nn.Linear):
    """torch's linear map, computed with the rows of :func:`with_round_size`."""

    def forward(self, x: Tensor) -> Tensor:
        """Map x (…, d_in) to (…, d_out)."""
        dtype = autocast_type(x.device)
        # A compiled program is for any number of rows, and counting them would tie it to one.
        if x.device.type != "cpu" or dtype is None or torch.compiler.is_compiling():
            return super().forward(x)
        rows = x.to(dtype).flatten(0, -2)
        return super().forward(with_round_size(rows))[: len(rows)].view(*x.shape[:-1], -1)


def with_round_size(rows: Tensor) -> Tensor:
    """Append zeros to rows (n, d) until their number is a round one, if they are on a CPU and have 16 bits.

    A linear map of the result has the same gradient, except for the rounding of sums.
    """
    if rows.device.type != "cpu" or rows.element_size() != 2:
        return rows
    n = len(rows)
    return F.pad(rows, (0, 0, 0, round_up(n) - n))


def round_up(number: int) -> int:
    """Return the next number of those that divide the way between two powers of two into 16 equal steps."""
    step = max(1, 2 ** (number.bit_length() - 1) // SIZES_PER_DOUBLING)
    return -(-number // step) * step
