"""Training cost in two ways: by the paper's formula, which needs the time that training took, and counted from shapes.

    python src/transformer/tables/cost.py --runs results/demo/runs/{base,big}/{en-de,en-fr} \\
        --literature resources/literature.yaml --devices resources/devices.yaml --output-dir results/demo/tables

This writes cost.csv and cost.md.  They depend on the clock, so no table shows what they have.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from transformer.common.arguments import argument_parser
from transformer.common.devices import Devices, find_device
from transformer.common.errors import run_script
from transformer.common.files import write_all
from transformer.common.json_artifacts import read_artifact
from transformer.common.project import local_path
from transformer.common.yaml_files import read_yaml
from transformer.tables.literature import Literature, read_literature
from transformer.tables.runs import Run, first_seeds, read_runs
from transformer.tables.table import markdown, records

COLUMNS = (
    *("origin", "run", "pair", "wall_seconds", "devices", "device_name"),
    *("capacity", "estimated_flops", "counted_flops", "note"),
)
ABOUT = (
    "Estimated: by the formula of section 6.1, which multiplies time, number of devices and the capacity of each "
    "(`resources/devices.yaml`; for a CPU, of each thread). Counted: operations of matrix products, by the same rules "
    "for the paper's runs and for ours (`src/transformer/model/flops.py`). The quotient of the two is the share of the "
    "capacity that training used."
)


def main() -> None:
    parser = argument_parser(__doc__)
    add = parser.add_argument
    add("--runs", type=local_path, nargs="+", required=True, metavar="FOLDER", help="folders of scored runs")
    add("--literature", type=local_path, required=True, help="the paper's own numbers")
    add("--devices", type=Path, required=True, help="what each device can compute")
    add("--output-dir", type=local_path, required=True)
    arguments = parser.parse_args()
    runs, literature = read_runs(arguments.runs), read_literature(arguments.literature)
    costs = cost(runs, literature, read_yaml(arguments.devices))
    csv = costs.to_csv(index=False, lineterminator="\n")
    write_all(arguments.output_dir, {"cost.csv": csv, "cost.md": cost_markdown(costs)})


def cost(runs: Sequence[Run], literature: Literature, devices: Devices) -> pd.DataFrame:
    """Return one row for each run of ours, of several seeds the first, below the paper's run of the same row and pair.

    The estimate of a run is blank if its device is not in ``devices``, and ``note`` says so.  A run whose time is not
    known, since it was trained on another machine, is left out.
    """
    paper = {row["run"]: row for row in records(literature.models) if row["run"]}
    rows = []
    for run in first_seeds(runs):
        printed = paper.get(run.name, {})
        if counted := printed.get(f"counted_cost.{run.pair}"):
            seconds, name = 3600 * printed["trained.hours"], printed["trained.device"]
            row = _row(run, seconds, int(printed["trained.devices"]), name, devices[name]["capacity"])
            rows.append(row | {"origin": f"paper, {literature.version}", "counted_flops": counted})
        if not (run.folder / "timing.json").exists():
            continue
        timing = read_artifact(run.folder / "timing.json", "timing")
        name, capacity = timing["device_name"], None
        if found := find_device(name, devices):
            threads = timing["threads"] if devices[found].get("per_thread") else 1
            capacity = threads * devices[found]["capacity"]
        rows.append(_row(run, timing["wall_seconds"], timing["devices"], name, capacity))
    return pd.DataFrame(rows, columns=COLUMNS).astype({"counted_flops": object})


def _row(run: Run, seconds: float, devices: int, name: str, capacity: float | None) -> dict[str, Any]:
    """Return FLOPs by the paper's formula, training time × devices × sustained capacity of each, and these factors."""
    unknown = (
        f"resources/devices.yaml has no device named like '{name}', so what ours cost there is not estimated"
    )
    return {
        "origin": "ours",
        "run": run.name,
        "pair": run.pair,
        "wall_seconds": seconds,
        "devices": devices,
        "device_name": name,
        "capacity": "" if capacity is None else capacity,
        "estimated_flops": "" if capacity is None else f"{seconds * devices * capacity:.4g}",
        "counted_flops": run.content["training"]["training_flops"],
        "note": unknown if capacity is None else "",
    }


def cost_markdown(frame: pd.DataFrame) -> str:
    """Return the rows of ``cost`` as a page."""
    text = pd.DataFrame(
        {
            "Run": frame["run"] + ", " + frame["origin"],
            "Pair": frame["pair"].str.upper(),
            "Hours": frame["wall_seconds"].map(lambda seconds: f"{seconds / 3600:.3g}"),
            "Devices": frame["devices"].astype(str) + " × " + frame["device_name"],
            "Capacity of each": frame["capacity"].map(_scientific),
            "Estimated FLOPs": frame["estimated_flops"].map(_scientific),
            "Counted FLOPs": frame["counted_flops"].map(_scientific),
            "Counted / estimated": list(map(_share, frame["counted_flops"], frame["estimated_flops"])),
        }
    )
    notes = [f"{note}." for note in dict.fromkeys(frame["note"]) if note]
    return markdown(["# Training cost of Table 2, estimated and counted", ABOUT, text, *notes])


def _scientific(value: object) -> str:
    return f"{float(str(value)):.1e}".replace("e+", "e") if str(value) else ""


def _share(counted: object, estimated: object) -> str:
    return f"{100 * float(str(counted)) / float(str(estimated)):.0f}%" if str(estimated) else ""


if __name__ == "__main__":
    run_script(main)
