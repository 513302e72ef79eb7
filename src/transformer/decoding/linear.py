"""Linear maps whose weights are prepared once for a search: converted to the format of its matrix products, and packed.

On a CPU, torch multiplies fp32 matrices by MKL, which leaves half of the vector units of AMD's processors unused.
oneDNN uses them: 400 instead of 175 GFLOP/s on two cores of an EPYC with AVX-512.  torch has its linear map, but for
fp32 only as the operator that torch.compile generates.
"""

import torch
from torch import Tensor
from torch.nn import functional as F


class Linear:
    """x W^T + b for an x of any leading dimensions, in ``dtype``."""

    def __init__(self, weight: Tensor, bias: Tensor | None, dtype: torch.dtype) -> None:
        self.weight = weight.detach().to(dtype)  # (d_out, d_in)
        self.bias = None if bias is None else bias.detach().to(dtype)
        self.dtype = dtype
        self.packed = weight.device.type == "cpu" and hasattr(torch.ops.mkldnn, "_linear_pointwise")
        if self.packed:
            self.weight = torch.ops.mkldnn._reorder_linear_weight(self.weight)

    def __call__(self, x: Tensor) -> Tensor:
        """Map x (…, d_in), of any format, to (…, d_out)."""
        x = x.to(self.dtype)
        if self.packed:
            return torch.ops.mkldnn._linear_pointwise(x, self.weight, self.bias, "none", [], "")
        return F.linear(x, self.weight, self.bias)
