"""The style of all figures: size, fonts, colours, and reproducible files."""

import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib import font_manager
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from transformer.common.files import atomic_path
from transformer.common.notes import say

COLUMN, FULL = 3.25, 6.75  # inches: the width of a column, and of a page with two columns

# Most colour-blind readers can distinguish these, too (Paul Tol's "bright" and "vibrant" sets).
COLOURS = ("#4477AA", "#EE6677", "#228833", "#CCBB44", "#66CCEE", "#AA3377", "#EE7733", "#777777")

FAMILIES = ["STIXGeneral", "DejaVu Sans"]  # both are part of matplotlib; the second has more scripts
_SETTINGS: dict[Any, Any] = {
    "font.family": FAMILIES,
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


def note_missing(text: str) -> None:
    """Say which characters of a text no font of the figures has, so that they are drawn as boxes."""
    drawn = {character for character in text if unicodedata.category(character)[0] not in "CZ"}
    if missing := sorted(drawn.difference(*map(_characters, FAMILIES))):
        shown = "".join(missing[:20]) + "…" * (len(missing) > 20)
        say(f"the figures show {shown} as boxes, since their fonts have none; the page shows every character")


def _characters(family: str) -> set[str]:
    path = font_manager.findfont(font_manager.FontProperties(family=[family]))
    return set(map(chr, font_manager.get_font(path).get_charmap()))


def render(stem: Path, width: float, height: float, draw: Callable[[Figure], None], text: str = "") -> None:
    """Write what ``draw`` puts on a figure of ``width`` by ``height`` inches as ``stem``.pdf and ``stem``.svg.

    ``text`` is what the figure has of a user's text.  The files contain no date: the same drawing by the same version
    of matplotlib gives the same bytes.
    """
    note_missing(text)
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
