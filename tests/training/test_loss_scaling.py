"""The scale of the loss in fp16, and that there is none in other formats."""

import torch

from transformer.training.checkpoints import TrainingState
from transformer.training.loss_scaling import make_scaler

CPU = torch.device("cpu")


def test_the_first_scale() -> None:
    scaler = make_scaler("fp16", CPU, TrainingState())
    assert scaler.is_enabled()
    assert scaler.get_scale() == 2.0**16
    assert scaler.state_dict()["_growth_tracker"] == 0
    assert scaler.get_growth_interval() == 2000


def test_a_resume_goes_on_with_scale_and_counter() -> None:
    scaler = make_scaler("fp16", CPU, TrainingState(loss_scale=1024.0, steps_since_overflow=7))
    assert scaler.get_scale() == 1024.0
    assert scaler.state_dict()["_growth_tracker"] == 7


def test_other_formats_have_none() -> None:
    for precision in ("fp32", "bf16"):
        assert not make_scaler(precision, CPU, TrainingState()).is_enabled()
