"""Training curves have a point for each figure of metrics.jsonl, also when a training goes on."""

import json
from pathlib import Path

import pytest
import tiny

from transformer.training import train
from transformer.training.tracking import curves

Points = dict[tuple[int, str], float]


def drawn(folder: Path) -> Points:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    events = EventAccumulator(str(folder)).Reload()
    return {
        (point.step, name): point.value for name in events.Tags()["scalars"] for point in events.Scalars(name)
    }


def in_metrics(run: Path) -> Points:
    return {(line["step"], name): line[name] for line in tiny.metrics(run) for name in line if name != "step"}


def test_a_training_draws_each_figure(tiny_run: Path, tmp_path: Path) -> None:
    """Those before its checkpoint again when it goes on, here after its end, and none of an earlier training."""
    pytest.importorskip("tensorboard", reason="the packages of requirements-extras.lock are not installed")
    folder, earlier = tmp_path / "curves", tmp_path / "earlier.jsonl"
    earlier.write_text(json.dumps({"step": 500, "loss": 3.0}) + "\n")
    curves(folder, earlier)({"step": 1000, "loss": 1.5})
    assert drawn(folder) == {(500, "loss"): 3.0, (1000, "loss"): 1.5}
    (folder / "thesis.txt").write_text("not ours to delete")
    line = ["--config", tiny_run / "config.json", "--data", tiny_run / "data"]
    line += ["--subwords", tiny_run / "subwords.model", "--output", tmp_path / "run", "--track", folder]
    for _ in range(2):
        assert tiny.run(train.main, *line) == 0
        assert drawn(folder) == pytest.approx(in_metrics(tmp_path / "run"), rel=1e-6)
    assert (folder / "thesis.txt").exists()
