"""What the formats can hold of our models.  The workflow asks before it trains any, so this file loads no torch."""

from collections.abc import Mapping
from typing import Any

from transformer.common.errors import UserError
from transformer.model.common_shape import uncommon_shape
from transformer.model.config import TransformerConfig


def check_marian(config: TransformerConfig) -> None:
    """Raise UserError when Marian has no counterpart for one of the model's settings."""
    check_shape(config, "Marian")
    if config.positions != "sinusoidal":
        raise UserError(
            f"positions is {config.positions}, and Marian always computes the sinusoids of section 3.5; "
            "export a run with positions: sinusoidal"
        )
    if config.target_space:
        raise UserError("target_space is true, and Marian has no such vector; export a run without it")
    if not config.tied_softmax:
        raise UserError(
            "tied_softmax is false, and Marian's softmax has the matrix of the embeddings; export a run with it true"
        )


def check_shape(config: TransformerConfig, tool: str) -> None:
    """Raise UserError when the model is no translation model of self-attention whose heads split d_model evenly."""
    if reason := uncommon_shape(config, tool):
        raise UserError(f"{reason}; export another run")


def formats_of(model: Mapping[str, Any]) -> list[str]:
    """Return the formats that can hold a model with these settings, those of a run's config.json."""
    config = TransformerConfig(vocab_size=1, **model)
    formats = []
    for name, check in (
        ("huggingface", check_marian),
        ("ctranslate2", lambda config: check_shape(config, "CTranslate2")),
    ):
        try:
            check(config)
        except UserError:
            continue
        formats.append(name)
    return formats
