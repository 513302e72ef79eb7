"""The models of a page as JSON: weights in eight bits, and the vocabularies with which text becomes tokens."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from transformer.model.config import BeamConfig


@dataclass(frozen=True)
class ModelFiles:
    """A trained model, and what the page says of it."""

    run: str  # such as base
    pair: str  # such as en-de
    averaged: Path  # the folder of model.safetensors and model.json
    subwords: Path
    symbols: Path | None  # a parser's symbols of trees
    beam: BeamConfig  # with which the run was scored
    example: str  # the sentence that the page begins with


def packed_models(models: Sequence[ModelFiles], budget_bytes: int) -> str:
    """Return the JSON of the models that fit into ``budget_bytes``; it names those that do not, and says why."""
    raise NotImplementedError
