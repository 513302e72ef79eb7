"""The elements of diagrams: boxes with a label, texts, and arrows with corners.  Coordinates are inches."""

from collections.abc import Iterable

from matplotlib.axes import Axes
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch
from matplotlib.path import Path

Point = tuple[float, float]
Box = tuple[float, float, float, float, str, str]  # left, bottom, width, height, label, fill
Text = tuple[float, float, str]  # x and y of its middle, text

LINE = 0.7  # points
FILLS = {
    "pink": "#FADFDF",
    "orange": "#FDE3BF",
    "yellow": "#F3F5C4",
    "blue": "#C5E8F6",
    "violet": "#DDE0F1",
    "green": "#CDE7D0",
    "lavender": "#DDD6EE",
    "grey": "#E8E8E8",
    "light grey": "#F4F4F4",
}


def draw_boxes(axes: Axes, boxes: Iterable[Box], order: float = 3) -> None:
    """Draw rounded rectangles with their labels; ``order`` is matplotlib's zorder."""
    for left, bottom, width, height, label, fill in boxes:
        axes.add_patch(
            FancyBboxPatch(
                (left, bottom),
                width,
                height,
                boxstyle="round,pad=0,rounding_size=0.04",
                facecolor=FILLS[fill],
                linewidth=LINE,
                zorder=order,
            )
        )
        draw_texts(axes, [(left + width / 2, bottom + height / 2, label)], order)


def draw_texts(axes: Axes, texts: Iterable[Text], order: float = 3) -> None:
    """Write texts, of one line or several."""
    for x, y, text in texts:
        axes.text(x, y, text, ha="center", va="center_baseline", linespacing=1.0, zorder=order)


def draw_arrows(axes: Axes, arrows: Iterable[Iterable[Point]], head: bool = True) -> None:
    """Draw an arrow through each list of points, behind the boxes."""
    for points in arrows:
        axes.add_patch(
            FancyArrowPatch(
                path=Path(list(points)),
                arrowstyle="-|>,head_length=2.6,head_width=1.3" if head else "-",
                facecolor="black",
                linewidth=LINE,
                shrinkA=0,
                shrinkB=0,
                joinstyle="miter",
                capstyle="butt",
                zorder=2,
            )
        )
