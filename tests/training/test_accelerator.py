"""On a GPU, a step waits for nothing; with its attention, a CPU can show that."""

from pathlib import Path

import pytest
import tiny
from waits import Waits

from transformer.dataset.tokenized import TokenizedDataset
from transformer.model import attention


@pytest.mark.parametrize("precision", ["fp32", "bf16"])
def test_a_step_never_waits_for_the_device(
    tmp_path: Path, store: TokenizedDataset, precision: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without dropout of attention weights, which the fused attention of a GPU does not have."""
    monkeypatch.setattr(attention, "FUSED_DEVICES", {"cpu"})
    model = {"N": 2, "attention_dropout": 0.0, "dropout": 0.1}
    run = tiny.trainer(tmp_path, store, model=model, numerics=precision)
    work = run.work()
    run.train_step(next(work))
    prepared = next(work)
    with Waits() as waits:
        loss = run.train_step(prepared)
    assert waits.found == []
    with Waits() as waits:
        run.read_loss(loss, prepared.target_tokens)
    assert waits.found == ["_local_scalar_dense"]
