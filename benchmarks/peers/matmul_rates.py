"""How fast the processor multiplies matrices."""

import statistics
import time

import torch

MATRIX_SIZE = 2048
PRODUCTS = 5


def matmul_rates(precision: str) -> dict[str, tuple[float, float]]:
    """Return the rates of the product of two large square matrices, in FLOPs a second, by who computes it.

    The first of each two is by the clock, and the second by processor time.

    In fp32, torch's own product is MKL's on most machines.  oneDNN, which multiplies in bf16, is asked for here too.
    """
    dtype = {"fp32": torch.float32, "bf16": torch.bfloat16}[precision]
    a, b = (torch.randn(MATRIX_SIZE, MATRIX_SIZE).to(dtype) for _ in range(2))
    products = {"torch": lambda: a @ b}
    if precision == "fp32" and hasattr(torch.ops.mkldnn, "_linear_pointwise"):
        packed = torch.ops.mkldnn._reorder_linear_weight(b)
        products["oneDNN"] = lambda: torch.ops.mkldnn._linear_pointwise(a, packed, None, "none", [], "")
    rates = {}
    for name, product in products.items():
        product()
        seconds = []
        for _ in range(PRODUCTS):
            clock, processor = time.perf_counter(), time.process_time()
            product()
            seconds.append((time.perf_counter() - clock, time.process_time() - processor))
        by_clock, by_processor = (
            2 * MATRIX_SIZE**3 / statistics.median(times) for times in zip(*seconds, strict=True)
        )
        rates[name] = by_clock, by_processor
    return rates
