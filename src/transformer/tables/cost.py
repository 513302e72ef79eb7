"""Training cost as the paper estimates it, for ``cost.csv``; it depends on the clock, so no table includes it."""

import re
from collections.abc import Sequence

import pandas as pd

from transformer.tables.runs import Run

# Sustained single-precision TFLOPS of a GPU, as the paper assumes (section 6.1, footnote 5).
SUSTAINED_TFLOPS = {"K80": 2.8, "K40": 3.7, "M40": 6.0, "P100": 9.5}


def sustained_tflops(device_name: str) -> float | None:
    """Return the paper's figure for a device, or None when the paper has none.

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
    """Return FLOPs by the paper's estimate: training time × devices × sustained capacity of each device."""
    return wall_seconds * devices * tflops * 1e12


def cost(runs: Sequence[Run]) -> pd.DataFrame:
    """Return one row per run: the estimate beside the operations that were counted.

    The estimate is blank for hardware that the paper does not list.
    """
    rows = []
    for run in runs:
        timing = run.content["timing"]
        seconds, devices, name = timing["wall_seconds"], timing["devices"], timing["device_name"]
        tflops = sustained_tflops(name)
        rows.append(
            {
                "run": run.name,
                "pair": run.pair,
                "wall_seconds": f"{seconds:.1f}",
                "devices": devices,
                "device_name": name,
                "sustained_tflops": tflops,
                "estimated_flops": f"{estimated_flops(seconds, devices, tflops):.4g}" if tflops else "",
                "counted_flops": run.content["training"]["training_flops"],
            }
        )
    return pd.DataFrame(rows).astype({"counted_flops": object})
