"""What diagrams are made of: boxes with a label, arrows with corners.  Coordinates are inches."""

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.patches import Circle, FancyArrowPatch, FancyBboxPatch
from matplotlib.path import Path

Point = tuple[float, float]

LINE = 0.7  # points
ROUNDING = 0.04


def box(axes: Axes, centre: Point, size: Point, label: str, fill: str, order: float = 3) -> None:
    """A rounded rectangle with text in the middle of it."""
    (x, y), (width, height) = centre, size
    axes.add_patch(
        FancyBboxPatch(
            (x - width / 2, y - height / 2),
            width,
            height,
            boxstyle=f"round,pad=0,rounding_size={ROUNDING}",
            facecolor=fill,
            edgecolor="black",
            linewidth=LINE,
            zorder=order,
        )
    )
    axes.text(x, y, label, ha="center", va="center_baseline", linespacing=1.0, zorder=order)


def arrow(axes: Axes, *points: Point, head: bool = True) -> None:
    """A line through ``points`` with a head at its end, or without."""
    axes.add_patch(
        FancyArrowPatch(
            path=Path(points),
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


def fan(axes: Axes, start: Point, bend: float, ends: Sequence[Point]) -> None:
    """A line up or down from ``start`` to the height ``bend``, and from there an arrow to each of ``ends``."""
    x, y = start
    for end in ends:
        arrow(axes, (x, y), (x, bend), (end[0], bend), end)


def plus(axes: Axes, centre: Point, radius: float) -> None:
    """The sign ⊕."""
    x, y = centre
    axes.add_patch(Circle(centre, radius, facecolor="white", edgecolor="black", linewidth=LINE, zorder=3))
    for dx, dy in ((radius, 0), (0, radius)):
        axes.plot((x - dx, x + dx), (y - dy, y + dy), color="black", linewidth=LINE, zorder=3)
