"""The readers of tokenized datasets, models and checkpoints (see ``fuzz_artifacts.py``)."""

from functools import cache
from pathlib import Path

import tiny
import torch
from fuzz_valid import Files, damaged, made

from transformer.dataset.batching import epoch_batches, evaluation_batches
from transformer.dataset.padding import make_batch
from transformer.dataset.tokenized import TokenizedDataset
from transformer.model.storage import load_model, save_model
from transformer.model.transformer import Transformer
from transformer.training.checkpoints import Checkpoints, TrainingState

CPU = torch.device("cpu")


# Tokenized datasets


@cache
def dataset() -> Files:
    return made(lambda folder: tiny.write_store(folder / "train"))


def use_dataset(folder: Path) -> None:
    """Read every sentence in batches, as training and evaluation do."""
    data = TokenizedDataset.open(folder / "train")
    lengths = data.source.lengths, data.target.lengths
    for batch in evaluation_batches(*lengths, 60):
        make_batch(data, batch)
    epoch_batches(*lengths, batch_tokens=120, max_length=40, seed=1, epoch=0)
    epoch_batches(*lengths, batch_tokens=120, max_length=40, seed=1, epoch=0, buckets_per_doubling=2)


# Models and checkpoints


@cache
def model() -> Files:
    return made(lambda folder: save_model(folder, tiny.model(), "a" * 64, steps=[1, 2]))


def use_model(folder: Path) -> None:
    loaded, _ = load_model(folder, CPU)
    if loaded.config.d_model == tiny.model_config()["d_model"]:
        with torch.no_grad():
            loaded(
                tiny.tokens(1, 3, loaded.config.vocab_size), tiny.tokens(1, 2, loaded.config.target_entries)
            )


STEP = "step-0000002"


def optimizer_of(model: Transformer) -> torch.optim.Optimizer:
    return torch.optim.Adam(model.parameters())


@cache
def checkpoint() -> Files:
    def make(folder: Path) -> None:
        model = tiny.model(N=1)
        optimizer = optimizer_of(model)
        sum(parameter.sum() for parameter in model.parameters()).backward()
        optimizer.step()
        checkpoints = Checkpoints(folder, 2, {"seed": 1})
        state = TrainingState(step=2, flops=10**20, seconds=1.5)
        checkpoints.save(model, optimizer, state, on_schedule=True)
        checkpoints.wait()

    # settings.json only says why a training begins again, so it has no checksum.
    return {name: content for name, content in made(make).items() if name.startswith(STEP)}


def restore(folder: Path) -> TrainingState:
    model = tiny.model(N=1)
    return Checkpoints(folder, 2, {"seed": 2}).restore(model, optimizer_of(model))


TARGETS = [
    damaged("dataset", dataset, use_dataset),
    damaged("model", model, use_model),
    damaged("checkpoint", checkpoint, restore),
]
