"""Checkpoints: everything that an exact resume needs, written so that a kill at any moment leaves a complete one.

A run's checkpoints are ``checkpoints/<fingerprint>/step-<n>/``.  ``settings.json`` there has everything that determines
the weights: settings, data, vocabulary and TRAINING_VERSION.  Training with other settings uses another folder, so no
run resumes another run's checkpoint.  A checkpoint off the schedule, written because of a signal or after the last
step, is ``stop-<n>/``.  It is deleted when the next one is written, so that an interrupted run ends with the same
checkpoints as one that was not interrupted.

``training_state.json`` has the sha256 of the tensors beside it, and of its own content.  There is no random generator's
state, because the seed, the step and the sentence determine the random numbers of dropout.

Training continues while a thread writes.  A run resumes from its newest checkpoint, so only this one keeps Adam's
moments, which are two thirds of the bytes.
"""

import dataclasses
import hashlib
import json
import os
import re
import shutil
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from transformer.common.artifacts import check_sha256, read_artifact, read_object, write_artifact
from transformer.common.errors import UserError
from transformer.common.files import sha256_of, sync, write_json
from transformer.model.storage import load_tensors, load_weights, save_tensors
from transformer.model.transformer import Transformer
from transformer.settings.run_settings import TrainingConfig, changes_of

FORMAT = 4
STATE_FILE = "training_state.json"
SETTINGS_FILE = "settings.json"
WEIGHTS_FILE = "model.safetensors"
OPTIMIZER_FILE = "optimizer.safetensors"
NAME = re.compile("(step|stop)-[0-9]+")  # of a checkpoint's folder; a copy under another name is left alone
MOMENTS = ("exp_avg", "exp_avg_sq")  # torch's names for Adam's moments m and v
# These settings of a training change no weight, so a training goes on after they have changed.
NOT_DECISIVE = {
    name for name, own in TrainingConfig.settings().items() if changes_of(TrainingConfig, own) == "files"
}


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
    # Machine, precision and code of the first step.
    began: dict[str, Any] = dataclasses.field(default_factory=dict)


def fingerprint(settings: dict[str, Any]) -> str:
    """Return a short hash of the settings of a training.

    It includes how often checkpoints are written and how many are kept, because ``training.json`` has it in its paths:
    without them, every training that has been published would get another one.
    """
    named = settings.get("training", {}).items()
    hashed = {key: value for key, value in named if key not in ("steps", "validate_every_steps")}
    content = settings | {"training": hashed}
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:12]


def decisive(settings: dict[str, Any]) -> dict[str, Any]:
    """Return everything in ``settings`` that determines the weights."""
    training = settings.get("training", {}).items()
    return settings | {"training": {key: value for key, value in training if key not in NOT_DECISIVE}}


def folder_of(parent: Path, settings: dict[str, Any]) -> Path:
    """Return the folder in ``parent`` for the checkpoints of a training with these ``settings``.

    It is the one with the newest checkpoint of a training with the same decisive settings, else a new one.
    """
    # Names as long as a fingerprint: a copy under another name is left alone.
    same = [
        found.parent
        for found in sorted(parent.glob(f"{'?' * 12}/{SETTINGS_FILE}"))
        if decisive(read_object(found, f"delete {found.parent}")) == decisive(settings)
    ]
    return max(
        same, key=lambda folder: Checkpoints(folder, 1).newest_step(), default=parent / fingerprint(settings)
    )


class Checkpoints:
    """The checkpoints of one run, in one folder: the last ``keep`` of those that are written ``every`` so many steps.

    ``settings``, which determine the weights, are written into it.
    """

    def __init__(
        self, folder: Path, keep: int, every: int = 1, settings: dict[str, Any] | None = None
    ) -> None:
        self.folder = folder
        self.keep = keep
        self.every = every
        self.settings = settings or {}
        self._unfinished = folder / ".unfinished"
        self._thread = ThreadPoolExecutor(max_workers=1)
        self._writing: Future[None] | None = None

    def kept(self) -> list[Path]:
        """Return the folders of the last ``keep`` checkpoints, oldest first; only the newest may be off schedule."""
        folders = self._complete()
        # By their steps, since the schedule may have changed after they were named.
        kept = [folder for folder in folders if step_of(folder) % self.every == 0 or folder == folders[-1]]
        return kept[-self.keep :]

    def newest_step(self) -> int:
        """Return the step of the newest checkpoint, and 0 if there is none."""
        return max(map(step_of, self._complete()), default=0)

    def check(self, steps: int) -> None:
        """Raise UserError when what is here cannot become what a training of ``steps`` keeps in the end."""
        found, newest = set(map(step_of, self._complete())), self.newest_step()
        if newest > steps:
            raise UserError(
                f"{self.folder}: the newest checkpoint is of step {newest}, past the last step {steps}; raise steps, "
                "or delete that folder to train from the start"
            )
        scheduled = range(steps // self.every * self.every, 0, -self.every)[: self.keep]
        kept = sorted({steps, *scheduled})[-self.keep :]
        if missing := [step for step in kept if step <= newest and step not in found]:
            raise UserError(
                f"{self.folder}: has no checkpoint of step {missing[-1]}, which these settings keep; this training "
                "had another checkpoint_every_steps or keep_checkpoints when it was there: set them back, or delete "
                "that folder to train from the start"
            )

    def save(self, model: Transformer, optimizer: torch.optim.Optimizer, state: TrainingState) -> None:
        """Write a checkpoint in the background, then delete those that are no longer needed.

        The content is copied before this returns.  Errors of an earlier writing are raised here.
        """
        self.wait()
        moments = {
            f"{name}.{moment}": optimizer.state[parameter][moment]
            for name, parameter in model.named_parameters()
            for moment in MOMENTS
        }
        # Copies in the CPU's memory, which training does not change while they are written.
        files = {
            name: {key: tensor.to("cpu", copy=True) for key, tensor in tensors.items()}
            for name, tensors in ((WEIGHTS_FILE, model.state_dict()), (OPTIMIZER_FILE, moments))
        }
        name = f"{'stop' if state.step % self.every else 'step'}-{state.step:07d}"
        self._writing = self._thread.submit(self._write, name, files, dataclasses.replace(state))

    def wait(self) -> None:
        """Wait until the last checkpoint is written, and raise the error if that failed."""
        if self._writing is not None:
            writing, self._writing = self._writing, None
            writing.result()

    def restore(self, model: Transformer, optimizer: torch.optim.Optimizer) -> TrainingState:
        """Load the newest checkpoint and return its state; without one, return the initial state.

        Raises UserError when a file is missing, damaged or not the one that was written.
        """
        if not self._complete():
            return TrainingState()
        newest = self._complete()[-1]
        advice = f"delete {self.folder} to train from the start"
        content = read_artifact(newest / STATE_FILE, "checkpoint", advice)
        for name, sha256 in content.pop("sha256").items():
            check_sha256(newest / name, sha256, newest / STATE_FILE, advice)
        # Earlier versions wrote more: facts of fp16, and the machine of each part of a training.
        known = {"began": (content.get("stretches") or [{}])[0]} | content
        state = TrainingState(
            **{field.name: known[field.name] for field in dataclasses.fields(TrainingState)}
        )
        load_weights(model, newest / WEIGHTS_FILE)
        moments = load_tensors(newest / OPTIMIZER_FILE)
        for name, parameter in model.named_parameters():
            optimizer.state[parameter] = {
                "step": torch.tensor(float(state.step), device=parameter.device),
                # Copied, because the loaded tensors are views of a file that will be deleted.
                **{m: moments[f"{name}.{m}"].to(parameter.device, copy=True) for m in MOMENTS},
            }
        return state

    def other_steps(self) -> list[int]:
        """Return the last step of each training with other settings, unless this one has checkpoints itself."""
        if self._complete():
            return []
        others = (
            Checkpoints(folder, self.keep)._complete() for folder in sorted(self.folder.parent.glob("*/"))
        )
        return [step_of(checkpoints[-1]) for checkpoints in others if checkpoints]

    def _complete(self) -> list[Path]:
        found = (path for path in self.folder.glob("st*") if NAME.fullmatch(path.name))
        return sorted(found, key=step_of)

    def _write(self, name: str, files: dict[str, dict[str, Tensor]], state: TrainingState) -> None:
        """Build a checkpoint in a temporary folder and rename it, so that ``step-…`` is always complete."""
        shutil.rmtree(self._unfinished, ignore_errors=True)
        try:
            if not (self.folder / SETTINGS_FILE).exists():
                write_json(self.folder / SETTINGS_FILE, self.settings)
            for file, tensors in files.items():
                save_tensors(self._unfinished / file, tensors)
            sums = {file: sha256_of(self._unfinished / file) for file in files}
            content = {"format": FORMAT, **dataclasses.asdict(state), "sha256": sums}
            write_artifact(self._unfinished / STATE_FILE, content)
            sync(self._unfinished)
            os.replace(self._unfinished, self.folder / name)
        finally:
            shutil.rmtree(self._unfinished, ignore_errors=True)
        sync(self.folder)
        self._prune()

    def _prune(self) -> None:
        """Delete the checkpoints that are no longer kept, and all moments but the newest."""
        folders, kept = self._complete(), self.kept()
        for folder in folders[:-1]:
            if folder in kept:
                (folder / OPTIMIZER_FILE).unlink(missing_ok=True)
            else:
                self._delete(folder)

    def _delete(self, checkpoint: Path) -> None:
        """Delete a checkpoint.  It is renamed first, so that no folder named step-… is ever half deleted."""
        shutil.rmtree(self._unfinished, ignore_errors=True)
        os.replace(checkpoint, self._unfinished)
        shutil.rmtree(self._unfinished)


def step_of(checkpoint: Path) -> int:
    """Return the step after which the checkpoint in this folder was written."""
    return int(checkpoint.name.rpartition("-")[2])
