"""Which models cannot be exported, or shown on the page."""

from typing import Any

import pytest
import tiny
from configuration import load
from pydantic import create_model

from transformer.export.formats import HELD, not_held, reason_against
from transformer.settings.run_settings import BeamConfig, TransformerConfig, setting


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"positions": "learned"}, "positions is learned"),
        ({"positions": "halves"}, "positions is halves"),
        ({"tied_softmax": False}, "tied_softmax is False"),
        ({"target_space": True}, "target_space is True"),
        ({"encoder_layer": "recurrent"}, "encoder_layer is recurrent"),
        ({"d_k": 2}, "h · d_k is 6 and h · d_v is 12"),
        ({"target_vocab_size": 9}, "target_vocab_size is 9"),
    ],
)
def test_settings_that_no_exported_model_has(changes: dict[str, Any], message: str) -> None:
    reason = reason_against(tiny.model_config(**({"d_v": 4} | changes)))
    assert reason.startswith(message)
    assert reason.endswith("; export another run")


@pytest.mark.parametrize("name", HELD)
@pytest.mark.parametrize("group", [TransformerConfig, BeamConfig])
def test_a_setting_that_is_added_is_refused_unless_it_has_its_default(name: str, group: Any) -> None:
    newer = create_model("Newer", __base__=group, gated=(bool, setting(False, "whether")))
    sizes = {"vocab_size": 20} if group is TransformerConfig else {}
    assert not_held(newer(**sizes), name) == ""
    assert not_held(newer(**sizes, gated=True), name) == "gated is True"


def test_what_the_page_does_not_compute() -> None:
    assert not_held(tiny.model(20, encoder_layer="recurrent").config, "page") == "encoder_layer is recurrent"


@pytest.mark.parametrize("run", ["base", "E-learned", "t2t-1.0.3", "B-dk16", "recurrent"])
def test_the_runs_that_can_be_exported(run: str) -> None:
    assert (reason_against(load().run(run, "en-de")["model"]) == "") == (run == "base")
