"""What can hold our models besides our own program: the formats of other tools, and the JavaScript of the page.

The workflow asks before it trains any, so this file loads no torch.
"""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from transformer.common.declared import held_values
from transformer.common.errors import UserError
from transformer.model.config import FORMATS, BeamConfig, TransformerConfig


def not_held(settings: TransformerConfig | BeamConfig, name: str) -> str:
    """Return the first setting that a format or the page cannot hold, such as "positions is words"; empty if none."""
    for field in fields(settings):
        value, values = getattr(settings, field.name), held_values(field, name)
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


def reasons_against(model: Mapping[str, Any]) -> dict[str, str]:
    """Return of each format why it cannot hold a model with these settings, those of a run's config.json; or nothing.

    >>> sizes = {"h": 2, "d_k": 8, "d_v": 8, "d_model": 16}
    >>> reasons_against(sizes)["huggingface"], reasons_against(sizes | {"d_k": 4})["huggingface"][:11]
    ('', 'h · d_k is ')
    """
    reasons = dict.fromkeys(FORMATS, "")
    for name in reasons:
        try:
            check_format(TransformerConfig(vocab_size=1, **model), name)
        except UserError as error:
            reasons[name] = str(error)
    return reasons
