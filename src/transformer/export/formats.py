"""Which models other programs can hold: those that are exported, and the JavaScript of the page.

The workflow asks before it trains any, so this file loads no torch.
"""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from transformer.common.declared import held_values
from transformer.model.config import BeamConfig, TransformerConfig


def not_held(settings: TransformerConfig | BeamConfig, name: str) -> str:
    """Return the first setting that ``name``, of HOLDERS, cannot hold, such as "positions is words"; empty if none."""
    for field in fields(settings):
        value, values = getattr(settings, field.name), held_values(field, name)
        if values is not None and value not in values:
            return f"{field.name} is {value}"
    return ""


def reason_against(model: Mapping[str, Any]) -> str:
    """Return why a model with these settings, those of a run's config.json, cannot be exported; empty if it can.

    >>> sizes = {"h": 2, "d_k": 8, "d_v": 8, "d_model": 16}
    >>> reason_against(sizes), reason_against(sizes | {"d_k": 4})[:11]
    ('', 'h · d_k is ')
    """
    config = TransformerConfig(**{"vocab_size": 1, **model})
    if setting := not_held(config, "export"):
        return f"{setting}, which no exported model can have; export another run"
    if not config.h * config.d_k == config.h * config.d_v == config.d_model:
        return (
            f"h · d_k is {config.h * config.d_k} and h · d_v is {config.h * config.d_v}, but in an exported model both "
            f"equal d_model, {config.d_model}; export another run"
        )
    return ""
