"""Checkpoints: everything an exact resume needs, written so that a kill at any moment leaves a whole one.

A run's checkpoints lie in ``checkpoints/<fingerprint>/step-<n>/``, the fingerprint being a hash of all that
decides the weights: settings, data, vocabulary.  Training with other settings starts in another folder,
so that no checkpoint is ever resumed by a run that it does not belong to.  One that is off the schedule, because a
signal came or the last step is no multiple, is ``stop-<n>/``: it goes when the next is written, so that a
run that was stopped ends with the same checkpoints as one that was not.

No random-number state is in them: the randomness of each step is drawn from (seed, step, shard) alone.
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

FORMAT = 1
MOMENTS = ("exp_avg", "exp_avg_sq")  # torch's names for Adam's m and v


@dataclasses.dataclass
class Position:
    """How far training has come.  ``step`` counts updates; ``epoch`` and ``batch`` say which batch is next."""

    step: int = 0
    epoch: int = 0
    batch: int = 0
    source_tokens: int = 0
    target_tokens: int = 0
    flops: int = 0
    seconds: float = 0.0  # of training, over all processes that were killed and resumed


def fingerprint(decisive: dict[str, Any]) -> str:
    """A short hash of all that decides the weights."""
    return hashlib.sha256(json.dumps(decisive, sort_keys=True).encode()).hexdigest()[:12]


class Checkpoints:
    """The checkpoints of one run, in one folder."""

    def __init__(self, folder: Path, keep: int) -> None:
        self.folder = folder
        self.keep = keep

    def kept(self) -> list[Path]:
        """The folders of the last ``keep`` checkpoints, oldest first: those on schedule, and the newest of all."""
        whole = self._whole()
        return [folder for folder in whole if folder.name.startswith("step-") or folder == whole[-1]][
            -self.keep :
        ]

    def save(
        self, model: Transformer, optimizer: torch.optim.Optimizer, position: Position, *, on_schedule: bool
    ) -> None:
        """Write a checkpoint, then drop what is no longer needed.

        It is built in a temporary folder and renamed, so that a folder named ``step-…`` is always whole.
        Optimiser moments, two thirds of the bytes, are kept in the newest only; the others are for averaging.
        """
        final = self.folder / f"{'step' if on_schedule else 'stop'}-{position.step:07d}"
        shutil.rmtree(self._unfinished, ignore_errors=True)
        self._unfinished.mkdir(parents=True)
        try:
            save_tensors(self._unfinished / "model.safetensors", model.state_dict())
            save_tensors(self._unfinished / "optimizer.safetensors", _moments(model, optimizer))
            write_json(self._unfinished / "position.json", {"format": FORMAT, **dataclasses.asdict(position)})
            _sync(self._unfinished)
            os.replace(self._unfinished, final)
        finally:
            shutil.rmtree(self._unfinished, ignore_errors=True)
        _sync(self.folder)
        self._prune()

    def restore(self, model: Transformer, optimizer: torch.optim.Optimizer) -> Position:
        """Load the newest checkpoint into model and optimiser; the start of training where there is none.

        Raises UserError when a file is damaged.
        """
        whole = self._whole()
        if not whole:
            return Position()
        newest = whole[-1]
        state = read_json(newest / "position.json")
        try:
            if state.pop("format") != FORMAT:
                raise ValueError
            position = Position(**state)
            load_weights(model, newest / "model.safetensors")
            moments = load_tensors(newest / "optimizer.safetensors")
            for name, parameter in model.named_parameters():
                optimizer.state[parameter] = {
                    "step": torch.tensor(float(position.step), device=parameter.device),
                    # Copied: the tensors that were loaded are views of a file that will be deleted.
                    **{m: moments[f"{name}.{m}"].to(parameter.device, copy=True) for m in MOMENTS},
                }
        except (AttributeError, KeyError, TypeError, ValueError):
            raise UserError(
                f"{newest}: not a checkpoint of format {FORMAT}; delete {self.folder} to train anew"
            ) from None
        return position

    @property
    def _unfinished(self) -> Path:
        return self.folder / ".unfinished"

    def _whole(self) -> list[Path]:
        return sorted((*self.folder.glob("step-*"), *self.folder.glob("stop-*")), key=step_of)

    def _prune(self) -> None:
        kept = self.kept()
        for folder in self._whole():
            if folder not in kept:
                os.replace(folder, self._unfinished)  # so that no folder named step-… is ever half deleted
                shutil.rmtree(self._unfinished)
            elif folder != kept[-1]:
                (folder / "optimizer.safetensors").unlink(missing_ok=True)


def step_of(checkpoint: Path) -> int:
    """The step after which the checkpoint in this folder was written."""
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
