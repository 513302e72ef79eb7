"""The elements of diagrams: boxes with a label, and arrows with corners.  Coordinates are inches."""

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.patches import Circle, FancyArrowPatch, FancyBboxPatch
from matplotlib.path import Path

Point = tuple[float, float]

LINE = 0.7  # points
ROUNDING = 0.04


def box(axes: Axes, centre: Point, size: Point, label: str, fill: str, order: float = 3) -> None:
    """Draw a rounded rectangle with text at its centre."""
    (x, y), (width, height) = centre, size
    rounded_box(axes, (x - width / 2, y - height / 2), size, fill, order=order)
    axes.text(x, y, label, ha="center", va="center_baseline", linespacing=1.0, zorder=order)


def rounded_box(
    axes: Axes,
    corner: Point,
    size: Point,
    fill: str,
    *,
    edge: str = "black",
    rounding: float = ROUNDING,
    order: float,
) -> None:
    """Draw a rounded rectangle, given its lower left corner."""
    style = f"round,pad=0,rounding_size={rounding}"
    axes.add_patch(
        FancyBboxPatch(
            corner, *size, boxstyle=style, facecolor=fill, edgecolor=edge, linewidth=LINE, zorder=order
        )
    )


def arrow(axes: Axes, *points: Point, head: bool = True) -> None:
    """Draw a line through ``points``, with a head at its end or without one."""
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
    """Draw a vertical line from ``start`` to the height ``bend``, and from there an arrow to each of ``ends``."""
    x, y = start
    for end in ends:
        arrow(axes, (x, y), (x, bend), (end[0], bend), end)


def circle(axes: Axes, centre: Point, radius: float) -> None:
    """Draw a white circle."""
    axes.add_patch(Circle(centre, radius, facecolor="white", edgecolor="black", linewidth=LINE, zorder=3))


def plus(axes: Axes, centre: Point, radius: float) -> None:
    """Draw the sign ⊕."""
    x, y = centre
    circle(axes, centre, radius)
    for dx, dy in ((radius, 0), (0, radius)):
        axes.plot((x - dx, x + dx), (y - dy, y + dy), color="black", linewidth=LINE, zorder=3)
