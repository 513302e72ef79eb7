"""How a model computes: the format of its matrix products, and whether every processor rounds them alike.

A model holds one :class:`Arithmetic` and hands it to its linear maps, its attention and its loss, which ask it for
every product with weights and every softmax.

``portable`` arithmetic has the same bits on every x86-64 processor with AVX2 and FMA.  It is fp32, on the CPU; products
with weights go through oneDNN (``portable_products.py``).  Other products and functions are those of torch and MKL,
which variables of the environment limit (``portable.py``).  docs/protocol.md says what is promised.

On a CPU, oneDNN compiles a kernel for each new shape of a matrix product in 16 bits, which takes a millisecond and
more.  Batches have thousands of shapes, and so a small model would spend a fifth of its training on compiling.  So the
numbers of rows are rounded up (:func:`with_round_size`).
"""

import contextlib
import math
import os
import sys
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from transformer.common.notes import say
from transformer.model.portable import LIMITS
from transformer.model.portable_products import linear, product, product_of_columns
from transformer.settings.run_settings import Numerics

Precision = Literal["portable", "fp32", "bf16"]

# Values of oneDNN's variable ONEDNN_MAX_CPU_ISA that leave it without instructions for bf16.
WITHOUT_BF16 = {"SSE41", "AVX", "AVX2", "AVX2_VNNI", "AVX2_VNNI_2", "AVX512_CORE", "AVX512_CORE_VNNI"}
WITHOUT_AVX2 = (
    "this processor is not an x86-64 with AVX2 and FMA: computing in fp32, whose numbers are not those of other "
    "processors bit for bit"
)
NOT_LIMITED = (
    "this process was started without the variables of portable numerics, so that the last bits of its results may "
    f"differ from those of other processors; start it with {' '.join(f'{key}={LIMITS[key]}' for key in LIMITS)}"
)
SIZES_PER_DOUBLING = 16  # so that at most 6% of the rows are zeros, and 3% on average
REGISTER = 16  # fp32 numbers in a CPU's widest vector register


@dataclass(frozen=True)
class Arithmetic:
    """How the products, the softmax and the loss of a model are computed."""

    precision: Precision

    @property
    def portable(self) -> bool:
        """Whether the result has the same bits on every x86-64 processor with AVX2 and FMA."""
        return self.precision == "portable"

    @property
    def dtype(self) -> torch.dtype | None:
        """The format of matrix products if it has 16 bits, and else None: that of the weights."""
        return torch.bfloat16 if self.precision == "bf16" else None

    def autocast(self, device: torch.device) -> contextlib.AbstractContextManager[object]:
        """Return a context in which matrix products run in 16 bits if the precision has these.

        Weights and sums stay in fp32, and so does everything outside such a context.
        """
        return torch.autocast(device.type, self.dtype, enabled=self.dtype is not None)

    def linear(self, x: Tensor, W: Tensor, b: Tensor | None = None) -> Tensor:
        """Return x W^T + b for x (…, d_in), W (d_out, d_in) and b (d_out,): (…, d_out)."""
        if x.device.type != "cpu":
            return F.linear(x, W, b)
        dtype = autocast_type(x.device)
        if dtype is not None:
            rows = x.to(dtype).flatten(0, -2)
            return F.linear(with_round_size(rows), W, b)[: len(rows)].view(*x.shape[:-1], -1)
        if self.portable:
            return linear(x.flatten(0, -2), W, b).view(*x.shape[:-1], -1)
        return F.linear(x, W, b)

    def product(self, x: Tensor, W: Tensor) -> Tensor:
        """Return x W^T for x (n, d_in) and W (d_out, d_in), without a gradient: (n, d_out)."""
        return product(x, W) if self.portable else x @ W.T

    def product_of_columns(self, a: Tensor, b: Tensor) -> Tensor:
        """Return a^T b for a (n, i) and b (n, j), without a gradient: (i, j)."""
        return product_of_columns(a, b) if self.portable else a.T @ b

    def softmax(self, scores: Tensor) -> Tensor:
        """Return the softmax over the last dimension in the dtype of ``scores``, computed in fp32 or finer.

        Short rows are padded to the 16 numbers of a vector register, or the 8 of AVX2 if it is portable: torch computes
        rows that are shorter than a register one number at a time, which takes up to seven times as long.
        """
        S = scores.shape[-1]
        register = REGISTER // 2 if self.portable else REGISTER
        if register > S:
            scores = F.pad(scores, (0, register - S), value=-math.inf)
        exact = torch.promote_types(scores.dtype, torch.float32)
        return scores.softmax(-1, dtype=exact)[..., :S].to(scores.dtype)


FP32 = Arithmetic("fp32")


class Linear(nn.Linear):
    """torch's linear map, computed by the arithmetic of its model."""

    arithmetic = FP32

    def forward(self, x: Tensor) -> Tensor:
        """Map x (…, d_in) to (…, d_out)."""
        return self.arithmetic.linear(x, self.weight, self.bias)


def possible_numerics(numerics: Numerics) -> Numerics:
    """Return ``numerics``, or fp32 where the processor has no portable ones; a line says so.

    Another line says so if the process was started without the variables that torch and its libraries read at their
    start.  It then computes with portable numerics as far as these do not depend on them.
    """
    if numerics != "portable":
        return numerics
    if not has_fma():
        print(WITHOUT_AVX2, file=sys.stderr)
        return "fp32"
    if not LIMITS.items() <= os.environ.items():
        say(NOT_LIMITED)
    return numerics


def has_fma() -> bool:
    """Return whether the processor is an x86-64 with AVX2 and FMA; only a few old ones have AVX2 alone."""
    capabilities = torch.cpu.get_capabilities()
    return bool(capabilities.get("avx2") and capabilities.get("fma3"))


def resolve_numerics(numerics: Numerics, device: torch.device) -> Precision:
    """Resolve ``fast``: bf16 if ``device`` supports it natively, as GPUs from Ampere on, else fp32."""
    if numerics != "fast":
        return numerics
    if device.type == "cuda":
        return "bf16" if torch.cuda.get_device_capability(device) >= (8, 0) else "fp32"
    native = torch.cpu._is_avx512_bf16_supported() or torch.cpu._is_amx_tile_supported()
    allowed = os.environ.get("ONEDNN_MAX_CPU_ISA", "").upper() not in WITHOUT_BF16
    return "bf16" if native and allowed else "fp32"


def autocast_type(device: torch.device) -> torch.dtype | None:
    """Return the number format of matrix products here, that of the surrounding autocast; None without one."""
    return torch.get_autocast_dtype(device.type) if torch.is_autocast_enabled(device.type) else None


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
