"""Figures 1 and 2 show the numbers of the run, and their boxes neither overlap nor leave the figure."""

import itertools
from pathlib import Path
from typing import Any

import pytest
import tiny
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch

from transformer.common.json_artifacts import write_artifact
from transformer.figures import diagrams


def drawn(plot: Any, folder: Path, monkeypatch: pytest.MonkeyPatch, **model: Any) -> Figure:
    """Return the figure of a run whose config has these numbers."""
    figure = Figure()

    def render(stem: Path, width: float, height: float, draw: Any) -> None:
        figure.set_size_inches(width, height)
        draw(figure)

    monkeypatch.setattr(diagrams, "render", render)
    write_artifact(folder / "config.json", tiny.run_config(model=tiny.model_config(**model)))
    plot([folder / "config.json"], folder / "figure")
    return figure


def test_figure_1(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    figure = drawn(diagrams.plot_architecture, tmp_path, monkeypatch, N=3)
    texts = [text.get_text() for text in figure.axes[0].texts]
    assert texts.count("3×") == texts.count("Feed\nForward") == 2
    assert texts.count("Add & Norm") == 5
    for column in (0.57, 1.82):
        boxes = [(low, low + height) for left, low, _, height, *_ in diagrams.BOXES if left == column]
        assert all(below[1] < above[0] for below, above in itertools.pairwise(boxes))


def test_figure_2(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    figure = drawn(diagrams.plot_attention_block, tmp_path, monkeypatch, h=4)
    texts = [text.get_text() for text in figure.axes[0].texts]
    assert "$h = 4$" in texts
    assert texts.count("MatMul") == texts.count("$Q$") == 2
    width, height = figure.get_size_inches()
    for patch in figure.axes[0].patches:
        if isinstance(patch, FancyBboxPatch):
            assert 0 < patch.get_x() < patch.get_x() + patch.get_width() < width
            assert 0 < patch.get_y() < patch.get_y() + patch.get_height() < height
