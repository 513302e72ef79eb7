"""What training does on a GPU, as far as a CPU can show it: its attention and its waits."""

from pathlib import Path
from typing import Any

import pytest
import tiny
import torch
from waits import Waits

from transformer.dataset.tokenized import TokenizedDataset
from transformer.model import attention
from transformer.training.distributed import ProcessGroup
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
