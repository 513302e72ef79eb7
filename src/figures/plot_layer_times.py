"""Draw the time of each layer type against the length of the sentence.

python src/figures/plot_layer_times.py --times results/demo/layer_times.csv --output-dir results/demo/figures
"""

import argparse
import csv
from pathlib import Path

from transformer.common.errors import UserError, run_script
from transformer.figures.layer_times import plot_layer_times

COLUMNS = {"layer", "n", "seconds", "d", "k", "r", "device"}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--times", type=Path, required=True, help="the CSV file of src/inspection/measure_layers.py"
    )
    parser.add_argument("--output-dir", type=Path, required=True, help="folder for the figure's files")
    arguments = parser.parse_args()
    rows = read_rows(arguments.times)
    times: dict[str, list[tuple[int, float]]] = {}
    for row in rows:
        times.setdefault(label(row), []).append((int(row["n"]), float(row["seconds"])))
    plot_layer_times(times, int(rows[0]["d"]), rows[0]["device"], arguments.output_dir / "layer_times")


def read_rows(path: Path) -> list[dict[str, str]]:
    """The rows of the CSV file.  Raises UserError when it is no table of times."""
    with open(path, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    if not rows or not rows[0].keys() >= COLUMNS:
        raise UserError(f"{path}: not a table of times; make it with src/inspection/measure_layers.py")
    return rows


def label(row: dict[str, str]) -> str:
    """The layer type with what it depends on besides n and d."""
    size = {"convolutional": "k", "restricted": "r"}.get(row["layer"])
    return f"{row['layer']}, {size} = {row[size]}" if size else row["layer"]


if __name__ == "__main__":
    run_script(main)
