"""Curves: the learning rate and the losses over training steps."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from transformer.common.artifacts import read_artifact, read_metrics
from transformer.common.yaml_files import read_yaml
from transformer.figures.style import COLUMN, FULL, colour, render
from transformer.training.schedule import learning_rate

DASHED = (0, (4, 2))  # dash and gap, in widths of the line
POINTS = 100  # on a curve of the learning rate


def schedule(settings: Mapping[str, Any]) -> tuple[list[int], list[float]]:
    """Return steps and learning rates: at the peak, and at steps from 1 to the last with evenly spaced logarithms."""
    last, warmup = settings["steps"], settings["warmup_steps"]
    spaced = {round(math.exp(math.log(last) * point / POINTS)) for point in range(POINTS + 1)}
    steps = sorted(spaced | {min(warmup, last)})
    scale = settings["learning_rate_scale"]
    return steps, [learning_rate(step, settings["d_model"], warmup, scale) for step in steps]


def plot_learning_rate(inputs: Sequence[Path], stem: Path) -> None:
    """Draw equation (3) for each run: dashed with the paper's values, solid with ours.

    The inputs are the config.json of each run, then config/runs.yaml.  Both axes are logarithmic: the warm-up is a line
    of slope 1, and the decay after it a line of slope -1/2.
    """
    *configs, runs = inputs
    ours = [read_artifact(path, "config") for path in configs]
    paper = read_yaml(runs)

    def draw(figure: Figure) -> None:
        axes = figure.add_axes((0.15, 0.18, 0.82, 0.79))
        for number, config in enumerate(ours):
            name, ink = config["run"], colour(number)
            theirs = schedule(paper["base"] | paper[name])
            axes.plot(*theirs, color=ink, linestyle=DASHED, label=f"{name}, paper")
            axes.plot(*schedule(config["model"] | config["training"]), color=ink, label=f"{name}, ours")
        axes.set(xscale="log", yscale="log", xlabel="step", ylabel="learning rate")
        axes.minorticks_off()
        axes.legend(loc="lower right")

    render(stem, COLUMN, 2.2, draw)


def plot_training_curves(inputs: Sequence[Path], stem: Path) -> None:
    """Draw the losses of runs, in nats per subword, with one panel per language pair, from their metrics.jsonl.

    The training loss is that of one batch, with label smoothing and dropout.  The development loss has neither, which
    is why it is lower.
    """
    runs: dict[str, dict[str, list[dict[str, Any]]]] = {}
    for path in (path for path in inputs if path.name == "metrics.jsonl"):
        config = read_artifact(path.with_name("config.json"), "config")
        lines = read_metrics(path)
        runs.setdefault(config["pair"], {})[config["run"]] = lines

    def draw(figure: Figure) -> None:
        panels = figure.subplots(1, len(runs), sharey=True, squeeze=False)[0]
        figure.subplots_adjust(left=0.07, right=0.99, bottom=0.17, top=0.9, wspace=0.08)
        for panel, (pair, lines) in zip(panels, runs.items(), strict=True):
            _draw_losses(panel, lines)
            panel.set(title=pair.upper(), xlabel="step", xlim=(0, None))
        panels[0].set(ylabel="loss, nats a subword", ylim=(0, None))
        # The panel with the most runs names them all: a run of the user's own may be in the first one only.
        max(reversed(panels), key=lambda panel: len(panel.lines)).legend(loc="upper right")

    render(stem, FULL, 2.4, draw)


def _draw_losses(axes: Axes, runs: Mapping[str, Sequence[Mapping[str, Any]]]) -> None:
    for number, (name, lines) in enumerate(runs.items()):
        steps = [line["step"] for line in lines]
        style: Any = {"color": colour(number), "marker": "o", "markersize": 2 if len(lines) < 30 else 0}
        training = [line["loss"] for line in lines]
        development = [math.log(line["dev_perplexity"]) for line in lines]
        axes.plot(steps, training, linestyle=DASHED, label=f"{name}, training", **style)
        axes.plot(steps, development, label=f"{name}, development", **style)
