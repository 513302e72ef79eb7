"""What training does on a GPU, as far as a CPU can show it: its attention, its waits, its memory and fp16."""

from pathlib import Path
from typing import Any

import pytest
import tiny
import torch
from waits import Waits

from transformer.common.errors import UserError
from transformer.dataset.padding import Batch
from transformer.dataset.tokenized import TokenizedDataset
from transformer.model import attention
from transformer.training.distributed import ProcessGroup
from transformer.training.loss import Objective
from transformer.training.trainer import Trainer

ALONE = ProcessGroup(0, 1, torch.device("cpu"))


@pytest.fixture
def fused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Attention takes the GPU's branch on the CPU, too."""
    monkeypatch.setattr(attention, "FUSED_DEVICES", {"cpu", "cuda"})


def trainer(folder: Path, store: TokenizedDataset, dropout: float = 0.1, **settings: Any) -> Trainer:
    """A trainer without dropout of attention weights, which fused attention does not have."""
    model = {"N": 2, "attention_dropout": 0.0, "dropout": dropout}
    return tiny.trainer(folder, store, model=model, **settings)


def losses(run: Trainer) -> list[float]:
    return [run.read_loss(run.train_step(work), work.target_tokens) for work in run.work()]


@pytest.mark.usefixtures("fused")
@pytest.mark.parametrize("precision", ["fp32", "bf16"])
def test_a_step_never_waits_for_the_device(tmp_path: Path, store: TokenizedDataset, precision: str) -> None:
    run = trainer(tmp_path, store, numerics=precision)
    work = run.work()
    run.train_step(next(work))
    prepared = next(work)
    with Waits() as waits:
        loss = run.train_step(prepared)
    assert waits.found == []
    with Waits() as waits:
        run.read_loss(loss, prepared.target_tokens)
    assert waits.found == ["_local_scalar_dense"]


class Small(torch.nn.Module):
    """An objective on a device whose memory holds ``room`` padded positions, of which the ``way`` back needs more."""

    def __init__(self, objective: Objective, room: int, way: str) -> None:
        super().__init__()
        self.objective, self.room, self.way = objective, room, way

    def forward(self, batch: Batch) -> torch.Tensor:
        loss: torch.Tensor = self.objective(batch)
        if batch.source.numel() + batch.target.numel() > self.room:
            if self.way == "back":
                loss.register_hook(self.fail)
            else:
                self.fail()
        return loss

    def fail(self, *_: torch.Tensor) -> None:
        raise torch.OutOfMemoryError("CUDA out of memory")


def fit(run: Trainer, room: int, way: str = "forward") -> None:
    whole, run.objective = run.objective, Small(Objective(run.model, 0.1), room, way)
    try:
        run.fit_memory()
    finally:
        run.objective = whole


@pytest.mark.parametrize("way", ["forward", "back"])
def test_micro_batches_shrink_until_the_largest_fits(
    tmp_path: Path, store: TokenizedDataset, capsys: pytest.CaptureFixture[str], way: str
) -> None:
    """Before the first step, and without a change of what is trained."""
    expected = losses(trainer(tmp_path / "whole", store))
    run = trainer(tmp_path / "small", store)
    assert run.worklist.count == 2
    fit(run, 1000, way)
    assert run.worklist.count == 2
    fit(run, 60, way)
    assert run.worklist.count == 8
    assert all(parameter.grad is None for parameter in run.model.parameters())
    assert "each batch is divided into 8 micro-batches" in capsys.readouterr().err
    assert losses(run) == pytest.approx(expected, rel=1e-5)


def test_a_sentence_that_does_not_fit(tmp_path: Path, store: TokenizedDataset) -> None:
    """A batch of as many micro-batches as tokens is not divided any more."""
    run = trainer(tmp_path, store)
    run.worklist.count = run.worklist.config.batch_tokens // 4
    with pytest.raises(UserError, match="memory is too small for one sentence pair; lower max_length"):
        fit(run, 3)
    assert run.worklist.count == run.worklist.config.batch_tokens


def test_fp16_is_close_to_fp32(tmp_path: Path, store: TokenizedDataset) -> None:
    exact = losses(trainer(tmp_path / "fp32", store, steps=6))
    run = trainer(tmp_path / "fp16", store, steps=6, numerics="fp16")
    assert losses(run) == pytest.approx(exact, rel=0.02)
    assert run.scaler.get_scale() == 2**16


def test_fp16_skips_what_overflows_and_resumes_exactly(
    tmp_path: Path, store: TokenizedDataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first scale is far too large, so the first steps are skipped, and each halves the scale."""
    monkeypatch.setattr("transformer.training.loss_scaling.FIRST_SCALE", 2.0**34)
    trainer(tmp_path / "whole", store, steps=20, numerics="fp16").train()
    state = tiny.outcome(tmp_path / "whole")
    assert 0 < state["skipped"] < 20
    assert state["loss_scale"] == 2.0 ** (34 - state["skipped"])
    trainer(tmp_path / "parts", store, steps=6, numerics="fp16").train()
    trainer(tmp_path / "parts", store, steps=20, numerics="fp16").train()
    assert tiny.outcome(tmp_path / "parts") == tiny.outcome(tmp_path / "whole")


def test_fp16_counts_on_after_a_resume(
    tmp_path: Path, store: TokenizedDataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The scale doubles after every fourth step, whatever part of the training it is in."""
    monkeypatch.setattr("transformer.training.loss_scaling.FIRST_SCALE", 2.0**4)
    monkeypatch.setattr("transformer.training.loss_scaling.GROWTH_INTERVAL", 4)
    for steps in (6, 20):
        trainer(tmp_path, store, steps=steps, numerics="fp16").train()
    assert tiny.outcome(tmp_path)["loss_scale"] == 2.0 ** (4 + 20 // 4)
