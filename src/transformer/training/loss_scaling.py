"""Loss scaling, which keeps small gradients representable in fp16 (Micikevicius et al. 2018)."""

import torch
from torch.amp.grad_scaler import GradScaler

from transformer.model.arithmetic import Precision
from transformer.training.checkpoints import TrainingState

FIRST_SCALE = 2.0**16
GROWTH_INTERVAL = 2000  # steps without overflow after which the scale doubles


def make_scaler(precision: Precision, device: torch.device, state: TrainingState) -> GradScaler:
    """Return torch's scaler with the scale of ``state``; it does nothing unless the precision is fp16."""
    scaler = GradScaler(
        device.type,
        init_scale=state.loss_scale or FIRST_SCALE,
        growth_interval=GROWTH_INTERVAL,
        enabled=precision == "fp16",
    )
    if precision == "fp16":
        # A scaler whose counter is not set begins to count at 0.
        scaler.load_state_dict(scaler.state_dict() | {"_growth_tracker": state.steps_since_overflow})
    return scaler


def save_scaler(scaler: GradScaler, optimizer: torch.optim.Optimizer, state: TrainingState) -> None:
    """Put the scale, and the number of steps that overflows have skipped, into ``state``."""
    if scaler.is_enabled():
        state.loss_scale = scaler.get_scale()
        state.steps_since_overflow = scaler.state_dict()["_growth_tracker"]
        taken = int(next(iter(optimizer.state.values()))["step"])
        state.skipped = state.step - taken
