"""What can hold our models besides our own program: the formats of other tools, and the JavaScript of the page.

The workflow asks before it trains any, so this file loads no torch.
"""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from transformer.common.errors import UserError
from transformer.model.config import BeamConfig, TransformerConfig

FORMATS = ("huggingface", "ctranslate2")
# Settings that have a counterpart with any value, or that do nothing in a model of self-attention with sinusoids.
SHAPE = "vocab_size vocabulary_rows N d_model d_ff h d_k d_v attention_bias".split()
DROPOUT = "dropout attention_dropout relu_dropout".split()
UNUSED = "max_length kernel_size window_size".split()
SEARCH = "beam_size alpha max_extra_tokens nbest".split()
ANY: dict[str, tuple[Any, ...] | None] = dict.fromkeys([*SHAPE, *DROPOUT, *UNUSED, *SEARCH])
# Format, or the page → the settings that it holds, with their values, None for any.  Others must have their defaults.
HELD = {
    "huggingface": ANY,
    "ctranslate2": {
        **ANY,
        "positions": ("sinusoidal", "halves", "learned"),
        "target_space": None,
        "tied_softmax": None,
    },
    # tests/page/test_javascript.py has a case for each of these.
    "page": {
        **ANY,
        "positions": ("sinusoidal", "halves", "learned", "words"),
        "encoder_layer": ("self-attention", "restricted", "convolutional"),
        "target_space": None,
        "tied_softmax": None,
        "target_vocab_size": None,
    },
}


def not_held(settings: TransformerConfig | BeamConfig, name: str) -> str:
    """Return the first setting that a format or the page cannot hold, such as "positions is words"; empty if none."""
    for field in fields(settings):
        value = getattr(settings, field.name)
        values = HELD[name].get(field.name, (field.default,))
        if values is not None and value not in values:
            return f"{field.name} is {value}"
    return ""


def check_format(config: TransformerConfig, name: str) -> None:
    """Raise UserError when a format has no counterpart for one of the model's settings."""
    if setting := not_held(config, name):
        raise UserError(f"{setting}, which the format {name} cannot hold; export another run")
    if not config.h * config.d_k == config.h * config.d_v == config.d_model:
        raise UserError(
            f"h · d_k is {config.h * config.d_k} and h · d_v is {config.h * config.d_v}, but in the format {name} both "
            f"equal d_model, {config.d_model}; export another run"
        )


def formats_of(model: Mapping[str, Any]) -> list[str]:
    """Return the formats that can hold a model with these settings, those of a run's config.json."""
    formats = []
    for name in FORMATS:
        try:
            check_format(TransformerConfig(vocab_size=1, **model), name)
        except UserError:
            continue
        formats.append(name)
    return formats
