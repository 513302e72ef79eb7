"""The style of all figures: size, fonts, colours, and reproducible files."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from transformer.common.files import atomic_path

COLUMN, FULL = 3.25, 6.75  # inches: the width of a column, and of a page with two columns

# Most colour-blind readers can distinguish these, too (Paul Tol's "bright" and "vibrant" sets).
COLOURS = ("#4477AA", "#EE6677", "#228833", "#CCBB44", "#66CCEE", "#AA3377", "#EE7733", "#777777")

_SETTINGS: dict[Any, Any] = {
    "font.family": ["STIXGeneral", "DejaVu Sans"],  # both are part of matplotlib; the second has more scripts
    "mathtext.fontset": "stix",
    "font.size": 8,
    "axes.labelsize": 8,
    "axes.titlesize": 8,
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
    "legend.fontsize": 7,
    "legend.frameon": False,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "lines.linewidth": 1.0,
    "pdf.fonttype": 42,  # fonts embedded as TrueType, which stays text
    "svg.fonttype": "path",  # glyphs embedded as shapes: an SVG cannot rely on the reader's fonts
    "svg.hashsalt": "transformer",  # otherwise the names of elements would be random
}


def colour(number: int) -> str:
    """Return the colour of a head or run, given its index; colours repeat after eight."""
    return COLOURS[number % len(COLOURS)]


def render(stem: Path, width: float, height: float, draw: Callable[[Figure], None]) -> None:
    """Write what ``draw`` puts on a figure of ``width`` by ``height`` inches as ``stem``.pdf and ``stem``.svg.

    The files contain no date: the same drawing by the same version of matplotlib gives the same bytes.
    """
    with matplotlib.rc_context({**matplotlib.rcParamsDefault, **_SETTINGS}):
        figure = Figure(figsize=(width, height))
        draw(figure)
        for kind, undated in (("pdf", {"CreationDate": None}), ("svg", {"Date": None})):
            with atomic_path(stem.with_name(f"{stem.name}.{kind}")) as path:
                figure.savefig(path, format=kind, metadata=undated)


def inches(figure: Figure) -> Axes:
    """Return axes without a frame that fill the figure, with inches from the lower left corner as coordinates."""
    axes = figure.add_axes((0, 0, 1, 1))
    width, height = figure.get_size_inches()
    axes.set(xlim=(0, width), ylim=(0, height))
    axes.axis("off")
    return axes
