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


def test_a_resume_goes_on_with_scale_and_counter() -> None:
    scaler = make_scaler("fp16", CPU, TrainingState(loss_scale=1024.0, steps_since_overflow=7))
    assert scaler.get_scale() == 1024.0
    assert scaler.state_dict()["_growth_tracker"] == 7


def test_other_formats_have_none() -> None:
    for precision in ("fp32", "bf16"):
        assert not make_scaler(precision, CPU, TrainingState()).is_enabled()


def test_what_a_checkpoint_keeps() -> None:
    """The scale, the steps since the last overflow, and how many steps overflows have skipped."""
    state = TrainingState(loss_scale=1024.0, steps_since_overflow=7)
    scaler = make_scaler("fp16", CPU, state)
    weight = torch.nn.Parameter(torch.ones(2))
    optimizer = torch.optim.Adam([weight])
    for gradient in (1.0, float("inf"), 1.0, 1.0):
        scaler.scale((weight * gradient).sum()).backward()
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad()
        state.step += 1
    save_scaler(scaler, optimizer, state)
    assert (state.loss_scale, state.steps_since_overflow, state.skipped) == (512.0, 2, 1)


def test_other_formats_keep_nothing() -> None:
    state = TrainingState(step=3)
    save_scaler(make_scaler("bf16", CPU, state), torch.optim.Adam([torch.ones(1)]), state)
    assert state == TrainingState(step=3)
