"""The positional encoding as a heat map (section 3.5)."""

from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from transformer.figures.style import COLUMN, render


def plot_positional_encoding(table: NDArray[np.float32], stem: Path) -> None:
    """Draw the encodings (positions, d_model) as colours, with a row for each position."""

    def draw(figure: Figure) -> None:
        axes = figure.add_axes((0.13, 0.17, 0.7, 0.79))
        image = axes.imshow(table, cmap="RdBu", vmin=-1, vmax=1, aspect="auto", interpolation="nearest")
        axes.set(xlabel="dimension", ylabel="position")
        axes.spines[:].set_visible(True)
        figure.colorbar(image, cax=figure.add_axes((0.86, 0.17, 0.03, 0.79)), ticks=[-1, 0, 1])

    render(stem, COLUMN, 2.2, draw)
