"""Checkpoints: everything that an exact resume needs, written so that a kill at any moment leaves a complete one.

A run's checkpoints are ``checkpoints/<fingerprint>/step-<n>/``.  The fingerprint is a hash of everything that
determines the weights: settings, data, vocabulary and TRAINING_VERSION.  Training with other settings uses another
folder, so no run resumes another run's checkpoint.  A checkpoint off the schedule, written because of a signal or after
the last step, is ``stop-<n>/``.  It is deleted when the next one is written, so that an interrupted run ends with the
same checkpoints as one that was not interrupted.

``training_state.json`` has the sha256 of the tensors beside it, and of its own content.  A checkpoint that was damaged
or edited is not resumed.

Checkpoints hold no random generator state, because the seed, the step and the sentence determine the random numbers
of dropout.

Training continues while a thread writes.  Adam's moments are two thirds of the bytes, so they are written only as often
as this costs little; a run resumes from the newest checkpoint that has them.
"""

import dataclasses
import hashlib
import json
import os
import re
import shutil
import time
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from transformer.common.checksums import check_sha256
from transformer.common.durability import sync
from transformer.common.errors import UserError
from transformer.common.files import read_json, sha256_of, write_json
from transformer.common.json_artifacts import read_artifact, write_artifact
from transformer.model.storage import load_tensors, load_weights, save_tensors
from transformer.model.transformer import Transformer

FORMAT = 4
STATE_FILE = "training_state.json"
SETTINGS_FILE = "settings.json"
WEIGHTS_FILE = "model.safetensors"
OPTIMIZER_FILE = "optimizer.safetensors"
NAME = re.compile("(step|stop)-[0-9]+")  # of a checkpoint's folder; a copy under another name is left alone
MOMENTS = ("exp_avg", "exp_avg_sq")  # torch's names for Adam's moments m and v
MOMENTS_SHARE = 0.05  # the largest share of the time that writing moments may take


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
    # In fp16, the loss is multiplied by loss_scale, and steps whose gradients overflow are skipped.
    loss_scale: float = 0.0  # 0 in other precisions
    steps_since_overflow: int = 0
    skipped: int = 0


def fingerprint(decisive: dict[str, Any]) -> str:
    """Return a short hash of everything that determines the weights."""
    return hashlib.sha256(json.dumps(decisive, sort_keys=True).encode()).hexdigest()[:12]


class Checkpoints:
    """The checkpoints of one run, in one folder.

    ``settings``, whose hash is the folder's name, are written into it.
    """

    def __init__(self, folder: Path, keep: int, settings: dict[str, Any] | None = None) -> None:
        self.folder = folder
        self.keep = keep
        self.settings = settings or {}
        self._thread = ThreadPoolExecutor(max_workers=1)
        self._writing: Future[None] | None = None
        self._moments_at: float | None = None  # the time at which moments were last written
        self._moments_took = 0.0  # seconds

    def kept(self) -> list[Path]:
        """Return the folders of the last ``keep`` checkpoints, oldest first; only the newest may be off schedule."""
        folders = self._complete()
        kept = [folder for folder in folders if folder.name.startswith("step-") or folder == folders[-1]]
        return kept[-self.keep :]

    def save(
        self,
        model: Transformer,
        optimizer: torch.optim.Optimizer,
        state: TrainingState,
        *,
        on_schedule: bool,
        last: bool = False,
    ) -> None:
        """Write a checkpoint in the background, then delete those that are no longer needed.

        The content is copied before this returns.  With ``last``, which asks for a checkpoint to resume from, this
        returns when everything is written.  Errors of an earlier writing are raised here.
        """
        self.wait()
        with_moments = (
            last
            or self._moments_at is None
            or (time.monotonic() - self._moments_at) * MOMENTS_SHARE >= self._moments_took
        )
        weights = _copies(model.state_dict())
        moments = _copies(_moments(model, optimizer)) if with_moments else None
        name = f"{'step' if on_schedule else 'stop'}-{state.step:07d}"
        self._writing = self._thread.submit(self._write, name, weights, moments, dataclasses.replace(state))
        if last:
            self.wait()

    def wait(self) -> None:
        """Wait until the last checkpoint is written, and raise the error if that failed."""
        if self._writing is not None:
            writing, self._writing = self._writing, None
            writing.result()

    def restore(self, model: Transformer, optimizer: torch.optim.Optimizer) -> TrainingState:
        """Load the newest checkpoint with moments and return its state; without one, return the initial state.

        Raises UserError when a file is damaged or the checkpoint has another format.
        """
        folders = self._complete()
        with_moments = [folder for folder in folders if (folder / OPTIMIZER_FILE).exists()]
        if not folders:
            return TrainingState()
        newest = with_moments[-1] if with_moments else folders[-1]
        try:
            state, sums = self._read_state(newest)
            load_weights(model, newest / WEIGHTS_FILE)
            moments = load_tensors(newest / OPTIMIZER_FILE)
            for name in (WEIGHTS_FILE, OPTIMIZER_FILE):
                check_sha256(newest / name, sums[name], newest / STATE_FILE, self._advice)
            for name, parameter in model.named_parameters():
                optimizer.state[parameter] = {
                    "step": torch.tensor(float(state.step - state.skipped), device=parameter.device),
                    # Copied, because the loaded tensors are views of a file that will be deleted.
                    **{m: _of_shape(moments[f"{name}.{m}"], parameter) for m in MOMENTS},
                }
        except (KeyError, TypeError, ValueError):
            raise UserError(f"{newest / STATE_FILE}: {self._advice}") from None
        return state

    def delete_after(self, step: int) -> None:
        """Delete the checkpoints of later steps.

        They are left if a run resumes from an older one, the newest with moments.  Its own may never reach their steps.
        """
        for folder in self._complete():
            if step_of(folder) > step:
                self._delete(folder)

    @property
    def _advice(self) -> str:
        return f"not a checkpoint of format {FORMAT}; delete {self.folder} to train from the start"

    def _read_state(self, checkpoint: Path) -> tuple[TrainingState, dict[str, str]]:
        """Return the state in a checkpoint, and the sha256 of the files beside it.

        Raises ValueError when it belongs to another step, and TypeError for other keys.
        """
        content = read_artifact(checkpoint / STATE_FILE, "checkpoint", self._advice)
        sums: dict[str, str] = content.pop("sha256")
        del content["format"]
        state = TrainingState(**content)
        if state.step != step_of(checkpoint) or state.skipped > state.step:
            raise ValueError
        return state, sums

    def other_runs(self) -> list[tuple[int, list[str]]]:
        """Return the last step of each training beside this one, and the settings in which it differs from this one.

        The list is empty if this training has checkpoints itself.
        """
        if self._complete():
            return []
        found = []
        for folder in sorted(self.folder.parent.glob("*/")):
            steps = [step_of(path) for path in Checkpoints(folder, self.keep)._complete()]
            if steps:
                others = _settings_of(folder)
                found.append((steps[-1], _differences(_flat(others), _flat(self.settings))))
        return found

    @property
    def _unfinished(self) -> Path:
        return self.folder / ".unfinished"

    def _complete(self) -> list[Path]:
        found = (path for path in self.folder.glob("st*") if NAME.fullmatch(path.name))
        return sorted(found, key=step_of)

    def _write(
        self, name: str, weights: dict[str, Tensor], moments: dict[str, Tensor] | None, state: TrainingState
    ) -> None:
        """Build a checkpoint in a temporary folder and rename it, so that ``step-…`` is always complete."""
        self.delete_after(state.step - 1)  # one off schedule has the same step and another name
        shutil.rmtree(self._unfinished, ignore_errors=True)
        try:
            if not (self.folder / SETTINGS_FILE).exists():
                write_json(self.folder / SETTINGS_FILE, self.settings)
            save_tensors(self._unfinished / WEIGHTS_FILE, weights)
            sums = {WEIGHTS_FILE: sha256_of(self._unfinished / WEIGHTS_FILE)}
            if moments is not None:
                started = time.monotonic()
                save_tensors(self._unfinished / OPTIMIZER_FILE, moments)
                sums[OPTIMIZER_FILE] = sha256_of(self._unfinished / OPTIMIZER_FILE)
                self._moments_at = time.monotonic()
                self._moments_took = self._moments_at - started
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
        folders = self._complete()
        resume_from = [folder for folder in folders if (folder / OPTIMIZER_FILE).exists()][-1:]
        kept = {*self.kept(), *resume_from}
        for folder in folders:
            if folder not in kept:
                self._delete(folder)
            elif folder not in resume_from:
                (folder / OPTIMIZER_FILE).unlink(missing_ok=True)

    def _delete(self, checkpoint: Path) -> None:
        """Delete a checkpoint.  It is renamed first, so that no folder named step-… is ever half deleted."""
        shutil.rmtree(self._unfinished, ignore_errors=True)
        os.replace(checkpoint, self._unfinished)
        shutil.rmtree(self._unfinished)


def step_of(checkpoint: Path) -> int:
    """Return the step after which the checkpoint in this folder was written."""
    return int(checkpoint.name.rpartition("-")[2])


def _settings_of(folder: Path) -> dict[str, Any]:
    """Return a run's settings; none if they are missing or damaged, since they only say why a training begins again."""
    try:
        settings = read_json(folder / SETTINGS_FILE)
    except (OSError, UserError):
        return {}
    return settings if isinstance(settings, dict) else {}


def _moments(model: Transformer, optimizer: torch.optim.Optimizer) -> dict[str, Tensor]:
    return {
        f"{name}.{moment}": optimizer.state[parameter][moment]
        for name, parameter in model.named_parameters()
        for moment in MOMENTS
    }


def _of_shape(moment: Tensor, parameter: Tensor) -> Tensor:
    """Return a copy of a parameter's moment on its device.  Raises ValueError when the shapes differ."""
    if moment.shape != parameter.shape:
        raise ValueError
    return moment.to(parameter.device, copy=True)


def _copies(tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    """Return copies in the CPU's memory, which training does not change while they are written."""
    return {name: tensor.to("cpu", copy=True) for name, tensor in tensors.items()}


def _flat(values: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    """Return nested settings as ``training.steps: 100`` and so on."""
    flat: dict[str, Any] = {}
    for key, value in values.items():
        flat |= _flat(value, f"{prefix}{key}.") if isinstance(value, dict) else {prefix + key: value}
    return flat


def _differences(there: dict[str, Any], here: dict[str, Any]) -> list[str]:
    """Return a text for each setting that differs; hashes of data are shortened to the file's name."""
    return [
        name if name.startswith("data.") else f"{name} {there.get(name)} instead of {here.get(name)}"
        for name in sorted(there.keys() | here.keys())
        if there.get(name) != here.get(name)
    ]
