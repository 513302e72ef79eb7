"""Dropout (section 5.4), with masks that belong to sentences rather than to batches.

The mask of a position depends on its sentence's key, on the position and on the number of the dropout in the model.  It
does not depend on padding or on the other sentences of a batch.  So a batch has the same gradient, up to the rounding
of sums, however it is divided among processes and micro-batches, and on a GPU as on a CPU.

A hash of 64-bit integers gives each position a row, of 16,384.  The number of (row, column) is a mix of integers, which
takes every value once in each column: p of the rows are zero there, exactly.
"""

from functools import lru_cache

import numpy as np
import torch
from torch import Tensor, nn

HEAD = 5_471  # the distance between the rows of two heads
ROWS = 1 << 14  # each position uses one of them for each dropout of the model
GOLDEN, FIRST, SECOND = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB  # as in splitmix64


def sentence_keys(seed: int, step: int, sentences: np.ndarray) -> np.ndarray:
    """Return a 64-bit key (B,) for each sentence of a batch, given as indices (B,) into the dataset."""
    x = sentences.astype(np.uint64) * np.uint64(GOLDEN)
    return _hash(x + np.uint64((seed * FIRST + step * SECOND) % 2**64)).astype(np.int64)


def mask_rows(keys: Tensor, length: int, dropouts: int) -> Tensor:
    """Return the row of the mask table for each position of each sentence: keys (B,) to (dropouts, B, length).

    The first index is the number of a Dropout in the model.
    """
    position = torch.arange(1, length + 1, device=keys.device) * _signed(GOLDEN)
    number = torch.arange(1, dropouts + 1, device=keys.device) * _signed(SECOND)
    x = keys[:, None] + position
    x = (x ^ (x >> 30)) * _signed(FIRST)
    x = (x ^ (x >> 27)) + number[:, None, None]
    x = (x ^ (x >> 31)) * _signed(FIRST)
    return (x >> 48) & (ROWS - 1)


class Dropout(nn.Module):
    """Set each element to zero with probability ``p`` and scale the others by 1/(1-p).

    ``p`` is rounded to a multiple of 1/16384.  ``width`` is the last dimension of the input, or for attention weights
    the largest one before masks repeat.  ``number`` is its own in its layer, which :func:`number_dropouts` sets.
    """

    def __init__(self, p: float, width: int) -> None:
        super().__init__()
        self.p, self.width = p, width
        self.threshold = round(p * ROWS)
        self.scale = 1 / (1 - p)
        self.number = 0

    def forward(self, x: Tensor, dropout_rows: Tensor | None) -> Tensor:
        """Apply dropout to x (B, T, d), or to attention weights (B, h, T, …, S).

        ``dropout_rows`` (dropouts, B, T) is its layer's part of :func:`mask_rows`.  Without it, as in evaluation,
        nothing is dropped.
        """
        if dropout_rows is None or self.p == 0:
            return x
        return (x * self.mask(x, dropout_rows)).mul_(self.scale)

    def add(self, x: Tensor, y: Tensor, dropout_rows: Tensor | None) -> Tensor:
        """Return x + Dropout(y), both (B, T, d)."""
        if dropout_rows is None or self.p == 0:
            return x + y
        return torch.addcmul(x, y, self.mask(y, dropout_rows), value=self.scale)

    def mask(self, x: Tensor, dropout_rows: Tensor) -> Tensor:
        """Return 0 for each element of ``x`` that is dropped, and 1 for the others."""
        rows = dropout_rows[self.number]  # (B, T)
        if x.dim() > 3:  # each head uses other rows
            rows = (rows[:, None] + torch.arange(x.shape[1], device=x.device)[:, None] * HEAD) % ROWS
        rows, length = rows.flatten(), x.shape[-1]
        table = _mask_table(self.threshold, self.width, x.dtype, x.device)
        return _repeated(table, length).index_select(0, rows).view(x.shape)

    def extra_repr(self) -> str:
        return f"p={self.p}"


def number_dropouts(layer: nn.Module) -> int:
    """Give each Dropout of ``layer`` a number of its own, so that no two have the same masks; return their number."""
    dropouts = [module for module in layer.modules() if isinstance(module, Dropout)]
    for number, module in enumerate(dropouts):
        module.number = number
    return len(dropouts)


def column_codes(width: int) -> Tensor:
    """Return the code of each column, (width,): 28 random bits."""
    columns = np.arange(1, width + 1, dtype=np.uint64) * np.uint64(GOLDEN)
    return torch.from_numpy((_hash(columns) >> np.uint64(36)).astype(np.int32))


def _mask(rows: Tensor, threshold: int, codes: Tensor) -> Tensor:
    """Return whether elements are kept: rows (n,) and the codes (d,) of columns to (n, d).

    Each operation has a different result for each of the 16,384 numbers, so a column has each of them once.
    """
    last = ROWS - 1
    x = rows.int()[:, None] ^ (codes & last)
    for factor in (11573, codes >> 14 | 1, 9041):  # odd numbers
        x = x * factor & last
        x = x ^ (x >> 7)
    return x >= threshold


@lru_cache(maxsize=16)
def _mask_table(threshold: int, width: int, dtype: torch.dtype, device: torch.device) -> Tensor:
    """Return the masks of all rows, (ROWS, width): 0 for what is dropped and 1 for what is kept."""
    return _mask(torch.arange(ROWS), threshold, column_codes(width)).to(device, dtype)


def _repeated(columns: Tensor, length: int) -> Tensor:
    """Return the first ``length`` of (…, width) columns, which repeat after ``width``."""
    width = columns.shape[-1]
    if length > width:
        columns = torch.cat([columns] * -(-length // width), -1)
    return columns[..., :length]


def _hash(x: np.ndarray) -> np.ndarray:
    """Return a hash of each 64-bit number: the function of splitmix64."""
    with np.errstate(over="ignore"):
        x = (x ^ (x >> np.uint64(30))) * np.uint64(FIRST)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(SECOND)
        return x ^ (x >> np.uint64(31))


def _signed(number: int) -> int:
    """Return the 64-bit number as torch's signed integer with the same bits."""
    return (number + 2**63) % 2**64 - 2**63
