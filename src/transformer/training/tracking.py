"""Training curves in TensorBoard or DVCLive, live.

An observer reads the files that trainings write anyway, ``metrics.jsonl``.  So a training does not depend on it, and it
shows trainings that run, that were interrupted and that have ended.  Both tools are optional packages; only the classes
that need them import them.
"""

import shutil
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol

from transformer.common.metrics_file import metrics_line

Tool = Literal["tensorboard", "dvclive"]


class Curves(Protocol):
    """The curves of one training in the format of a tool."""

    def write(self, step: int, figures: Mapping[str, float]) -> None:
        """Add a point to each curve."""

    def close(self) -> None:
        """Finish the files."""


class TensorBoardCurves:
    """A folder with a TensorBoard event file."""

    def __init__(self, folder: Path) -> None:
        from tensorboard.summary.writer.event_file_writer import EventFileWriter

        shutil.rmtree(folder, ignore_errors=True)  # TensorBoard would join the curves of all files in it
        self._file = EventFileWriter(str(folder))

    def write(self, step: int, figures: Mapping[str, float]) -> None:
        from tensorboard.compat.proto.event_pb2 import Event
        from tensorboard.compat.proto.summary_pb2 import Summary

        values = [Summary.Value(tag=name, simple_value=value) for name, value in figures.items()]
        self._file.add_event(Event(step=step, wall_time=time.time(), summary=Summary(value=values)))
        self._file.flush()

    def close(self) -> None:
        self._file.close()


class DvcLiveCurves:
    """A folder of DVCLive, which replaces what it had written there before."""

    def __init__(self, folder: Path) -> None:
        from dvclive import Live

        # Neither dvc.yaml nor experiments change: DVC runs the whole pipeline, not one training.
        self._live = Live(str(folder), save_dvc_exp=False, dvcyaml=None)

    def write(self, step: int, figures: Mapping[str, float]) -> None:
        self._live.step = step
        for name, value in figures.items():
            self._live.log_metric(name, value)
        self._live.make_summary()

    def close(self) -> None:
        self._live.end()


CURVES: dict[str, Callable[[Path], Curves]] = {"tensorboard": TensorBoardCurves, "dvclive": DvcLiveCurves}


@dataclass
class Shown:
    """What is shown of one training."""

    curves: Curves
    lines: list[bytes] = field(default_factory=list)  # of its metrics.jsonl


class Observer:
    """Shows the trainings below ``runs``, the folder of RUN/PAIR, in a folder RUN.PAIR of ``output`` each."""

    def __init__(self, runs: Path, output: Path, make_curves: Callable[[Path], Curves]) -> None:
        self.runs = runs
        self.output = output
        self._make_curves = make_curves
        self._shown: dict[Path, Shown] = {}

    def look(self) -> None:
        """Show what trainings have written since the last look."""
        for folder in sorted(self.runs.glob("*/*")):
            file = metrics_file(folder)
            if file is not None:
                self._show(folder, file, complete_lines(file))

    def close(self) -> None:
        """Finish all files."""
        for shown in self._shown.values():
            shown.curves.close()

    def _show(self, folder: Path, file: Path, lines: list[bytes]) -> None:
        shown = self._shown.get(folder)
        if shown is not None and shown.lines[: len(lines)] == lines:
            return  # nothing new; a training that resumes drops the lines after its checkpoint
        if shown is None or lines[: len(shown.lines)] != shown.lines:  # another training, or another course
            if shown is not None:
                shown.curves.close()
            name = f"{folder.parent.name}.{folder.name}"
            shown = self._shown[folder] = Shown(self._make_curves(self.output / name))
        for number, line in enumerate(lines[len(shown.lines) :], start=len(shown.lines) + 1):
            figures = metrics_line(line, file, number)
            shown.curves.write(figures.pop("step"), figures)
        shown.lines = lines


def metrics_file(folder: Path) -> Path | None:
    """Return the metrics of a run that has ended, or those of its newest training; None if there are none.

    Snakemake removes the first, an output of the rule, when it starts to train again.
    """
    ended = folder / "metrics.jsonl"
    if ended.exists():
        return ended
    return max(folder.glob("checkpoints/*/metrics.jsonl"), key=_modified, default=None)


def _modified(file: Path) -> float:
    return file.stat().st_mtime


def complete_lines(file: Path) -> list[bytes]:
    """Return the lines of a file that may be being written; an incomplete last line is left out."""
    try:
        content = file.read_bytes()
    except FileNotFoundError:  # it was just removed
        return []
    return [line for line in content.splitlines(keepends=True) if line.endswith(b"\n")]
