"""What a training reports, when it waits for the device, and when it saves."""

import json
import math
import signal
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import tiny
import torch

from transformer.common.errors import UserError
from transformer.common.special_tokens import PAD
from transformer.dataset.tokenized import TokenizedDataset
from transformer.model.transformer import Transformer
from transformer.training import trainer as module
from transformer.training.checkpoints import TrainingState
from transformer.training.distributed import ProcessGroup
from transformer.training.schedule import learning_rate
from transformer.training.trainer import MetricsFile, Stopped

CPU = torch.device("cpu")


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """A clock that stands still until a test moves it."""
    clock = SimpleNamespace(now=1000.0)
    monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: clock.now))
    return clock


def tokens_of(folder: Path, store: TokenizedDataset, steps: int) -> int:
    """The tokens of both sides in the first batches, counted in what goes through the model."""
    batches = [
        batch for work in tiny.trainer(folder, store, steps=steps).work() for batch in work.micro_batches
    ]
    return sum(int((side != PAD).sum()) for batch in batches for side in (batch.source, batch.target))


def test_what_a_line_of_metrics_says(
    tmp_path: Path, store: TokenizedDataset, clock: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A batch takes 2.5 s and a validation 10 s, which count as training; the pause between two parts does not."""

    def validate(model: Transformer, group: ProcessGroup) -> dict[str, float]:
        clock.now += 10
        return {"dev": 7.0}

    def train(steps: int) -> TrainingState:
        run = tiny.trainer(tmp_path, store, validate, steps=steps, validate_every_steps=2)
        plain_step = run.train_step

        def step(work: Any) -> torch.Tensor:
            clock.now += 2.5
            return plain_step(work)

        monkeypatch.setattr(run, "train_step", step)
        run.train()
        return run.state

    assert train(4).seconds == 30.0
    clock.now += 500
    state = train(5)
    assert state.seconds == 42.5
    assert state.flops == sum(work.flops for work in tiny.trainer(tmp_path / "whole", store, steps=5).work())
    lines = tiny.metrics(tmp_path)
    assert [line["step"] for line in lines] == [2, 4, 5]  # the last step is validated, too
    assert [line["tokens"] for line in lines] == [
        tokens_of(tmp_path / "counted", store, step) for step in (2, 4, 5)
    ]
    assert [line["learning_rate"] for line in lines] == [
        learning_rate(step, 12, 4, 1.0) for step in (2, 4, 5)
    ]
    assert [line["dev"] for line in lines] == [7.0] * 3
    # An epoch has four batches; the number is that of the batch which comes next.
    assert [line["epoch"] for line in lines] == [0, 1, 1]
    assert all(line["loss"] == round(line["loss"], 6) for line in lines)


@pytest.mark.parametrize(("cheap", "stopped_at"), [(True, 3), (False, 10)])
def test_when_a_signal_is_obeyed(
    tmp_path: Path, store: TokenizedDataset, monkeypatch: pytest.MonkeyPatch, cheap: bool, stopped_at: int
) -> None:
    """Several processes agree on it at every tenth step."""
    run = tiny.trainer(tmp_path, store, steps=30, checkpoint_every_steps=20, validate_every_steps=20)
    run.waits_are_cheap = cheap
    plain_step = run.train_step

    def step(work: Any) -> torch.Tensor:
        if run.state.step == 3:
            signal.raise_signal(signal.SIGUSR1)
        return plain_step(work)

    monkeypatch.setattr(run, "train_step", step)
    barriers: list[int] = []
    monkeypatch.setattr(ProcessGroup, "barrier", lambda self: barriers.append(run.state.step))
    handler = signal.getsignal(signal.SIGUSR1)
    with pytest.raises(Stopped, match="^SIGUSR1$") as stopped:
        run.train()
    assert stopped.value.exit_code == 128 + signal.SIGUSR1
    assert run.state.step == stopped_at
    assert barriers == [stopped_at]  # no process ends before the checkpoint is written
    assert [path.name for path in tmp_path.glob("st*")] == [f"stop-{stopped_at:07}"]
    assert signal.getsignal(signal.SIGUSR1) == handler


def test_the_number_of_micro_batches(
    tmp_path: Path, store: TokenizedDataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As many as max_tokens requires, and the same number for each process."""
    monkeypatch.setattr(module, "distribute", lambda objective: objective)

    def count(max_tokens: int, processes: int) -> tuple[int, int, int]:
        group = ProcessGroup(processes - 1, processes, CPU)
        run = tiny.trainer(tmp_path, store, group=group, max_tokens=max_tokens, batch_tokens=120)
        return run.worklist.count, run.worklist.group.rank, run.worklist.group.world_size

    assert count(120, 1) == (1, 0, 1)
    assert count(119, 1) == (2, 0, 1)
    assert count(40, 1) == (3, 0, 1)
    assert count(50, 2) == (4, 1, 2)
    assert count(120, 8) == (8, 7, 8)


def test_metrics_of_an_earlier_part(tmp_path: Path) -> None:
    """Lines after the checkpoint, and one that was cut off, are dropped; another process reads nothing."""
    path = tmp_path / "metrics.jsonl"
    lines = [json.dumps({"step": step, "epoch": 0, "loss": 1.0, "seconds": 1.0}) + "\n" for step in (2, 4, 6)]
    path.write_text("".join(lines) + lines[0].rstrip())
    MetricsFile(path, 4, False)
    assert path.read_text() == "".join(lines) + lines[0].rstrip()
    MetricsFile(path, 4, True)
    assert path.read_text() == "".join(lines[:2])
    path.write_text(lines[0] + '{"step": "two"}\n')
    with pytest.raises(UserError, match=r"metrics\.jsonl, line 2: .*delete this line"):
        MetricsFile(path, 4, True)


@pytest.mark.parametrize("figure", [math.inf, math.nan])
def test_the_last_update_diverges(tmp_path: Path, store: TokenizedDataset, figure: float) -> None:
    """Only the validation sees it.  No checkpoint of these weights is written, and no line of metrics."""
    run = tiny.trainer(tmp_path, store, lambda *_: {"dev": figure}, steps=3)
    with pytest.raises(UserError, match=f"dev at step 3 is {figure}: training diverged; lower learning_rate"):
        run.train()
    assert tiny.metrics(tmp_path) == []
    run.checkpoints.wait()
    assert [path.name for path in run.checkpoints.kept()] == ["step-0000002"]
    with pytest.raises(ValueError, match="not JSON compliant"):
        run.metrics.write({"step": 3, "dev": figure})
