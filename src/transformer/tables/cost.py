"""Training cost in two ways: by the paper's formula, which needs the time that training took, and counted from shapes.

The result depends on the clock, so it stands in files of its own, ``cost.csv`` and ``cost.md``, and in no table.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from transformer.common.yaml_files import read_checked
from transformer.tables.literature import Literature
from transformer.tables.runs import Run, first_seeds
from transformer.tables.table import Cells, markdown, records

Devices = Mapping[str, Mapping[str, Any]]
ABOUT = (
    "Estimated: by the formula of section 6.1, which multiplies time, number of devices and the capacity of each "
    "(`config/devices.yaml`; for a CPU, of each thread). Counted: operations of matrix products, by the same rules for "
    "the paper's runs and for ours (`src/transformer/model/flops.py`). The quotient of the two is the share of the "
    "capacity that training used."
)


def read_devices(path: Path, schema: Path) -> Devices:
    """Read and check ``config/devices.yaml``.  Raises UserError that names the wrong key."""
    devices: Devices = read_checked(path, schema)
    return devices


def find_device(device_name: str, devices: Devices) -> str | None:
    """Return the key in ``devices`` of the device that a machine calls ``device_name``, or None if it is not there."""
    found = (
        key for key, device in devices.items() if re.search(rf"\b(?:{device['names']})(?!\d)", device_name)
    )
    return next(found, None)


def estimated_flops(wall_seconds: float, devices: int, capacity: float) -> float:
    """Return FLOPs by the paper's formula: training time × devices × sustained capacity of each device."""
    return wall_seconds * devices * capacity


def cost(runs: Sequence[Run], literature: Literature, devices: Devices) -> pd.DataFrame:
    """Return one row for each run of ours, of several seeds the first, below the paper's run of the same row and pair.

    The estimate of a run is blank if its device is not in ``devices``, and ``note`` says so.
    """
    paper = {row["run"]: row for row in records(literature.models) if row["run"]}
    rows = []
    for run in first_seeds(runs):
        if paper.get(run.name, {}).get(f"counted_cost.{run.pair}"):
            rows.append(_of_the_paper(paper[run.name], run, literature.version, devices))
        rows.append(_ours(run, devices))
    return pd.DataFrame(rows).astype({"counted_flops": object})


def cost_markdown(frame: pd.DataFrame) -> str:
    """Return the rows of ``cost`` as a page."""
    text = pd.DataFrame(
        {
            "Run": frame["run"] + ", " + frame["origin"],
            "Pair": frame["pair"].str.upper(),
            "Hours": frame["wall_seconds"].map(lambda seconds: f"{seconds / 3600:.3g}"),
            "Devices": [
                " × ".join(parts)
                for parts in zip(frame["devices"].astype(str), frame["device_name"], strict=True)
            ],
            "Capacity of each": frame["capacity"].map(_scientific),
            "Estimated FLOPs": frame["estimated_flops"].map(_scientific),
            "Counted FLOPs": frame["counted_flops"].map(_scientific),
            "Counted / estimated": list(map(_share, frame["counted_flops"], frame["estimated_flops"])),
        }
    )
    notes = [f"{note}." for note in dict.fromkeys(frame["note"]) if note]
    return markdown(["# Training cost of Table 2, estimated and counted", ABOUT, Cells(text), *notes])


def _of_the_paper(row: Mapping[str, Any], run: Run, version: str, devices: Devices) -> dict[str, Any]:
    seconds, count, device = 3600 * row["trained.hours"], int(row["trained.devices"]), row["trained.device"]
    capacity = devices[device]["capacity"]
    return {
        "origin": f"paper, {version}",
        "run": run.name,
        "pair": run.pair,
        "wall_seconds": seconds,
        "devices": count,
        "device_name": device,
        "capacity": capacity,
        "estimated_flops": f"{estimated_flops(seconds, count, capacity):.4g}",
        "counted_flops": row[f"counted_cost.{run.pair}"],
        "note": "",
    }


def _ours(run: Run, devices: Devices) -> dict[str, Any]:
    timing = run.content["timing"]
    seconds, count, name = timing["wall_seconds"], timing["devices"], timing["device_name"]
    found = find_device(name, devices)
    row = {
        "origin": "ours",
        "run": run.name,
        "pair": run.pair,
        "wall_seconds": seconds,
        "devices": count,
        "device_name": name,
        "capacity": "",
        "estimated_flops": "",
        "counted_flops": run.content["training"]["training_flops"],
        "note": "",
    }
    if found is None:
        about = (
            f"config/devices.yaml has no device named like '{name}', so what ours cost there is not estimated"
        )
        return row | {"note": about}
    threads = timing["threads"] if devices[found].get("per_thread") else 1
    capacity = threads * devices[found]["capacity"]
    return row | {
        "capacity": capacity,
        "estimated_flops": f"{estimated_flops(seconds, count, capacity):.4g}",
    }


def _scientific(value: object) -> str:
    return f"{float(str(value)):.1e}".replace("e+", "e") if str(value) else ""


def _share(counted: object, estimated: object) -> str:
    return f"{100 * float(str(counted)) / float(str(estimated)):.0f}%" if str(estimated) else ""
