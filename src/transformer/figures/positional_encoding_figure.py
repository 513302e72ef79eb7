"""The positional encoding as a heat map (section 3.5)."""

from collections.abc import Sequence
from pathlib import Path

from matplotlib.figure import Figure

from transformer.common.artifacts import read_artifact
from transformer.figures.style import COLUMN, render
from transformer.model.positions import sinusoids

LENGTH = 100  # positions; few sentences are longer


def plot_positional_encoding(inputs: Sequence[Path], stem: Path) -> None:
    """Draw the encodings (positions, d_model) of a run's config.json as colours, with a row for each position."""
    d_model = read_artifact(inputs[0], "config")["model"]["d_model"]
    table = sinusoids(LENGTH, d_model).numpy()

    def draw(figure: Figure) -> None:
        axes = figure.add_axes((0.13, 0.17, 0.7, 0.79))
        image = axes.imshow(table, cmap="RdBu", vmin=-1, vmax=1, aspect="auto", interpolation="nearest")
        axes.set(xlabel="dimension", ylabel="position")
        axes.spines[:].set_visible(True)
        figure.colorbar(image, cax=figure.add_axes((0.86, 0.17, 0.03, 0.79)), ticks=[-1, 0, 1])

    render(stem, COLUMN, 2.2, draw)
