"""Dropout (section 5.4), with masks that a CPU generates quickly."""

import torch
from torch import Tensor, nn


class Dropout(nn.Module):
    """Set each element to zero with probability ``p`` and scale the others by 1/(1-p), in training only.

    On a GPU this is torch's own dropout.  On a CPU, torch generates one 53-bit random number for each element
    in sequence, which takes longer than the layer itself.  Here one 64-bit random number serves four elements,
    16 bits each, so that ``p`` is accurate to 1/65536.
    """

    def __init__(self, p: float) -> None:
        super().__init__()
        self.p = p

    def forward(self, x: Tensor) -> Tensor:  # any shape
        if not self.training or self.p == 0:
            return x
        if x.device.type != "cpu":
            return nn.functional.dropout(x, self.p)
        bits = torch.empty((x.numel() + 3) // 4, dtype=torch.int64).random_(-(2**63), None)
        below = round(self.p * 65536) - 32768  # 16-bit numbers run from -32768 to 32767
        keep = (bits.view(torch.int16)[: x.numel()] >= below).view(x.shape)
        # Convert the mask once: a product with booleans would convert it here and again in the backward pass.
        return (x * keep.to(x.dtype)).mul_(1 / (1 - self.p))

    def extra_repr(self) -> str:
        return f"p={self.p}"
