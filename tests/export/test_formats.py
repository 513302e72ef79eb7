"""Which models the other tools have no counterpart for."""

from typing import Any

import pytest
import tiny
from configuration import load

from transformer.common.errors import UserError
from transformer.export.formats import check_marian, formats_of


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"positions": "halves"}, "positions is halves, and Marian always computes the sinusoids"),
        ({"positions": "learned"}, "positions is learned"),
        ({"target_space": True}, "target_space is true"),
        ({"tied_softmax": False}, "tied_softmax is false"),
        ({"encoder_layer": "recurrent"}, "encoder_layer is recurrent"),
        ({"d_k": 2}, "h · d_k is 6 and h · d_v is 12, but in Marian both equal d_model, 12"),
        ({"target_vocab_size": 9}, "the model is a parser"),
    ],
)
def test_settings_that_marian_lacks(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError) as caught:
        check_marian(tiny.model(20, **({"d_v": 4} | changes)).config)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("run", "formats"),
    [
        ("base", ["huggingface", "ctranslate2"]),
        ("E-learned", ["ctranslate2"]),
        ("t2t-1.0.3", ["ctranslate2"]),
        ("B-dk16", []),
        ("recurrent", []),
    ],
)
def test_the_formats_of_a_run(run: str, formats: list[str]) -> None:
    assert formats_of(load().run(run, "en-de")["model"]) == formats
