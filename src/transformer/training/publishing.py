"""The files that a finished training leaves for later steps: training.json, metrics.jsonl and timing.json."""

import platform
import shutil
from pathlib import Path
from typing import Any

import torch

from transformer.common.files import atomic_path, sha256_of
from transformer.common.json_artifacts import write_artifact
from transformer.model.device import device_name
from transformer.model.transformer import parameter_count
from transformer.training.checkpoints import step_of
from transformer.training.trainer import Trainer


def publish(folder: Path, trainer: Trainer, **info: Any) -> None:
    """Write the three files to the run's ``folder``; ``training.json``, which includes ``info``, comes last."""
    state = trainer.state
    with atomic_path(folder / "metrics.jsonl") as temporary:
        shutil.copyfile(trainer.metrics.path, temporary)
    write_artifact(
        folder / "timing.json",
        {
            "wall_seconds": round(state.seconds, 1),
            "devices": trainer.group.world_size,
            "device_name": device_name(trainer.group.device),
            "hardware": f"{platform.machine()} {platform.system()}, torch {torch.__version__}",
            "precision": trainer.precision,
            "threads": trainer.config.threads,
            "tokens_per_second": round((state.source_tokens + state.target_tokens) / state.seconds),
            # Not in training.json, whose bytes do not depend on the clock.
            "metrics_sha256": sha256_of(folder / "metrics.jsonl"),
        },
    )
    write_artifact(
        folder / "training.json",
        {
            "format": 1,
            **info,
            "steps": state.step,
            "epochs": state.epoch,
            "source_tokens": state.source_tokens,
            "target_tokens": state.target_tokens,
            "training_flops": state.flops,
            "parameters": parameter_count(trainer.model),
            "vocabulary_sha256": trainer.worklist.dataset.vocabulary_sha256,
            "model": trainer.model.config.to_dict(),
            "checkpoints": [
                {
                    "step": step_of(checkpoint),
                    "path": str((checkpoint / "model.safetensors").relative_to(folder)),
                    "sha256": sha256_of(checkpoint / "model.safetensors"),
                }
                for checkpoint in trainer.checkpoints.kept()
            ],
        },
    )
