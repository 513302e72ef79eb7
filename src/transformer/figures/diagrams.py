"""Figures 1 and 2: the Transformer, and its attention, as the paper draws them.  All lengths are in inches."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import matplotlib.path
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle, FancyArrowPatch, FancyBboxPatch

from transformer.common.artifacts import read_artifact
from transformer.figures.style import COLUMN, inches, render

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

# Figure 1. The middle of the encoder is at x = 1.00, and that of the decoder at 2.25.
FRAMES = (
    (0.39, 1.13, 1.11, 1.75, "", "light grey"),
    (1.75, 1.13, 1.11, 2.71, "", "light grey"),
)
BOXES = (
    # left, bottom, width, height, label, fill
    (0.57, 0.44, 0.86, 0.33, "Input\nEmbedding", "pink"),
    (0.57, 1.40, 0.86, 0.33, "Multi-Head\nAttention", "orange"),
    (0.57, 1.77, 0.86, 0.20, "Add & Norm", "yellow"),
    (0.57, 2.24, 0.86, 0.33, "Feed\nForward", "blue"),
    (0.57, 2.61, 0.86, 0.20, "Add & Norm", "yellow"),
    (1.82, 0.44, 0.86, 0.33, "Output\nEmbedding", "pink"),
    (1.82, 1.40, 0.86, 0.45, "Masked\nMulti-Head\nAttention", "orange"),
    (1.82, 1.89, 0.86, 0.20, "Add & Norm", "yellow"),
    (1.82, 2.36, 0.86, 0.33, "Multi-Head\nAttention", "orange"),
    (1.82, 2.73, 0.86, 0.20, "Add & Norm", "yellow"),
    (1.82, 3.20, 0.86, 0.33, "Feed\nForward", "blue"),
    (1.82, 3.57, 0.86, 0.20, "Add & Norm", "yellow"),
    (1.82, 3.99, 0.86, 0.20, "Linear", "violet"),
    (1.82, 4.33, 0.86, 0.20, "Softmax", "green"),
)
ARROWS = (
    # from one box up to the next
    ((1.00, 0.31), (1.00, 0.44)),
    ((1.00, 0.77), (1.00, 1.40)),
    ((1.00, 1.97), (1.00, 2.24)),
    ((2.25, 0.31), (2.25, 0.44)),
    ((2.25, 0.77), (2.25, 1.40)),
    ((2.25, 2.93), (2.25, 3.20)),
    ((2.25, 3.77), (2.25, 3.99)),
    ((2.25, 4.19), (2.25, 4.33)),
    ((2.25, 4.53), (2.25, 4.66)),
    # queries, keys and values
    ((1.00, 1.30), (0.74, 1.30), (0.74, 1.40)),
    ((1.00, 1.30), (1.26, 1.30), (1.26, 1.40)),
    ((2.25, 1.30), (1.99, 1.30), (1.99, 1.40)),
    ((2.25, 1.30), (2.51, 1.30), (2.51, 1.40)),
    ((2.25, 2.09), (2.25, 2.26), (2.51, 2.26), (2.51, 2.36)),
    ((1.00, 2.81), (1.00, 3.01), (1.62, 3.01), (1.62, 2.26), (1.99, 2.26), (1.99, 2.36)),
    ((1.99, 2.26), (2.15, 2.26), (2.15, 2.36)),
    # residual connections
    ((1.00, 1.23), (0.45, 1.23), (0.45, 1.87), (0.57, 1.87)),
    ((1.00, 2.07), (0.45, 2.07), (0.45, 2.71), (0.57, 2.71)),
    ((2.25, 1.23), (2.80, 1.23), (2.80, 1.99), (2.68, 1.99)),
    ((2.25, 2.19), (2.80, 2.19), (2.80, 2.83), (2.68, 2.83)),
    ((2.25, 3.03), (2.80, 3.03), (2.80, 3.67), (2.68, 3.67)),
)
LINES = (
    # from a sub-layer to the norm above it
    ((1.00, 1.73), (1.00, 1.77)),
    ((1.00, 2.57), (1.00, 2.61)),
    ((2.25, 1.85), (2.25, 1.89)),
    ((2.25, 2.69), (2.25, 2.73)),
    ((2.25, 3.53), (2.25, 3.57)),
    # from the positions to where they are added
    ((0.80, 0.90), (0.92, 0.90)),
    ((2.45, 0.90), (2.33, 0.90)),
)
TEXTS = (
    # x and y of the middle, text
    (1.00, 0.23, "Inputs"),
    (2.25, 0.19, "Outputs\n(shifted right)"),
    (2.25, 4.82, "Output\nProbabilities"),
    (0.29, 0.90, "Positional\nEncoding"),
    (2.96, 0.90, "Positional\nEncoding"),
)
# Figure 2.
ATTENTION_BOXES = (
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
ATTENTION_ARROWS = (
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
ATTENTION_TEXTS = (
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


def plot_architecture(inputs: Sequence[Path], stem: Path) -> None:
    """Write Figure 1 with the number of layers in a run's config.json, the only input."""
    N = read_artifact(inputs[0], "config")["model"]["N"]

    def draw(figure: Figure) -> None:
        axes = inches(figure)
        draw_boxes(axes, FRAMES, order=1)
        draw_boxes(axes, BOXES)
        draw_arrows(axes, ARROWS)
        draw_arrows(axes, LINES, head=False)
        draw_texts(axes, TEXTS)
        for x, y in ((0.26, 2.00), (2.99, 2.48)):
            axes.text(x, y, f"{N}×", ha="center", va="center", fontsize=10)
        for plus, wave in ((1.00, 0.70), (2.25, 2.55)):
            _draw_positions(axes, plus, wave, 0.90)

    render(stem, COLUMN, 5.05, draw)


def _draw_positions(axes: Axes, plus: float, wave: float, y: float) -> None:
    """Draw the sign ⊕ and a wave in a circle, at height ``y``."""
    t = np.linspace(-0.1, 0.1, 41)
    for x, radius in ((plus, 0.08), (wave, 0.1)):
        axes.add_patch(Circle((x, y), radius, facecolor="white", edgecolor="black", linewidth=LINE, zorder=3))
    for xs, ys in (
        ((plus - 0.08, plus + 0.08), (y, y)),
        ((plus, plus), (y - 0.08, y + 0.08)),
        (wave + t, y + 0.05 * np.sin(10 * np.pi * t)),
    ):
        axes.plot(xs, ys, color="black", linewidth=LINE, zorder=4)


def plot_attention_block(inputs: Sequence[Path], stem: Path) -> None:
    """Write Figure 2 with the number of heads in a run's config.json, the only input."""
    h = read_artifact(inputs[0], "config")["model"]["h"]

    def draw(figure: Figure) -> None:
        axes = inches(figure)
        draw_boxes(axes, ATTENTION_BOXES)
        draw_boxes(axes, PILES)
        for aside, order in ((0.045, 2.9), (0.090, 2.8)):
            behind = [
                (left + aside, bottom + aside, width, height, "", fill)
                for left, bottom, width, height, _, fill in PILES
            ]
            draw_boxes(axes, behind, order)
        draw_arrows(axes, ATTENTION_ARROWS)
        draw_texts(axes, [*ATTENTION_TEXTS, (2.95, 1.51, f"$h = {h}$")])

    render(stem, COLUMN, 2.75, draw)


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
                path=matplotlib.path.Path(list(points)),
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
