"""The environment in which torch and its libraries compute the same bits on every x86-64 processor with AVX2 and FMA.

They read these variables once, at their start, so a process has to be started with them: ``workflow/reserve.py`` does
it.
"""

from pathlib import Path

LIMITS = {
    "ATEN_CPU_CAPABILITY": "avx2",  # torch uses vectors of 256 bits
    "ONEDNN_MAX_CPU_ISA": "AVX2",
    "MKL_CBWR": "COMPATIBLE",  # Intel's library of matrix products takes the same code everywhere, which is slow
}
# oneDNN compiles a kernel for each shape of a product, 0.2 ms each; the demo's batches have 80 numbers of rows.
KEPT_KERNELS = {"ONEDNN_PRIMITIVE_CACHE_CAPACITY": "4096"}


def portable_environment() -> dict[str, str]:
    """Return the variables to set for a new process that computes with portable numerics.

    There are none where the processor does not have AVX2 and FMA: torch would take the first variable at its word.
    """
    flags = first_processor().get("flags", "").split()
    return {**LIMITS, **KEPT_KERNELS} if {"avx2", "fma"} <= {*flags} else {}


def first_processor() -> dict[str, str]:
    """Return what Linux says of the first processor, or nothing on other systems."""
    try:
        text = Path("/proc/cpuinfo").read_text()
    except OSError:
        return {}
    fields = (line.split(":", 1) for line in text.split("\n\n")[0].splitlines() if ":" in line)
    return {key.strip(): value.strip() for key, value in fields}
