"""Which models other programs can hold: those that are exported, and the JavaScript of the page.

The workflow asks before it trains any, so this file loads no torch.
"""

from collections.abc import Mapping
from typing import Any

from transformer.settings.run_settings import BeamConfig, Group, TransformerConfig

# The settings that exported models hold, and those that the page computes, with the values if not with any.  Others
# must have their defaults.  The page has a case for each in tests/page/test_javascript.py.
OF_BOTH = (
    "vocab_size N d_model d_ff activation h d_k d_v dropout attention_dropout relu_dropout attention_bias max_length "
    "kernel_size window_size vocabulary_rows beam_size alpha max_extra_tokens nbest"
)
OF_PAGE = "positions target_vocab_size target_space tied_softmax"
HELD: dict[str, dict[str, tuple[Any, ...] | None]] = {
    "export": dict.fromkeys(OF_BOTH.split()),
    "page": dict.fromkeys(f"{OF_BOTH} {OF_PAGE}".split())
    | {"encoder_layer": ("self-attention", "restricted", "convolutional")},
}


def held_values(group: type[Group], name: str) -> dict[str, tuple[Any, ...] | None]:
    """Return the values of each setting of a group that ``name``, of HELD, can hold; None for any."""
    return {key: HELD[name].get(key, (field.default,)) for key, field in group.model_fields.items()}


def not_held(settings: TransformerConfig | BeamConfig, name: str) -> str:
    """Return the first setting that ``name``, of HELD, cannot hold, such as "positions is words"; empty if none."""
    for key, values in held_values(type(settings), name).items():
        value = getattr(settings, key)
        if values is not None and value not in values:
            return f"{key} is {value}"
    return ""


def reason_against(model: Mapping[str, Any]) -> str:
    """Return why a model with these settings, those of a run's config.json, cannot be exported; empty if it can.

    >>> sizes = {"h": 2, "d_k": 8, "d_v": 8, "d_model": 16}
    >>> reason_against(sizes), reason_against(sizes | {"d_k": 4})[:11]
    ('', 'h · d_k is ')
    """
    config = TransformerConfig(**{"vocab_size": 1, **model})
    keys, values = config.h * config.d_k, config.h * config.d_v
    setting = not_held(config, "export")
    if not setting and not keys == values == config.d_model:
        setting = f"h · d_k is {keys} and h · d_v is {values}, not d_model, {config.d_model}"
    return f"{setting}, which no exported model can have; export another run" if setting else ""
