"""Training curves are a view of metrics.jsonl, whatever its trainings do meanwhile."""

import importlib.util
import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import pytest
from scripts import SCRIPTS

from transformer.common.errors import UserError
from transformer.training.tracking import CURVES, Observer

EXTRA = "the packages of requirements-track.lock are not installed"


class Noted:
    """Curves that are kept in memory, by the name of their folder."""

    made: dict[str, list["Noted"]]

    def __init__(self, folder: Path) -> None:
        self.points: list[tuple[int, dict[str, float]]] = []
        self.closed = False
        self.made.setdefault(folder.name, []).append(self)

    def write(self, step: int, figures: Mapping[str, float]) -> None:
        self.points.append((step, dict(figures)))

    def close(self) -> None:
        self.closed = True


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> dict[str, list[Noted]]:
    made: dict[str, list[Noted]] = {}
    monkeypatch.setattr(Noted, "made", made, raising=False)
    return made


def line(step: int, loss: float = 2.0) -> str:
    return json.dumps({"step": step, "loss": loss}) + "\n"


def running(runs: Path, *lines: str, fingerprint: str = "a") -> Path:
    """What a training that runs has written so far."""
    file = runs / "base" / "en-de" / "checkpoints" / fingerprint / "metrics.jsonl"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(lines))
    return file


def steps(curves: Noted) -> list[int]:
    return [step for step, _ in curves.points]


def test_points_appear_while_a_training_runs_and_once_only(
    tmp_path: Path, made: dict[str, list[Noted]]
) -> None:
    observer = Observer(tmp_path / "runs", tmp_path / "out", Noted)
    observer.look()
    (tmp_path / "runs" / "base" / "en-de").mkdir(parents=True)  # the training has not begun
    observer.look()
    assert made == {}
    file = running(tmp_path / "runs", line(1, 5.5), line(2)[:-5])  # it is writing the second line
    observer.look()
    (curves,) = made["base.en-de"]
    assert curves.points == [(1, {"loss": 5.5})]
    running(tmp_path / "runs", line(1, 5.5), line(2), line(3))
    observer.look()
    (file.parents[2] / "metrics.jsonl").write_text(line(1, 5.5) + line(2) + line(3))  # it has ended
    observer.look()
    assert steps(curves) == [1, 2, 3]
    observer.close()
    assert curves.closed


def test_a_training_that_resumes_goes_on_or_is_drawn_again(
    tmp_path: Path, made: dict[str, list[Noted]]
) -> None:
    observer = Observer(tmp_path / "runs", tmp_path / "out", Noted)
    for lines in ([line(1), line(2)], [line(1)], [line(1), line(2), line(3)]):
        running(tmp_path / "runs", *lines)
        observer.look()
    (curves,) = made["base.en-de"]
    assert steps(curves) == [1, 2, 3]
    for lines in ([line(1)], [line(1), line(2, 1.5)]):  # it takes another course, as on several GPUs
        running(tmp_path / "runs", *lines)
        observer.look()
    _, again = made["base.en-de"]
    assert curves.closed
    assert again.points == [(1, {"loss": 2.0}), (2, {"loss": 1.5})]


def test_a_damaged_line_is_named(tmp_path: Path, made: dict[str, list[Noted]]) -> None:
    file = running(tmp_path / "runs", line(1), line(2))
    file.write_bytes(file.read_bytes().replace(b"2", b"\xff"))
    with pytest.raises(UserError, match=f"{file}, line 1: not valid JSON \\(not UTF-8\\)"):
        Observer(tmp_path / "runs", tmp_path / "out", Noted).look()


def test_the_newest_training_of_a_run_is_shown(tmp_path: Path, made: dict[str, list[Noted]]) -> None:
    running(tmp_path / "runs", line(1), line(2))
    observer = Observer(tmp_path / "runs", tmp_path / "out", Noted)
    observer.look()
    newer = running(tmp_path / "runs", line(7), fingerprint="0")
    os.utime(newer, (2e9, 2e9))
    observer.look()
    assert steps(made["base.en-de"][-1]) == [7]


@pytest.mark.parametrize("tool", CURVES)
def test_the_script_follows_until_its_input_ends(tool: str, tmp_path: Path) -> None:
    pytest.importorskip(tool, reason=EXTRA)
    running(tmp_path / "runs", line(500, 3.25), line(1000, 2.5))
    options = ["--tool", tool, "--runs", "runs", "--output", "out", "--follow", "--every", "0.1"]
    command = [sys.executable, str(SCRIPTS["track"]), *options]
    with subprocess.Popen(command, cwd=tmp_path, stdin=subprocess.PIPE, text=True) as process:
        running(tmp_path / "runs", line(500, 3.25), line(1000, 2.5), line(1500, 2.25))
        process.communicate()
    assert process.returncode == 0
    assert read(tool, tmp_path / "out" / "base.en-de") == [(500, 3.25), (1000, 2.5), (1500, 2.25)]


@pytest.mark.parametrize("tool", CURVES)
def test_points_can_be_read_at_once_and_replace_those_of_an_earlier_training(
    tool: str, tmp_path: Path
) -> None:
    pytest.importorskip(tool, reason=EXTRA)
    for loss in (3.0, 2.0):
        curves = CURVES[tool](tmp_path / "curves")
        curves.write(500, {"loss": loss})
        assert read(tool, tmp_path / "curves") == [(500, loss)]  # also before the file is closed
        curves.close()
        assert read(tool, tmp_path / "curves") == [(500, loss)]


def test_points_have_the_time_at_which_they_appear(tmp_path: Path) -> None:
    pytest.importorskip("tensorboard", reason=EXTRA)
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    curves = CURVES["tensorboard"](tmp_path)
    before = time.time()
    curves.write(500, {"loss": 2.0})
    (point,) = EventAccumulator(str(tmp_path)).Reload().Scalars("loss")
    assert before <= point.wall_time <= time.time()
    curves.close()


def test_dvclive_writes_its_summary_and_no_dvc_yaml(tmp_path: Path) -> None:
    pytest.importorskip("dvclive", reason=EXTRA)
    curves = CURVES["dvclive"](tmp_path / "curves")
    curves.write(500, {"loss": 2.0})
    assert json.loads((tmp_path / "curves" / "metrics.json").read_text()) == {"loss": 2.0, "step": 500}
    curves.close()
    assert not list(tmp_path.rglob("dvc.yaml"))


def read(tool: str, folder: Path) -> list[tuple[int, float]]:
    """The points of the loss, as the tool itself reads them."""
    if tool == "dvclive":
        rows = (folder / "plots" / "metrics" / "loss.tsv").read_text().split("\n")[1:-1]
        return [(int(step), float(loss)) for step, loss in (row.split("\t") for row in rows)]
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    events = EventAccumulator(str(folder)).Reload()
    return [(point.step, point.value) for point in events.Scalars("loss")]


def test_without_the_package_one_line_says_what_to_install(tmp_path: Path) -> None:
    missing = [tool for tool in CURVES if importlib.util.find_spec(tool) is None]
    if not missing:
        pytest.skip("all packages are installed")
    options = ["--tool", missing[0], "--runs", "runs", "--output", "out"]
    run = subprocess.run(
        [sys.executable, str(SCRIPTS["track"]), *options], cwd=tmp_path, capture_output=True, text=True
    )
    assert run.returncode == 1
    assert run.stderr == (
        f"error: the package {missing[0]} is not installed; install it with: pip install -r requirements-track.lock\n"
    )
    assert not (tmp_path / "out").exists()
