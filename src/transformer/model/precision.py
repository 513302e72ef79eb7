"""The number format of matrix products: bf16 where the hardware supports it natively, else fp32."""

import contextlib
from typing import Literal

import torch

Precision = Literal["auto", "fp32", "bf16"]


def resolve_precision(precision: Precision, device: torch.device) -> Literal["fp32", "bf16"]:
    """Resolve ``auto``: bf16 if ``device`` supports it natively, else fp32, since emulated bf16 would be slower."""
    if precision != "auto":
        return precision
    if device.type == "cuda":
        native = torch.cuda.get_device_capability(device) >= (8, 0)  # Ampere and later
    else:
        native = torch.cpu._is_avx512_bf16_supported() or torch.cpu._is_amx_tile_supported()
    return "bf16" if native else "fp32"


def autocast(
    precision: Literal["fp32", "bf16"], device: torch.device
) -> contextlib.AbstractContextManager[object]:
    """Return a context in which matrix products run in ``precision``; weights and sums stay in fp32."""
    return torch.autocast(device.type, torch.bfloat16, enabled=precision == "bf16")
