"""Models for the tests of whoever computes or counts them: one list of settings, filtered by what each supports.

The settings change those of ``tiny.model_config``.
"""

from collections.abc import Callable
from typing import Any

import tiny

from transformer.export.formats import not_held, reason_against
from transformer.settings.run_settings import TransformerConfig

Changes = dict[str, Any]
CASES: list[Changes] = [
    {},
    {"N": 1, "h": 1},
    {"d_k": 3, "d_v": 11},
    {"activation": "gelu"},
    {"attention_bias": True},
    {"positions": "halves"},
    {"positions": "learned"},
    {"positions": "words"},
    {"encoder_layer": "recurrent"},
    {"encoder_layer": "convolutional", "kernel_size": 5},
    {"encoder_layer": "restricted", "window_size": 3},
    {"target_space": True},
    {"vocabulary_rows": 23},
    {"tied_softmax": False},
    {"target_vocab_size": 15},
    {"target_vocab_size": 15, "tied_softmax": False},
]


def cases(supports: Callable[[TransformerConfig], bool], **changes: Any) -> list[Changes]:
    """The cases that somebody supports, each with further ``changes`` where it does not change the same."""
    wanted = [changes | case for case in CASES]
    return [
        case for case in wanted if supports(TransformerConfig(vocab_size=20, **tiny.model_config(**case)))
    ]


def cases_of_page() -> list[Changes]:
    """The cases that the page computes."""
    return cases(lambda config: not not_held(config, "page"))


def cases_of_export() -> list[Changes]:
    """The cases that can be exported, with as many columns in all heads together as d_model has."""
    return cases(lambda config: not reason_against(config.to_dict()), d_v=4)
