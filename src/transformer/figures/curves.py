"""Curves over training steps: the learning rate, and the losses of trained runs."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from transformer.figures.style import COLUMN, FULL, colour, render

Curve = tuple[Sequence[float], Sequence[float]]  # steps and values


def plot_learning_rate(paper: Mapping[str, Curve], ours: Mapping[str, Curve], stem: Path) -> None:
    """Draw equation (3) for each run: dashed with the paper's values, solid with ours.

    Both axes are logarithmic: the warm-up is a line of slope 1, and the decay after it a line of slope -1/2.
    """

    def draw(figure: Figure) -> None:
        axes = figure.add_axes((0.15, 0.18, 0.82, 0.79))
        for number, name in enumerate(paper):
            steps, rates = paper[name]
            axes.plot(steps, rates, color=colour(number), linestyle=(0, (4, 2)), label=f"{name}, paper")
            if name in ours:
                axes.plot(*ours[name], color=colour(number), label=f"{name}, ours")
        axes.set(xscale="log", yscale="log", xlabel="step", ylabel="learning rate")
        axes.minorticks_off()
        axes.legend(loc="lower right")

    render(stem, COLUMN, 2.2, draw)


def plot_training_curves(runs: Mapping[str, Mapping[str, Sequence[Mapping[str, Any]]]], stem: Path) -> None:
    """Draw the losses in each run's metrics.jsonl, in nats per subword, with one panel per language pair.

    The training loss is that of one batch, with label smoothing and dropout.  The development loss has neither, which
    is why it is lower.
    """

    def draw(figure: Figure) -> None:
        panels = figure.subplots(1, len(runs), sharey=True, squeeze=False)[0]
        figure.subplots_adjust(left=0.07, right=0.99, bottom=0.17, top=0.9, wspace=0.08)
        for panel, (pair, lines) in zip(panels, runs.items(), strict=True):
            _draw_losses(panel, lines)
            panel.set(title=pair.upper(), xlabel="step", xlim=(0, None))
        panels[0].set(ylabel="loss, nats a subword", ylim=(0, None))
        panels[-1].legend(loc="upper right")

    render(stem, FULL, 2.4, draw)


def _draw_losses(axes: Axes, runs: Mapping[str, Sequence[Mapping[str, Any]]]) -> None:
    for number, (name, lines) in enumerate(runs.items()):
        steps = [line["step"] for line in lines]
        style: dict[str, Any] = {
            "color": colour(number),
            "marker": "o",
            "markersize": 2 if len(lines) < 30 else 0,
        }
        training = [line["loss"] for line in lines]
        development = [math.log(line["dev_perplexity"]) for line in lines]
        axes.plot(steps, training, linestyle=(0, (4, 2)), label=f"{name}, training", **style)
        axes.plot(steps, development, label=f"{name}, development", **style)
