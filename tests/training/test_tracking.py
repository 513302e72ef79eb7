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

TOOLS = ("tensorboard", "dvclive")
EXTRA = "the packages of requirements-extras.lock are not installed"
Points = list[tuple[int, str, float]]


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> Points:
    """What a module in place of DVCLive was told since a training started."""
    drawn: Points = []

    class Live:
        step = 0

        def __init__(self, folder: str, save_dvc_exp: bool, dvcyaml: None) -> None:
            drawn.clear()

        def log_metric(self, name: str, value: float) -> None:
            drawn.append((self.step, name, value))

        def make_summary(self) -> None:
            pass

    module: Any = SimpleNamespace(Live=Live, __spec__=importlib.util.find_spec("json"))
    monkeypatch.setitem(sys.modules, "dvclive", module)
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
        assert tiny.run(train.main, *inputs, tmp_path / "run", "--track", "dvclive", tmp_path / "curves") == 0
        assert drawn == in_metrics(tmp_path / "run")
        assert len({step for step, *_ in drawn}) > 1
    made = [(tmp_path / name / "training.json").read_bytes() for name in ("alone", "run")]
    assert made[0] == made[1]


def metrics(folder: Path, **figures: float) -> Path:
    path = folder / "metrics.jsonl"
    path.write_text(json.dumps(figures) + "\n")
    return path


@pytest.mark.parametrize("tool", TOOLS)
def test_the_tools_read_points_at_once_and_none_of_an_earlier_training(tool: str, tmp_path: Path) -> None:
    pytest.importorskip(tool, reason=EXTRA)
    other = tmp_path / "curves" / "thesis.txt"
    other.parent.mkdir()
    other.write_text("not ours to delete")
    for loss in (3.0, 2.0):
        show = curves(tool, tmp_path / "curves", metrics(tmp_path, step=500, loss=loss))
        show({"step": 1000, "loss": 1.5})
        assert read(tool, tmp_path / "curves") == [(500, loss), (1000, 1.5)]
    assert other.exists()
    assert not list(tmp_path.rglob("dvc.yaml"))


def read(tool: str, folder: Path) -> list[tuple[int, float]]:
    """The points of the loss, as the tool itself reads them."""
    if tool == "dvclive":
        assert json.loads((folder / "metrics.json").read_text()) == {"loss": 1.5, "step": 1000}
        rows = (folder / "plots" / "metrics" / "loss.tsv").read_text().split("\n")[1:-1]
        return [(int(step), float(loss)) for step, loss in (row.split("\t") for row in rows)]
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    events = EventAccumulator(str(folder)).Reload()
    return [(point.step, point.value) for point in events.Scalars("loss")]
