"""The number format of matrix products: bf16 or fp16 where the hardware supports it natively, else fp32."""

import contextlib
import os
from typing import Literal

import torch

from transformer.model.config import Precision

# Values of oneDNN's variable ONEDNN_MAX_CPU_ISA that leave it without instructions for bf16.
WITHOUT_BF16 = {"SSE41", "AVX", "AVX2", "AVX2_VNNI", "AVX2_VNNI_2", "AVX512_CORE", "AVX512_CORE_VNNI"}
TYPES = {"bf16": torch.bfloat16, "fp16": torch.float16}


def resolve_precision(precision: Precision, device: torch.device) -> Literal["fp32", "bf16", "fp16"]:
    """Resolve ``auto``: the 16-bit format that ``device`` supports natively, else fp32; emulation would be slower.

    GPUs from Ampere on have bf16.  Volta and Turing have only fp16, which needs loss scaling in training.
    """
    if precision != "auto":
        return precision
    if device.type == "cuda":
        capability = torch.cuda.get_device_capability(device)
        return "bf16" if capability >= (8, 0) else "fp16" if capability >= (7, 0) else "fp32"
    native = torch.cpu._is_avx512_bf16_supported() or torch.cpu._is_amx_tile_supported()
    allowed = os.environ.get("ONEDNN_MAX_CPU_ISA", "").upper() not in WITHOUT_BF16
    return "bf16" if native and allowed else "fp32"


def autocast_type(device: torch.device) -> torch.dtype | None:
    """Return the number format of matrix products here: that of the surrounding :func:`autocast`; None without one."""
    return torch.get_autocast_dtype(device.type) if torch.is_autocast_enabled(device.type) else None


def autocast(
    precision: Literal["fp32", "bf16", "fp16"], device: torch.device
) -> contextlib.AbstractContextManager[object]:
    """Return a context in which matrix products run in ``precision``; weights and sums stay in fp32."""
    return torch.autocast(device.type, TYPES.get(precision), enabled=precision != "fp32")
