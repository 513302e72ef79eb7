"""Dropout (section 5.4), with masks that belong to sentences rather than to batches.

The mask of a position depends on its sentence's key, on the position and on the place of the dropout in the model.  It
does not depend on padding or on the other sentences of a batch.  So a batch has the same gradient, up to the rounding
of sums, however it is divided among processes and micro-batches, and on a GPU as on a CPU.

Generating a random number for each element would take longer than the layers themselves.  Instead, each position picks
one row of a table of random masks, which a hash of 64-bit integers selects.
"""

from functools import lru_cache

import numpy as np
import torch
from torch import Tensor, nn

HEAD = 5_471  # the distance between the rows of two heads
ROWS = 1 << 14  # of the table; each position uses one of them at each place of the model
GOLDEN, FIRST, SECOND = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB  # as in splitmix64


def sentence_keys(seed: int, step: int, sentences: np.ndarray) -> np.ndarray:
    """Return a 64-bit key (B,) for each sentence of a batch, given as indices (B,) into the dataset."""
    with np.errstate(over="ignore"):
        x = sentences.astype(np.uint64) * np.uint64(GOLDEN) + np.uint64(
            (seed * FIRST + step * SECOND) % 2**64
        )
        x = (x ^ (x >> np.uint64(30))) * np.uint64(FIRST)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(SECOND)
        return (x ^ (x >> np.uint64(31))).astype(np.int64)


def mask_rows(keys: Tensor, length: int, places: int) -> Tensor:
    """Return the row of the mask table for each position of each sentence: keys (B,) to (places, B, length).

    The first index is the place of a Dropout in the model.
    """
    position = torch.arange(1, length + 1, device=keys.device) * _signed(GOLDEN)
    place = torch.arange(1, places + 1, device=keys.device) * _signed(SECOND)
    x = keys[:, None] + position
    x = (x ^ (x >> 30)) * _signed(FIRST)
    x = (x ^ (x >> 27)) + place[:, None, None]
    x = (x ^ (x >> 31)) * _signed(FIRST)
    return (x >> 48) & (ROWS - 1)


class Dropout(nn.Module):
    """Set each element to zero with probability ``p`` and scale the others by 1/(1-p).

    ``width`` is the last dimension of the input, or for attention weights the largest one before masks repeat.
    ``place`` is its number in its layer, which :func:`number_dropouts` sets.

    Only the threshold that stands for ``p`` is accurate to 1/65536.  Each column of the fixed table of masks has a rate
    of its own, which differs from ``p`` by up to 7%: for p = 0.1 and a width of 512, it is 0.0927 to 0.1065.
    """

    def __init__(self, p: float, width: int) -> None:
        super().__init__()
        self.p, self.width = p, width
        self.threshold = round(p * 65536)
        self.place = 0

    def forward(self, x: Tensor, noise: Tensor | None) -> Tensor:
        """Apply dropout to x (B, T, d), or to attention weights (B, h, T, …, S).

        ``noise`` (places, B, T) is its layer's part of :func:`mask_rows`.  Without it, as in evaluation, nothing is
        dropped.
        """
        if noise is None or self.p == 0:
            return x
        rows = noise[self.place]  # (B, T)
        if x.dim() > 3:  # each head uses other rows
            rows = (rows[:, None] + torch.arange(x.shape[1], device=x.device)[:, None] * HEAD) % ROWS
        look_up = _opaque_masks if torch.compiler.is_compiling() else _masks
        mask = look_up(rows.flatten(), self.threshold, self.width, x.shape[-1], x.dtype).view(x.shape)
        return (x * mask).mul_(1 / (1 - self.p))

    def extra_repr(self) -> str:
        return f"p={self.p}"


def number_dropouts(layer: nn.Module) -> int:
    """Give each Dropout of ``layer`` a number of its own, so that no two have the same masks; return their number."""
    dropouts = [module for module in layer.modules() if isinstance(module, Dropout)]
    for number, module in enumerate(dropouts):
        module.place = number
    return len(dropouts)


def _masks(rows: Tensor, threshold: int, width: int, length: int, dtype: torch.dtype) -> Tensor:
    """Return the first ``length`` numbers of the table's ``rows`` (n,), which repeat after ``width``: (n, length)."""
    table = _mask_table(threshold, width, dtype, rows.device)
    if length > width:
        table = table.repeat(1, -(-length // width))
    return table[:, :length].index_select(0, rows)


# torch.compile would look into the function and its cache, and split the layer there.  It leaves an operator alone.
_opaque_masks = torch.library.custom_op("attention_is_all_you_need::masks", _masks, mutates_args=())


@_opaque_masks.register_fake
def _(rows: Tensor, threshold: int, width: int, length: int, dtype: torch.dtype) -> Tensor:
    return rows.new_empty((rows.shape[0], length), dtype=dtype)  # len() would fix the number


@lru_cache(maxsize=16)
def _mask_table(threshold: int, width: int, dtype: torch.dtype, device: torch.device) -> Tensor:
    """Return (ROWS, width) numbers that are 0 with probability ``threshold`` / 65536 and otherwise 1."""
    numbers = np.random.default_rng(width).integers(1 << 16, size=(ROWS, width), dtype=np.uint16)
    return torch.from_numpy(numbers >= threshold).to(device, dtype)


def _signed(number: int) -> int:
    """Return the 64-bit number as torch's signed integer with the same bits."""
    return (number + 2**63) % 2**64 - 2**63
