"""Products with weights for portable numerics: by oneDNN, forwards and backwards.

With AVX2, oneDNN's linear map has the same bits on every processor and is as fast as MKL's.  torch has it for fp32 only
as the operator that torch.compile generates, which has no gradient.
"""

from typing import Any

import torch
from torch import Tensor


def product(x: Tensor, W: Tensor, b: Tensor | None = None) -> Tensor:
    """Return x W^T + b for x (n, d_in), W (d_out, d_in) of any strides, and b (d_out,): (n, d_out)."""
    result: Tensor = torch.ops.mkldnn._linear_pointwise.default(x, W, b, "none", [], "")
    return result


def linear(x: Tensor, W: Tensor, b: Tensor | None = None) -> Tensor:
    """Return :func:`product`, with a gradient."""
    return _Linear.apply(x, W, b)


def product_of_columns(a: Tensor, b: Tensor) -> Tensor:
    """Return a^T b for a (n, i) and b (n, j): (i, j)."""
    n, i, j = *a.shape, b.shape[1]
    # The operator makes its first factor contiguous.  Either that is a, or b and then the result as well.
    return product(a.T, b.T) if n * i <= (n + i) * j else product(b.T, a.T).T.contiguous()


class _Linear(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, W: Tensor, b: Tensor | None) -> Tensor:
        ctx.save_for_backward(x, W)
        ctx.has_bias = b is not None
        return product(x, W, b)

    @staticmethod
    def backward(ctx: Any, grad_y: Tensor) -> tuple[Tensor, Tensor, Tensor | None]:
        x, W = ctx.saved_tensors
        grad_b = grad_y.sum(0) if ctx.has_bias else None
        return product(grad_y, W.T), product_of_columns(grad_y, x), grad_b
