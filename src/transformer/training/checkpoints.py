"""Checkpoints: everything that an exact resume needs, written so that a kill at any moment leaves a complete one.

A run's checkpoints are ``checkpoints/<fingerprint>/step-<n>/``.  The fingerprint is a hash of everything that
determines the weights: settings, data, vocabulary and TRAINING_VERSION.  Training with other settings uses another
folder, so no run resumes another run's checkpoint.  A checkpoint off the schedule, written because of a signal or after
the last step, is ``stop-<n>/``.  It is deleted when the next one is written, so that an interrupted run ends with the
same checkpoints as one that was not interrupted.

Checkpoints hold no random generator state, because the seed, the step and the number of the micro-batch determine
the random numbers of each micro-batch.
"""

import dataclasses
import hashlib
import json
import os
import shutil
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from transformer.common.errors import UserError
from transformer.common.files import read_json, write_json
from transformer.model.storage import load_tensors, load_weights, save_tensors
from transformer.model.transformer import Transformer

FORMAT = 2
STATE_FILE = "training_state.json"
MOMENTS = ("exp_avg", "exp_avg_sq")  # torch's names for Adam's moments m and v


@dataclasses.dataclass
class TrainingState:
    """The state of training apart from weights and moments."""

    step: int = 0  # updates so far
    epoch: int = 0  # of the next batch, from 0
    batch: int = 0  # number of the next batch in its epoch, from 0
    source_tokens: int = 0
    target_tokens: int = 0
    flops: int = 0
    seconds: float = 0.0  # of training, including the runs before an interruption


def fingerprint(decisive: dict[str, Any]) -> str:
    """Return a short hash of everything that determines the weights."""
    return hashlib.sha256(json.dumps(decisive, sort_keys=True).encode()).hexdigest()[:12]


class Checkpoints:
    """The checkpoints of one run, in one folder."""

    def __init__(self, folder: Path, keep: int) -> None:
        self.folder = folder
        self.keep = keep

    def kept(self) -> list[Path]:
        """Return the folders of the last ``keep`` checkpoints, oldest first; only the newest may be off schedule."""
        folders = self._complete()
        kept = [folder for folder in folders if folder.name.startswith("step-") or folder == folders[-1]]
        return kept[-self.keep :]

    def save(
        self, model: Transformer, optimizer: torch.optim.Optimizer, state: TrainingState, *, on_schedule: bool
    ) -> None:
        """Write a checkpoint, then delete those that are no longer needed.

        It is built in a temporary folder and renamed, so that a folder named ``step-…`` is always complete.  Only the
        newest keeps the optimiser's moments, two thirds of the bytes; the older ones are for averaging.
        """
        final = self.folder / f"{'step' if on_schedule else 'stop'}-{state.step:07d}"
        shutil.rmtree(self._unfinished, ignore_errors=True)
        self._unfinished.mkdir(parents=True)
        try:
            save_tensors(self._unfinished / "model.safetensors", model.state_dict())
            save_tensors(self._unfinished / "optimizer.safetensors", _moments(model, optimizer))
            write_json(self._unfinished / STATE_FILE, {"format": FORMAT, **dataclasses.asdict(state)})
            _sync(self._unfinished)
            os.replace(self._unfinished, final)
        finally:
            shutil.rmtree(self._unfinished, ignore_errors=True)
        _sync(self.folder)
        self._prune()

    def restore(self, model: Transformer, optimizer: torch.optim.Optimizer) -> TrainingState:
        """Load the newest checkpoint into model and optimiser and return its state; without one, the initial state.

        Raises UserError when a file is damaged or the checkpoint has another format.
        """
        folders = self._complete()
        if not folders:
            return TrainingState()
        newest = folders[-1]
        content = read_json(newest / STATE_FILE) if (newest / STATE_FILE).exists() else {}
        try:
            if content.pop("format") != FORMAT:
                raise ValueError
            state = TrainingState(**content)
            load_weights(model, newest / "model.safetensors")
            moments = load_tensors(newest / "optimizer.safetensors")
            for name, parameter in model.named_parameters():
                optimizer.state[parameter] = {
                    "step": torch.tensor(float(state.step), device=parameter.device),
                    # Copied, because the loaded tensors are views of a file that will be deleted.
                    **{m: moments[f"{name}.{m}"].to(parameter.device, copy=True) for m in MOMENTS},
                }
        except (AttributeError, KeyError, TypeError, ValueError):
            raise UserError(
                f"{newest}: not a checkpoint of format {FORMAT}; delete {self.folder} to train from the start"
            ) from None
        return state

    @property
    def _unfinished(self) -> Path:
        return self.folder / ".unfinished"

    def _complete(self) -> list[Path]:
        return sorted((*self.folder.glob("step-*"), *self.folder.glob("stop-*")), key=step_of)

    def _prune(self) -> None:
        kept = self.kept()
        for folder in self._complete():
            if folder not in kept:
                # Renamed first, so that no folder named step-… is ever half deleted.
                os.replace(folder, self._unfinished)
                shutil.rmtree(self._unfinished)
            elif folder != kept[-1]:
                (folder / "optimizer.safetensors").unlink(missing_ok=True)


def step_of(checkpoint: Path) -> int:
    """Return the step after which the checkpoint in this folder was written."""
    return int(checkpoint.name.rpartition("-")[2])


def _moments(model: Transformer, optimizer: torch.optim.Optimizer) -> dict[str, Tensor]:
    return {
        f"{name}.{moment}": optimizer.state[parameter][moment]
        for name, parameter in model.named_parameters()
        for moment in MOMENTS
    }


def _sync(folder: Path) -> None:
    """Make a rename in ``folder`` survive a power cut."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
