"""Draw the time of each layer type against the length of the sentence.

python src/plot_layer_times.py --times results/demo/layer_times.csv --output results/demo/figures/layer_times.{pdf,svg}
"""

import argparse
import csv
from pathlib import Path

import matplotlib
from matplotlib import pyplot

from transformer.errors import UserError, run_script
from transformer.files import atomic_path

matplotlib.use("agg")  # needs no display

STYLES = {"self-attention": "o-", "recurrent": "s--", "convolutional": "^-.", "restricted": "D:"}
COLUMN = (3.4, 2.6)  # inches
FIXED = {"pdf": {"CreationDate": None}, "svg": {"Date": None}}  # the same data, the same bytes


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--times", type=Path, required=True, help="the CSV file of src/measure_layers.py")
    parser.add_argument("--output", type=Path, nargs="+", required=True, help="files ending in .pdf or .svg")
    arguments = parser.parse_args()
    for output in arguments.output:
        if output.suffix[1:] not in FIXED:
            raise UserError(f"--output {output}: must end in .{' or .'.join(FIXED)}")
    with open(arguments.times, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    if not rows or not {"layer", "n", "seconds", "d", "k", "r", "device"} <= rows[0].keys():
        raise UserError(f"{arguments.times}: not a table of times; make it with src/measure_layers.py")
    draw(rows)
    for output in arguments.output:
        kind = output.suffix[1:]
        with atomic_path(output) as temporary:
            pyplot.savefig(temporary, format=kind, metadata=FIXED[kind])


def draw(rows: list[dict[str, str]]) -> None:
    """Both axes logarithmic: a power of n is a straight line."""
    pyplot.rcParams.update({"font.size": 8, "svg.hashsalt": "layer_times", "svg.fonttype": "none"})
    _, axes = pyplot.subplots(figsize=COLUMN, layout="constrained")
    sizes = rows[0]
    with_size = {"convolutional": f", k = {sizes['k']}", "restricted": f", r = {sizes['r']}"}
    for layer, style in STYLES.items():
        times = [(int(row["n"]), float(row["seconds"])) for row in rows if row["layer"] == layer]
        label = layer + with_size.get(layer, "")
        axes.plot(*zip(*times, strict=True), style, label=label, markersize=3, linewidth=1)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xlabel(f"n, positions (d = {sizes['d']})")
    axes.set_ylabel(f"seconds a layer, {sizes['device']}")
    axes.grid(alpha=0.3)
    axes.legend(frameon=False, fontsize=7)


if __name__ == "__main__":
    run_script(main)
