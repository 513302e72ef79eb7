"""Figure 1: the Transformer, with boxes and arrows where the paper's figure has them.  All lengths are in inches."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from transformer.common.json_artifacts import read_artifact
from transformer.figures.diagram import arrow, box, circle, line
from transformer.figures.style import COLUMN, inches, render

HEIGHT = 5.05
ENCODER, DECODER = 1.0, 2.25  # the middle of each column
OUTWARDS = {ENCODER: -1, DECODER: 1}  # to the side of a column where the residual connections run
HALF = 0.43  # half the width of a box
BESIDE = 0.12  # from a box to the residual connection beside it
FRAME = (0.5, 0.61)  # from the middle of a column to the frame of its layers, inwards and outwards

BOXES = (
    # column, bottom, top, label, fill
    (ENCODER, 0.44, 0.77, "Input\nEmbedding", "pink"),
    (ENCODER, 1.40, 1.73, "Multi-Head\nAttention", "orange"),
    (ENCODER, 1.77, 1.97, "Add & Norm", "yellow"),
    (ENCODER, 2.24, 2.57, "Feed\nForward", "blue"),
    (ENCODER, 2.61, 2.81, "Add & Norm", "yellow"),
    (DECODER, 0.44, 0.77, "Output\nEmbedding", "pink"),
    (DECODER, 1.40, 1.85, "Masked\nMulti-Head\nAttention", "orange"),
    (DECODER, 1.89, 2.09, "Add & Norm", "yellow"),
    (DECODER, 2.36, 2.69, "Multi-Head\nAttention", "orange"),
    (DECODER, 2.73, 2.93, "Add & Norm", "yellow"),
    (DECODER, 3.20, 3.53, "Feed\nForward", "blue"),
    (DECODER, 3.57, 3.77, "Add & Norm", "yellow"),
    (DECODER, 3.99, 4.19, "Linear", "violet"),
    (DECODER, 4.33, 4.53, "Softmax", "green"),
)
FRAMES = ((ENCODER, 1.13, 2.88), (DECODER, 1.13, 3.84))  # column, bottom, top
ARROWS = (
    # column, from, to: straight up, from inside of a box to the lower edge of the next one
    (ENCODER, 0.31, 0.44), (ENCODER, 0.60, 1.40), (ENCODER, 1.90, 2.24),
    (DECODER, 0.31, 0.44), (DECODER, 0.60, 1.40), (DECODER, 2.80, 3.20),
    (DECODER, 3.60, 3.99), (DECODER, 4.00, 4.33), (DECODER, 4.40, 4.66),
)  # fmt: skip
LINES = (
    # column, from, to: from inside of a sub-layer to the norm above it
    (ENCODER, 1.60, 1.80), (ENCODER, 2.40, 2.70),
    (DECODER, 1.60, 1.90), (DECODER, 2.60, 2.80), (DECODER, 3.40, 3.60),
)  # fmt: skip
RESIDUALS = (
    # column, where the connection leaves, where it enters
    (ENCODER, 1.23, 1.87), (ENCODER, 2.07, 2.71),
    (DECODER, 1.23, 1.99), (DECODER, 2.19, 2.83), (DECODER, 3.03, 3.67),
)  # fmt: skip
TEXTS = (
    # column, height, vertical alignment, text
    (ENCODER, 0.28, "top", "Inputs"),
    (DECODER, 0.28, "top", "Outputs\n(shifted right)"),
    (DECODER, 4.69, "bottom", "Output\nProbabilities"),
)


def plot_architecture(inputs: Sequence[Path], stem: Path) -> None:
    """Write Figure 1 with the number of layers in a run's config.json, the only input."""
    N = read_artifact(inputs[0], "config")["model"]["N"]

    def draw(figure: Figure) -> None:
        axes = inches(figure)
        for x, bottom, top in FRAMES:
            _draw_layer(axes, x, bottom, top, f"{N}×")
        for x, bottom, top, label, fill in BOXES:
            box(axes, (x - HALF, bottom), (2 * HALF, top - bottom), fill, label)
        for x, start, end in ARROWS:
            arrow(axes, (x, start), (x, end))
        for x, start, end in LINES:
            line(axes, (x, start), (x, end))
        for x, leaves, enters in RESIDUALS:
            beside, edge = (x + OUTWARDS[x] * distance for distance in (HALF + BESIDE, HALF))
            arrow(axes, (x, leaves), (beside, leaves), (beside, enters), (edge, enters))
        for x, y, side, text in TEXTS:
            axes.text(x, y, text, ha="center", va=side, linespacing=1.0)
        _draw_attention_inputs(axes)
        for x in (ENCODER, DECODER):
            _draw_positions(axes, x, 0.9)

    render(stem, COLUMN, HEIGHT, draw)


def _draw_layer(axes: Axes, x: float, bottom: float, top: float, count: str) -> None:
    """Draw the frame around a layer and, outside of it, the number of such layers."""
    inwards, outwards = FRAME
    left = x - (outwards if OUTWARDS[x] < 0 else inwards)
    box(axes, (left, bottom), (inwards + outwards, top - bottom), "white grey", rounding=0.08, order=1)
    x += OUTWARDS[x] * (outwards + 0.13)
    axes.text(x, (bottom + top) / 2, count, ha="center", va="center", fontsize=10)


def _draw_attention_inputs(axes: Axes) -> None:
    """Draw the queries, keys and values of each attention; all come from below, or two from the encoder."""
    for x in (ENCODER, DECODER):
        for aside in (-0.26, 0.26):
            arrow(axes, (x, 1.30), (x + aside, 1.30), (x + aside, 1.40))
    arrow(axes, (DECODER, 2.00), (DECODER, 2.26), (DECODER + 0.26, 2.26), (DECODER + 0.26, 2.36))
    between, first, second = (ENCODER + DECODER) / 2, DECODER - 0.26, DECODER - 0.10
    line(axes, (ENCODER, 2.70), (ENCODER, 3.01), (between, 3.01), (between, 2.26), (first, 2.26))
    for x in (first, second):
        arrow(axes, (first, 2.26), (x, 2.26), (x, 2.36))


def _draw_positions(axes: Axes, x: float, y: float) -> None:
    """Draw the sign ⊕ and, outside of it, a wave in a circle and its name."""
    wave = x + OUTWARDS[x] * 0.3
    line(axes, (x, y), (wave, y))
    for centre, radius in ((x, 0.08), (wave, 0.1)):
        circle(axes, (centre, y), radius)
    line(axes, (x - 0.08, y), (x + 0.08, y), order=3)
    line(axes, (x, y - 0.08), (x, y + 0.08), order=3)
    t = np.linspace(-1, 1, 41)
    line(axes, *zip(wave + 0.1 * t, y + 0.05 * np.sin(np.pi * t), strict=True), order=4)
    name = wave + OUTWARDS[x] * 0.41
    axes.text(name, y, "Positional\nEncoding", ha="center", va="center", linespacing=1.0)
