"""The scale of the loss in fp16, and that there is none in other formats."""

import torch

from transformer.training.checkpoints import TrainingState
from transformer.training.loss_scaling import make_scaler, save_scaler

CPU = torch.device("cpu")


def test_the_first_scale() -> None:
    scaler = make_scaler("fp16", CPU, TrainingState())
    assert scaler.is_enabled()
    assert scaler.get_scale() == 2.0**16
    assert scaler.state_dict()["_growth_tracker"] == 0
    assert scaler.get_growth_interval() == 2000


def test_other_formats_have_none() -> None:
    for precision in ("fp32", "bf16"):
        assert not make_scaler(precision, CPU, TrainingState()).is_enabled()


def test_other_formats_keep_nothing() -> None:
    state = TrainingState(step=3)
    save_scaler(make_scaler("bf16", CPU, state), torch.optim.Adam([torch.ones(1)]), state)
    assert state == TrainingState(step=3)
