"""What the formats can hold of our models.  The workflow asks before it trains any, so this file loads no torch."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from transformer.common.errors import UserError
from transformer.model.config import TransformerConfig

# Settings that have a counterpart with any value, or that do nothing in a model of self-attention with sinusoids.
SHAPE = "vocab_size vocabulary_rows N d_model d_ff h d_k d_v attention_bias".split()
DROPOUT = "dropout attention_dropout relu_dropout".split()
UNUSED = "max_length kernel_size window_size".split()
ANY: dict[str, tuple[Any, ...] | None] = dict.fromkeys([*SHAPE, *DROPOUT, *UNUSED])
# Format → the settings that it can hold, with their values, None for any.  Others must have their defaults.
HELD = {
    "huggingface": ANY,
    "ctranslate2": {
        **ANY,
        "positions": ("sinusoidal", "halves", "learned"),
        "target_space": None,
        "tied_softmax": None,
    },
}


def check_format(config: TransformerConfig, name: str) -> None:
    """Raise UserError when a format has no counterpart for one of the model's settings."""
    for field in fields(config):
        value = getattr(config, field.name)
        values = HELD[name].get(field.name, (field.default,))
        if values is not None and value not in values:
            raise UserError(
                f"{field.name} is {value}, which the format {name} cannot hold; export another run"
            )
    if not config.h * config.d_k == config.h * config.d_v == config.d_model:
        raise UserError(
            f"h · d_k is {config.h * config.d_k} and h · d_v is {config.h * config.d_v}, but in the format {name} both "
            f"equal d_model, {config.d_model}; export another run"
        )


def formats_of(model: Mapping[str, Any]) -> list[str]:
    """Return the formats that can hold a model with these settings, those of a run's config.json."""
    formats = []
    for name in HELD:
        try:
            check_format(TransformerConfig(vocab_size=1, **model), name)
        except UserError:
            continue
        formats.append(name)
    return formats
