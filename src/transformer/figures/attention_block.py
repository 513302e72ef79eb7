"""Figure 2: scaled dot-product and multi-head attention, as the paper draws them.  All lengths are in inches."""

from collections.abc import Sequence
from pathlib import Path

from matplotlib.figure import Figure

from transformer.common.json_artifacts import read_artifact
from transformer.figures.diagram import arrow, box
from transformer.figures.style import COLUMN, inches, render

HEIGHT = 2.75
COPIES, BEHIND = 3, 0.045  # boxes that represent all heads, and the distance between them

BOXES = (
    # left, bottom, width, height, label, fill
    (0.38, 0.45, 0.74, 0.2, "MatMul", "lavender"),
    (0.38, 0.85, 0.74, 0.2, "Scale", "yellow"),
    (0.38, 1.25, 0.74, 0.2, "Mask (opt.)", "pink"),
    (0.38, 1.65, 0.74, 0.2, "SoftMax", "green"),
    (0.67, 2.05, 0.74, 0.2, "MatMul", "lavender"),
    (2.15, 1.60, 0.60, 0.2, "Concat", "yellow"),
    (2.15, 1.97, 0.60, 0.2, "Linear", "grey"),
)
PILES = (
    # the same, of boxes that each head has
    (1.79, 0.50, 0.35, 0.20, "Linear", "grey"),
    (2.27, 0.50, 0.35, 0.20, "Linear", "grey"),
    (2.75, 0.50, 0.35, 0.20, "Linear", "grey"),
    (1.81, 0.98, 1.28, 0.34, "Scaled Dot-Product\nAttention", "lavender"),
)
ARROWS = (
    # x, from, to
    (0.55, 0.20, 0.45), (0.95, 0.20, 0.45), (1.25, 0.20, 2.05),
    (0.75, 0.65, 0.85), (0.75, 1.05, 1.25), (0.75, 1.45, 1.65), (0.75, 1.85, 2.05), (1.04, 2.25, 2.40),
    (1.97, 0.20, 0.50), (2.45, 0.20, 0.50), (2.93, 0.20, 0.50),
    (1.97, 0.79, 0.98), (2.45, 0.79, 0.98), (2.93, 0.79, 0.98),
    (2.45, 1.41, 1.60), (2.45, 1.80, 1.97), (2.45, 2.17, 2.32),
)  # fmt: skip
TEXTS = (
    # x of the middle, y of the baseline, text
    (0.85, 2.55, "Scaled Dot-Product Attention"), (2.45, 2.55, "Multi-Head Attention"),
    (0.55, 0.06, "$Q$"), (0.95, 0.06, "$K$"), (1.25, 0.06, "$V$"),
    (1.97, 0.06, "$V$"), (2.45, 0.06, "$K$"), (2.93, 0.06, "$Q$"),
)  # fmt: skip


def plot_attention_block(inputs: Sequence[Path], stem: Path) -> None:
    """Write Figure 2 with the number of heads in a run's config.json, the only input."""
    h = read_artifact(inputs[0], "config")["model"]["h"]

    def draw(figure: Figure) -> None:
        axes = inches(figure)
        for left, bottom, width, height, label, fill in BOXES:
            box(axes, (left, bottom), (width, height), fill, label)
        for left, bottom, width, height, label, fill in PILES:
            for copy in reversed(range(COPIES)):
                corner = (left + copy * BEHIND, bottom + copy * BEHIND)
                box(axes, corner, (width, height), fill, "" if copy else label, order=4 - copy / 10)
        for x, start, end in ARROWS:
            arrow(axes, (x, start), (x, end))
        for x, y, text in (*TEXTS, (2.95, 1.48, f"$h = {h}$")):
            axes.text(x, y, text, ha="center")

    render(stem, COLUMN, HEIGHT, draw)
