"""Training curves have a point for each figure of metrics.jsonl, also when a training goes on."""

import importlib.util
import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import tiny

from transformer.training import train
from transformer.training.tracking import curves

EXTRA = "the packages of requirements-extras.lock are not installed"
Points = list[tuple[int, str, float]]


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> Points:
    """What a module in place of TensorBoard's writer was told since a training started."""
    drawn: Points = []

    class Writer:
        def __init__(self, folder: str, purge_step: int) -> None:
            drawn.clear()

        def add_scalar(self, name: str, value: float, step: int) -> None:
            drawn.append((step, name, value))

        def flush(self) -> None:
            pass

    present: Any = SimpleNamespace(__spec__=importlib.util.find_spec("json"))
    monkeypatch.setitem(sys.modules, "tensorboard", present)
    writer: Any = SimpleNamespace(SummaryWriter=Writer)
    monkeypatch.setitem(sys.modules, "torch.utils.tensorboard", writer)
    return drawn


def in_metrics(run: Path) -> Points:
    return [
        (line["step"], name, value)
        for line in tiny.metrics(run)
        for name, value in line.items()
        if name != "step"
    ]


def test_a_training_draws_each_figure_and_is_not_affected(
    tiny_run: Path, tmp_path: Path, drawn: Points
) -> None:
    """A training that goes on, here after its end, draws the points before its checkpoint again."""
    inputs = ["--config", tiny_run / "config.json", "--data", tiny_run / "data"]
    inputs += ["--subwords", tiny_run / "subwords.model", "--output"]
    assert tiny.run(train.main, *inputs, tmp_path / "alone") == 0
    for _ in range(2):
        drawn.clear()
        assert tiny.run(train.main, *inputs, tmp_path / "run", "--track", tmp_path / "curves") == 0
        assert drawn == in_metrics(tmp_path / "run")
        assert len({step for step, *_ in drawn}) > 1
    made = [(tmp_path / name / "training.json").read_bytes() for name in ("alone", "run")]
    assert made[0] == made[1]


def metrics(folder: Path, **figures: float) -> Path:
    path = folder / "metrics.jsonl"
    path.write_text(json.dumps(figures) + "\n")
    return path


def test_tensorboard_reads_points_at_once_and_none_of_an_earlier_training(tmp_path: Path) -> None:
    pytest.importorskip("tensorboard", reason=EXTRA)
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    other = tmp_path / "curves" / "thesis.txt"
    other.parent.mkdir()
    other.write_text("not ours to delete")
    for loss in (3.0, 2.0):
        show = curves(tmp_path / "curves", metrics(tmp_path, step=500, loss=loss))
        show({"step": 1000, "loss": 1.5})
        events = EventAccumulator(str(tmp_path / "curves")).Reload()
        assert [(point.step, point.value) for point in events.Scalars("loss")] == [(500, loss), (1000, 1.5)]
    assert other.exists()
