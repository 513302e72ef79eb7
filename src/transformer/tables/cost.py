"""Training cost in two ways: by the paper's formula, which needs the time that training took, and counted from shapes.

    python src/transformer/tables/cost.py --runs results/demo/runs/{base,big}/{en-de,en-fr} \\
        --literature resources/literature.yaml --devices resources/devices.yaml --output-dir results/demo/tables

This writes cost.csv and cost.md.  They depend on the clock, so no table shows what they have.
"""

from collections.abc import Sequence
from pathlib import Path

from transformer.common.arguments import argument_parser
from transformer.common.artifacts import read_artifact
from transformer.common.devices import Devices, find_device
from transformer.common.errors import run_script
from transformer.common.files import write_all
from transformer.common.project import local_path
from transformer.common.yaml_files import read_yaml
from transformer.tables.cells import OURS, Cell, Column, Line, Table
from transformer.tables.literature import Literature, read_literature, records
from transformer.tables.render import renderings
from transformer.tables.runs import Run, first_seeds, read_runs

COLUMNS = (
    *("origin", "run", "pair", "wall_seconds", "devices", "device_name"),
    *("capacity", "estimated_flops", "counted_flops", "note"),
)
SHOWN = {
    "label": "Run",
    "of_pair": "Pair",
    "hours": "Hours",
    "of_devices": "Devices",
    "of_each": "Capacity of each",
    "estimated": "Estimated FLOPs",
    "counted": "Counted FLOPs",
    "share": "Counted / estimated",
}
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
    table = build_cost(runs, literature, read_yaml(arguments.devices))
    write_all(arguments.output_dir, renderings(table))


def build_cost(runs: Sequence[Run], literature: Literature, devices: Devices) -> Table:
    """Return one line for each run of ours, of several seeds the first, below the paper's run of the same row and pair.

    The estimate of a run is blank if its device is not in ``devices``, and ``note`` says so.  A run whose time is not
    known, since it was trained on another machine, is left out.
    """
    paper = {row["run"]: row for row in records(literature.models) if row["run"]}
    lines = []
    for run in first_seeds(runs):
        printed, counted = paper.get(run.name, {}), run.content["training"]["training_flops"]
        if of_paper := printed.get(f"counted_cost.{run.pair}"):
            seconds, name = 3600 * printed["trained.hours"], printed["trained.device"]
            known = int(printed["trained.devices"]), name, devices[name]["capacity"]
            lines.append(_line(run, f"paper, {literature.version}", seconds, *known, of_paper))
        if not (run.folder / "timing.json").exists():
            continue
        timing = read_artifact(run.folder / "timing.json", "timing")
        name, capacity = timing["device_name"], None
        if found := find_device(name, devices):
            threads = timing["threads"] if devices[found].get("per_thread") else 1
            capacity = threads * devices[found]["capacity"]
        lines.append(_line(run, OURS, timing["wall_seconds"], timing["devices"], name, capacity, counted))
    notes = dict.fromkeys(line.facts["note"] for line in lines)
    return Table(
        "cost",
        [Column(name, (head,)) for name, head in SHOWN.items()],
        lines,
        csv=COLUMNS,
        title="Training cost of Table 2, estimated and counted",
        above=[ABOUT],
        below=[f"{note}." for note in notes if note],
    )


def _line(
    run: Run, origin: str, seconds: float, devices: int, name: str, capacity: float | None, counted: int | str
) -> Line:
    """Return FLOPs by the paper's formula, training time × devices × sustained capacity of each, and these factors."""
    estimated = None if capacity is None else seconds * devices * capacity
    texts = {
        "label": f"{run.name}, {origin}",
        "of_pair": run.pair.upper(),
        "hours": f"{seconds / 3600:.3g}",
        "of_devices": f"{devices} × {name}",
        "of_each": _scientific(capacity),
        "estimated": _scientific(estimated),
        "counted": _scientific(counted),
        "share": f"{100 * float(counted) / estimated:.0f}%" if estimated else "",
    }
    facts = {"origin": origin, "run": run.name, "pair": run.pair, "wall_seconds": seconds, "devices": devices}
    facts |= {"device_name": name, "counted_flops": counted, "note": ""}
    if estimated is None:
        facts["note"] = (
            f"resources/devices.yaml has no device named like '{name}', so what ours cost there is not estimated"
        )
    else:
        facts |= {"capacity": capacity, "estimated_flops": f"{estimated:.4g}"}
    return Line([Cell(column, text) for column, text in texts.items()], facts=facts)


def _scientific(value: float | str | None) -> str:
    return "" if value is None else f"{float(value):.1e}".replace("e+", "e")


if __name__ == "__main__":
    run_script(main)
