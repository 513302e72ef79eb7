"""The elements of diagrams: boxes with a label, and arrows with corners.  Coordinates are inches."""

from matplotlib.axes import Axes
from matplotlib.patches import Circle, FancyArrowPatch, FancyBboxPatch
from matplotlib.path import Path

Point = tuple[float, float]

LINE = 0.7  # points
FILLS = {
    "pink": "#FADFDF", "orange": "#FDE3BF", "yellow": "#F3F5C4", "blue": "#C5E8F6", "violet": "#DDE0F1",
    "green": "#CDE7D0", "lavender": "#DDD6EE", "grey": "#E8E8E8", "white grey": "#F4F4F4",
}  # fmt: skip


def box(
    axes: Axes,
    corner: Point,
    size: Point,
    fill: str,
    label: str = "",
    *,
    rounding: float = 0.04,
    order: float = 3,
) -> None:
    """Draw a rounded rectangle, given its lower left corner, with a label in the middle."""
    (x, y), (width, height) = corner, size
    style = f"round,pad=0,rounding_size={rounding}"
    axes.add_patch(
        FancyBboxPatch(corner, *size, boxstyle=style, facecolor=FILLS[fill], linewidth=LINE, zorder=order)
    )
    axes.text(
        x + width / 2, y + height / 2, label, ha="center", va="center_baseline", linespacing=1.0, zorder=order
    )


def arrow(axes: Axes, *points: Point) -> None:
    """Draw an arrow through ``points``, behind the boxes."""
    axes.add_patch(
        FancyArrowPatch(
            path=Path(points),
            arrowstyle="-|>,head_length=2.6,head_width=1.3",
            facecolor="black",
            linewidth=LINE,
            shrinkA=0,
            shrinkB=0,
            joinstyle="miter",
            capstyle="butt",
            zorder=2,
        )
    )


def line(axes: Axes, *points: Point, order: float = 2) -> None:
    """Draw a line through ``points``, behind the boxes."""
    axes.plot(*zip(*points, strict=True), color="black", linewidth=LINE, zorder=order)


def circle(axes: Axes, centre: Point, radius: float) -> None:
    """Draw a white circle."""
    axes.add_patch(Circle(centre, radius, facecolor="white", edgecolor="black", linewidth=LINE, zorder=3))
