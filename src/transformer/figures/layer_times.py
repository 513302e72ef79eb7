"""The time of a layer of each type (section 4), against the length of the sentence."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from matplotlib.figure import Figure

from transformer.figures.style import COLUMN, colour, render

MARKERS = "osD^v"


def plot_layer_times(
    times: Mapping[str, Sequence[tuple[int, float]]], d: int, device: str, stem: Path
) -> None:
    """Write the seconds of one layer by n, for each name of ``times``; all are layers of width ``d`` on ``device``.

    Both axes are logarithmic: a power of n is a straight line, as steep as the power.
    """

    def draw(figure: Figure) -> None:
        axes = figure.add_axes((0.15, 0.16, 0.82, 0.81))
        for number, (name, points) in enumerate(times.items()):
            axes.plot(
                *zip(*points, strict=True),
                color=colour(number),
                marker=MARKERS[number % len(MARKERS)],
                markersize=3,
                label=name,
            )
        axes.set_xscale("log", base=2)
        axes.set(yscale="log", xlabel=f"n, positions (d = {d})", ylabel=f"seconds a layer, {device}")
        axes.minorticks_off()
        axes.legend(loc="upper left")

    render(stem, COLUMN, 2.4, draw)
