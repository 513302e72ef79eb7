"""Linear maps whose weights are prepared once for many searches: converted to the format of products, and packed.

On a CPU, torch multiplies fp32 matrices by MKL, which leaves half of the vector units of AMD's processors unused.
oneDNN uses them: 436 instead of 190 GFLOP/s on two cores of an EPYC with AVX-512 (docs/notes/performance.md).  torch
has its linear map, but for fp32 only as the operator that torch.compile generates.
"""

import copy

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from transformer.model.arithmetic import Linear
from transformer.model.transformer import Transformer


class PackedLinear(nn.Module):
    """x W^T + b for an x of any leading dimensions, in ``dtype``."""

    def __init__(self, weight: Tensor, bias: Tensor | None, dtype: torch.dtype) -> None:
        super().__init__()
        self.weight = weight.detach().to(dtype)  # (d_out, d_in)
        self.bias = None if bias is None else bias.detach().to(dtype)
        self.dtype = dtype
        self.packed = weight.device.type == "cpu" and _onednn_has(dtype)
        if self.packed:
            self.weight = torch.ops.mkldnn._reorder_linear_weight(self.weight)

    def forward(self, x: Tensor) -> Tensor:
        """Map x (…, d_in), of any format, to (…, d_out)."""
        x = x.to(self.dtype)
        if self.packed:
            return torch.ops.mkldnn._linear_pointwise(x, self.weight, self.bias, "none", [], "")
        return F.linear(x, self.weight, self.bias)


def with_packed_weights(model: Transformer, dtype: torch.dtype) -> Transformer:
    """Return a copy of ``model`` whose linear maps are packed, in ``dtype``."""
    packed = copy.deepcopy(model)
    for parent in [*packed.modules()]:
        for name, part in parent.named_children():
            if isinstance(part, Linear):
                setattr(parent, name, PackedLinear(part.weight, part.bias, dtype))
    return packed


def _onednn_has(dtype: torch.dtype) -> bool:
    """Return whether this processor's oneDNN has a linear map for ``dtype``, and this torch has an operator for it."""
    operators = torch.ops.mkldnn
    if not hasattr(operators, "_linear_pointwise"):
        return False
    # oneDNN takes FMA for granted where there is AVX2, and would end with an illegal instruction.
    capabilities = torch.cpu.get_capabilities()
    if capabilities.get("avx2") and not capabilities.get("fma3"):
        return False
    if dtype == torch.bfloat16:
        return bool(operators._is_mkldnn_bf16_supported())
    return dtype == torch.float32
