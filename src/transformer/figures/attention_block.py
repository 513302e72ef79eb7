"""Figure 2: the inside of an attention layer, drawn from its recorded steps (``architecture.json``)."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from transformer.figures.architecture_blocks import Step
from transformer.figures.diagram import Point, arrow, box
from transformer.figures.style import COLUMN, inches, render

LABELS = {"add": "Mask (opt.)", "matmul": "MatMul", "mul": "Scale", "softmax": "SoftMax"}
FILLS = {"add": "#FADFDF", "matmul": "#DDD6EE", "mul": "#F3F5C4", "softmax": "#CDE7D0"}
OTHER_FILL = "#E8E8E8"
LINEAR, ATTENTION, CONCAT = "#E4E4E4", "#DDD6EE", "#F3F5C4"
ROLES = "QKV"  # in the order in which attention uses them

# All lengths are in inches.
HEIGHT = 2.75
TITLE = 0.2
LOW, PITCH = 0.45, 0.41  # height of the lowest box; distance from one box to the next
BOX = (0.74, 0.2)
COLUMNS = {"Q": 0.45, "K": 0.93, "V": 1.32}  # where queries, keys and values enter the left drawing
HEADS = {"V": 1.97, "K": 2.45, "Q": 2.93}  # where they enter the right drawing, in the paper's order
COPIES, OFFSET = 3, 0.045  # boxes that represent all heads, and the distance between them


def plot_attention_block(description: Mapping[str, Any], stem: Path) -> None:
    """Write Figure 2 as ``stem``.pdf and .svg, from the content of architecture.json."""
    steps = next(iter(description["attention"].values()))

    def draw(figure: Figure) -> None:
        axes = inches(figure)
        for x, title in ((0.85, "Scaled Dot-Product Attention"), (2.5, "Multi-Head Attention")):
            axes.text(x, HEIGHT - TITLE, title, ha="center", va="bottom")
        _draw_scaled_dot_product(axes, steps)
        _draw_multi_head(axes, steps, description["config"]["h"])

    render(stem, COLUMN, HEIGHT, draw)


def _draw_scaled_dot_product(axes: Axes, steps: Sequence[Step]) -> None:
    """Draw the steps between the projections and W^O on the left, each above the steps that it depends on."""
    roles = iter(ROLES)
    top: dict[int, Point] = {}  # middle of the upper edge of each box
    for number, step in enumerate(steps):
        if step["name"] == "Linear":
            continue
        sources = [source for source in step["inputs"] if isinstance(source, int)]
        ends = [top.get(source) or _enter(axes, next(roles)) for source in sources]
        x = sum(end[0] for end in ends) / len(ends)
        y = max(LOW, *(end[1] + PITCH - BOX[1] / 2 for end in ends))
        for end in ends:
            arrow(axes, end, (end[0], y - BOX[1] / 2))
        name: str = step["name"]
        box(axes, (x, y), BOX, LABELS.get(name, name), FILLS.get(name, OTHER_FILL))
        top[number] = (x, y + BOX[1] / 2)
    x, y = max(top.values(), key=lambda point: point[1])
    arrow(axes, (x, y), (x, y + 0.15))


def _enter(axes: Axes, role: str) -> Point:
    """Draw Q, K or V at the bottom of the left drawing; return where its arrow begins."""
    axes.text(COLUMNS[role], 0.06, f"${role}$", ha="center", va="baseline")
    return COLUMNS[role], 0.2


def _draw_multi_head(axes: Axes, steps: Sequence[Step], h: int) -> None:
    """Draw the projections of queries, keys and values, the heads, and W^O on the right."""
    copies = min(h, COPIES)
    behind = OFFSET * (copies - 1)
    middle = HEADS["K"]
    linear, attention, above = LOW + 0.12, LOW + 0.7, LOW + 1.22
    used = [source for step in steps if step["name"] != "Linear" for source in step["inputs"]]
    projected = [source for source in used if isinstance(source, int) and steps[source]["name"] == "Linear"]
    for role, _ in zip(ROLES, projected, strict=True):
        x = HEADS[role]
        axes.text(x, 0.06, f"${role}$", ha="center", va="baseline")
        arrow(axes, (x, 0.2), (x, linear - BOX[1] / 2))
        _pile(axes, (x, linear), (0.35, BOX[1]), "Linear", LINEAR, copies)
        arrow(axes, (x, linear + BOX[1] / 2 + behind), (x, attention - 0.17))
    _pile(axes, (middle, attention), (1.28, 0.34), "Scaled Dot-Product\nAttention", ATTENTION, copies)
    y = attention + 0.17 + behind
    if h > 1:
        axes.text(middle + 0.5, y + 0.05, f"$h = {h}$", ha="center", va="bottom")
        arrow(axes, (middle, y), (middle, above - BOX[1] / 2))
        box(axes, (middle, above), (0.6, BOX[1]), "Concat", CONCAT)
        y = above + BOX[1] / 2
    for step in steps:
        if step["name"] == "Linear" and isinstance(step["inputs"][0], int):  # W^O
            arrow(axes, (middle, y), (middle, y + 0.17))
            box(axes, (middle, y + 0.17 + BOX[1] / 2), (0.6, BOX[1]), "Linear", LINEAR)
            y += 0.17 + BOX[1]
    arrow(axes, (middle, y), (middle, y + 0.15))


def _pile(axes: Axes, centre: Point, size: Point, label: str, fill: str, copies: int) -> None:
    """Draw equal boxes behind each other, the first one in front."""
    for copy in reversed(range(copies)):
        place = (centre[0] + copy * OFFSET, centre[1] + copy * OFFSET)
        box(axes, place, size, label if copy == 0 else "", fill, 3 + (copies - copy) / 10)
