"""Section 3.5: positional encodings."""

import torch
from torch import Tensor, nn


def sinusoids(length: int, d_model: int) -> Tensor:
    """The table of section 3.5: PE(pos, 2i) = sin(pos / 10000^(2i/d_model)), PE(pos, 2i+1) the cosine.

    Returns (length, d_model) in float32, computed in float64: the angle of a late position would lose
    its fractional part otherwise.
    """
    position = torch.arange(length, dtype=torch.float64)[:, None]  # (length, 1)
    even = torch.arange(0, d_model, 2, dtype=torch.float64)  # 2i
    angle = position / 10000 ** (even / d_model)  # (length, d_model / 2)
    return torch.stack((angle.sin(), angle.cos()), dim=-1).flatten(1).float()


class SinusoidalPositions(nn.Module):
    """Fixed encodings; the table grows when a longer sentence comes, and is in no checkpoint."""

    table: Tensor

    def __init__(self, d_model: int, length: int = 256) -> None:
        super().__init__()
        self.register_buffer("table", sinusoids(length, d_model), persistent=False)

    def forward(self, start: int, end: int) -> Tensor:
        """The encodings of positions ``start`` to ``end`` - 1: (end - start, d_model)."""
        if end > len(self.table):
            self.table = sinusoids(max(end, 2 * len(self.table)), self.table.shape[1]).to(self.table.device)
        return self.table[start:end]


class LearnedPositions(nn.Module):
    """Learned encodings, row (E) of Table 3; positions past the table use its last row."""

    def __init__(self, d_model: int, length: int) -> None:
        super().__init__()
        self.table = nn.Parameter(torch.empty(length, d_model))
        nn.init.normal_(self.table, std=d_model**-0.5)

    def forward(self, start: int, end: int) -> Tensor:
        """The encodings of positions ``start`` to ``end`` - 1: (end - start, d_model)."""
        if end <= len(self.table):
            return self.table[start:end]
        rows = torch.arange(start, end, device=self.table.device).clamp(max=len(self.table) - 1)
        return self.table[rows]
