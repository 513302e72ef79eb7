"""Figure 2: scaled dot-product and multi-head attention, as the paper draws them.  All lengths are in inches."""

from collections.abc import Sequence
from pathlib import Path

from matplotlib.figure import Figure

from transformer.common.json_artifacts import read_artifact
from transformer.figures.diagram import draw_arrows, draw_boxes, draw_texts
from transformer.figures.style import COLUMN, inches, render

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
    # the boxes that each head has
    (1.79, 0.50, 0.35, 0.20, "Linear", "grey"),
    (2.27, 0.50, 0.35, 0.20, "Linear", "grey"),
    (2.75, 0.50, 0.35, 0.20, "Linear", "grey"),
    (1.81, 0.98, 1.28, 0.34, "Scaled Dot-Product\nAttention", "lavender"),
)
ARROWS = (
    # scaled dot-product attention
    ((0.55, 0.20), (0.55, 0.45)),
    ((0.95, 0.20), (0.95, 0.45)),
    ((1.25, 0.20), (1.25, 2.05)),
    ((0.75, 0.65), (0.75, 0.85)),
    ((0.75, 1.05), (0.75, 1.25)),
    ((0.75, 1.45), (0.75, 1.65)),
    ((0.75, 1.85), (0.75, 2.05)),
    ((1.04, 2.25), (1.04, 2.40)),
    # multi-head attention
    ((1.97, 0.20), (1.97, 0.50)),
    ((2.45, 0.20), (2.45, 0.50)),
    ((2.93, 0.20), (2.93, 0.50)),
    ((1.97, 0.79), (1.97, 0.98)),
    ((2.45, 0.79), (2.45, 0.98)),
    ((2.93, 0.79), (2.93, 0.98)),
    ((2.45, 1.41), (2.45, 1.60)),
    ((2.45, 1.80), (2.45, 1.97)),
    ((2.45, 2.17), (2.45, 2.32)),
)
TEXTS = (
    # x and y of the middle, text
    (0.85, 2.59, "Scaled Dot-Product Attention"),
    (2.45, 2.59, "Multi-Head Attention"),
    (0.55, 0.10, "$Q$"),
    (0.95, 0.10, "$K$"),
    (1.25, 0.10, "$V$"),
    (1.97, 0.10, "$V$"),
    (2.45, 0.10, "$K$"),
    (2.93, 0.10, "$Q$"),
)


def plot_attention_block(inputs: Sequence[Path], stem: Path) -> None:
    """Write Figure 2 with the number of heads in a run's config.json, the only input."""
    h = read_artifact(inputs[0], "config")["model"]["h"]

    def draw(figure: Figure) -> None:
        axes = inches(figure)
        draw_boxes(axes, BOXES)
        draw_boxes(axes, PILES)
        for aside, order in ((0.045, 2.9), (0.090, 2.8)):
            behind = [
                (left + aside, bottom + aside, width, height, "", fill)
                for left, bottom, width, height, _, fill in PILES
            ]
            draw_boxes(axes, behind, order)
        draw_arrows(axes, ARROWS)
        draw_texts(axes, [*TEXTS, (2.95, 1.51, f"$h = {h}$")])

    render(stem, COLUMN, 2.75, draw)
