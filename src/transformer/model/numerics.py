"""How numbers are computed: the format of matrix products, and whether every processor rounds them alike.

``portable`` numerics have the same bits on every x86-64 processor with AVX2: fp32, on the CPU, with vectors of 256
bits, and with Intel's library of matrix products (MKL) in the mode that depends on no processor, which is slow.
Products with weights go through oneDNN instead (``portable_products.py``).  docs/protocol.md says what is promised.
"""

import contextlib
import os
import sys
import warnings
from typing import Literal

import torch

from transformer.model.config import Numerics

Precision = Literal["portable", "fp32", "bf16", "fp16"]

MARK = "TRANSFORMER_NUMERICS"  # the variable by which a process and its children know that they are portable
# torch and its libraries read the others once, at their first computation.
PORTABLE = {
    MARK: "portable",
    "ATEN_CPU_CAPABILITY": "avx2",
    "ONEDNN_MAX_CPU_ISA": "AVX2",
    "MKL_CBWR": "COMPATIBLE",
    # oneDNN compiles a kernel for each shape of a product, 0.2 ms each; the demo's batches have 80 numbers of rows.
    "ONEDNN_PRIMITIVE_CACHE_CAPACITY": "4096",
}
# Values of oneDNN's variable ONEDNN_MAX_CPU_ISA that leave it without instructions for bf16.
WITHOUT_BF16 = {"SSE41", "AVX", "AVX2", "AVX2_VNNI", "AVX2_VNNI_2", "AVX512_CORE", "AVX512_CORE_VNNI"}
WITHOUT_AVX2 = (
    "this processor is not an x86-64 with AVX2 and FMA: computing in fp32, whose numbers are not those of other "
    "processors bit for bit"
)
TYPES = {"bf16": torch.bfloat16, "fp16": torch.float16}

# Whether this process computes with portable numerics, which its first model decides; None before.
_portable: bool | None = None


def prepare(numerics: Numerics) -> Numerics:
    """Let this process and its children compute with ``numerics``, and return those that they compute with.

    They are fp32 in place of portable ones where the processor is not an x86-64 with AVX2 and FMA; a line says so.
    Torch reads the environment at its first computation.  So the first model decides for the whole process and computes
    as it always does, and a later one that would compute in another way gets a warning, as does a program that has
    computed before.
    """
    global _portable
    if numerics == "portable" and not all(
        torch.cpu.get_capabilities().get(name) for name in ("avx2", "fma3")
    ):
        print(WITHOUT_AVX2, file=sys.stderr)
        numerics = "fp32"
    wanted = numerics == "portable"
    if _portable is not None and _portable != wanted:
        before, now = ("fast", "portable") if wanted else ("portable", "fast")
        warnings.warn(
            f"a model with {before} numerics was loaded before this one, whose numerics are {now}; on a CPU, the "
            "results of this one may differ in their last bits from those in a process of its own; load it in one",
            stacklevel=4,
        )
        return numerics
    _portable = wanted
    if not wanted:
        if MARK in os.environ:  # a process with portable numerics has started this one
            for name in PORTABLE:
                os.environ.pop(name, None)
        return numerics
    os.environ.update(PORTABLE)
    if torch.backends.cpu.get_cpu_capability() != "AVX2":
        warnings.warn(
            "torch has computed before this model was loaded, so results may differ in their last bits from those of "
            "other processors; load the model first, in a new process",
            stacklevel=3,
        )
    return numerics


def resolve_numerics(numerics: Numerics, device: torch.device) -> Precision:
    """Resolve ``fast``: the 16-bit format that ``device`` supports natively, else fp32; emulation would be slower.

    GPUs from Ampere on have bf16.  Volta and Turing have only fp16, which needs loss scaling in training.
    """
    if numerics != "fast":
        return numerics
    if device.type == "cuda":
        capability = torch.cuda.get_device_capability(device)
        return "bf16" if capability >= (8, 0) else "fp16" if capability >= (7, 0) else "fp32"
    native = torch.cpu._is_avx512_bf16_supported() or torch.cpu._is_amx_tile_supported()
    allowed = os.environ.get("ONEDNN_MAX_CPU_ISA", "").upper() not in WITHOUT_BF16
    return "bf16" if native and allowed else "fp32"


def autocast_type(device: torch.device) -> torch.dtype | None:
    """Return the number format of matrix products here: that of the surrounding :func:`autocast`; None without one."""
    return torch.get_autocast_dtype(device.type) if torch.is_autocast_enabled(device.type) else None


def is_portable() -> bool:
    """Return whether this process computes with portable numerics."""
    return MARK in os.environ if _portable is None else _portable


def autocast(precision: Precision, device: torch.device) -> contextlib.AbstractContextManager[object]:
    """Return a context in which matrix products run in ``precision``; weights and sums stay in fp32."""
    return torch.autocast(device.type, TYPES.get(precision), enabled=precision in TYPES)
