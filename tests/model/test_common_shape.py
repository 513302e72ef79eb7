"""Which models other tools have, and why they do not have the others."""

from typing import Any

import pytest
import tiny

from transformer.model.common_shape import uncommon_shape
from transformer.model.config import TransformerConfig


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({}, None),
        ({"positions": "learned"}, None),
        ({"target_vocab_size": 9}, "the model is a parser, and Marian has no vocabulary of trees"),
        ({"positions": "words"}, "the model is a parser, and Marian has no vocabulary of trees"),
        ({"encoder_layer": "recurrent"}, "encoder_layer is recurrent, and Marian has self-attention only"),
        ({"d_k": 3}, "h · d_k is 9 and h · d_v is 12, but in Marian both equal d_model, 12"),
        ({"d_v": 5}, "h · d_k is 12 and h · d_v is 15, but in Marian both equal d_model, 12"),
        ({"d_k": 5, "d_v": 5}, "h · d_k is 15 and h · d_v is 15, but in Marian both equal d_model, 12"),
    ],
)
def test_shapes(changes: dict[str, Any], reason: str | None) -> None:
    config = TransformerConfig(vocab_size=20, **tiny.model_config(**{"d_v": 4} | changes))
    assert uncommon_shape(config, "Marian") == reason
