"""Training cost in the paper's way, for ``cost.csv``: it depends on the clock, so no table may hold it."""

import csv
import io
import re
from collections.abc import Sequence

from transformer.tables.runs import Run

# Sustained single-precision TFLOPS of a GPU, as the paper assumes (section 6.1, footnote 5).
SUSTAINED_TFLOPS = {"K80": 2.8, "K40": 3.7, "M40": 6.0, "P100": 9.5}
COLUMNS = "run pair wall_seconds devices device_name sustained_tflops estimated_flops counted_flops"


def sustained_tflops(device_name: str) -> float | None:
    """The paper's figure for a device, or None when the paper has none.

    >>> sustained_tflops("Tesla P100-SXM2-16GB")
    9.5
    >>> sustained_tflops("Quadro M4000") is None
    True
    """
    for model, tflops in SUSTAINED_TFLOPS.items():
        if re.search(rf"\b{model}(?!\d)", device_name):
            return tflops
    return None


def estimated_flops(wall_seconds: float, devices: int, tflops: float) -> float:
    """Floating-point operations by the paper's estimate: training time × devices × sustained capacity of each."""
    return wall_seconds * devices * tflops * 1e12


def cost_csv(runs: Sequence[Run], tflops: float | None = None) -> str:
    """One row a run: the estimate beside the operations that were counted.

    ``tflops`` is the sustained capacity of the device that trained, for hardware that the paper does not
    know; without it the estimate of such hardware is blank.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS.split())
    for run in runs:
        timing = run.content["timing"]
        seconds, devices, name = timing["wall_seconds"], timing["devices"], timing["device_name"]
        rate = tflops or sustained_tflops(name)
        estimate = f"{estimated_flops(seconds, devices, rate):.4g}" if rate else ""
        writer.writerow(
            [run.name, run.pair, f"{seconds:.1f}", devices, name, rate or "", estimate, run.training_flops]
        )
    return text.getvalue()
