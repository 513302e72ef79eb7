"""A tiny model that has learned to reverse a sentence.  So its outputs differ, and end by themselves."""

import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import tiny
import torch

from transformer.model.storage import load_weights
from transformer.training.checkpoints import WEIGHTS_FILE

VOCABULARY = 20
LENGTHS = (3, 4, 5)  # of the sentences that it is trained on, EOS not counted
MODEL: dict[str, Any] = {"N": 1, "d_model": 32, "d_ff": 64, "h": 2, "d_k": 16, "d_v": 16}
MODEL |= {"dropout": 0.0, "attention_dropout": 0.0, "relu_dropout": 0.0}
# A learning rate that is half or twice as high learns less in as many steps.
SETTINGS: dict[str, Any] = {"steps": 300, "warmup_steps": 40, "learning_rate_scale": 0.5, "batch_tokens": 400}
SETTINGS |= {"checkpoint_every_steps": 300, "validate_every_steps": 300}


def sentences(count: int, length: int, seed: int = 0) -> torch.Tensor:
    """Random sentences of one length, without EOS: (count, length)."""
    return torch.randint(3, VOCABULARY, (count, length), generator=torch.Generator().manual_seed(seed))


def train(folder: Path) -> Path:
    """Train in ``folder``; return the last checkpoint."""
    written = [sentence for length in LENGTHS for sentence in sentences(700, length).tolist()]
    store = tiny.dataset(folder / "train", [(one, one[::-1]) for one in written], VOCABULARY)
    trainer = tiny.trainer(folder / "checkpoints", store, model=MODEL, max_tokens=400, **SETTINGS)
    trainer.train()
    checkpoint: Path = trainer.checkpoints.kept()[-1]
    return checkpoint


def load(checkpoint: Path) -> Any:
    """The model of a checkpoint, in evaluation mode."""
    model = tiny.model(VOCABULARY, **MODEL)
    load_weights(model, checkpoint / WEIGHTS_FILE)
    return model


@cache
def reversing_model() -> Any:
    """The trained model; not to be written to."""
    with tempfile.TemporaryDirectory() as folder:
        return load(train(Path(folder)))
