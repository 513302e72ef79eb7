"""The time of one layer of each type (section 4) by the length of the sentence."""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd
from matplotlib.figure import Figure

from transformer.common.checksums import check_sums
from transformer.figures.style import COLUMN, colour, render

MARKERS = "osD^v"


def plot_layer_times(inputs: Sequence[Path], stem: Path) -> None:
    """Draw ``seconds`` of one layer by ``n``, with a line for each ``layer``, from the CSV file of measure_layers.py.

    Both axes are logarithmic: a power of n is a straight line, and its slope is the exponent.  Raises UserError when
    the file is not the one whose sha256 was written beside it.
    """
    check_sums(inputs[0].with_suffix(".sha256"), inputs[0])
    times = pd.read_csv(inputs[0])
    d, device = times.loc[0, ["d", "device"]]

    def draw(figure: Figure) -> None:
        axes = figure.add_axes((0.15, 0.16, 0.82, 0.81))
        for number, (name, points) in enumerate(times.groupby("layer", sort=False)):
            axes.plot(
                points["n"],
                points["seconds"],
                color=colour(number),
                marker=MARKERS[number % len(MARKERS)],
                markersize=3,
                label=_label(str(name), points),
            )
        axes.set_xscale("log", base=2)
        axes.set(yscale="log", xlabel=f"n, positions (d = {d})", ylabel=f"seconds a layer, {device}")
        axes.minorticks_off()
        axes.legend(loc="upper left")

    render(stem, COLUMN, 2.4, draw)


def _label(name: str, points: pd.DataFrame) -> str:
    """Return the layer type with the variable that its cost depends on besides n and d."""
    size = {"convolutional": "k", "restricted": "r"}.get(name)
    return f"{name}, {size} = {points[size].iloc[0]}" if size else name
