"""The recorded architecture is the one of section 3, and changes with the model."""

import json
from collections import Counter
from typing import Any

import pytest
import tiny
from torch import Tensor

from transformer.inspection.architecture import architecture
from transformer.model.config import TransformerConfig
from transformer.model.layers import EncoderLayer


def recorded(**changes: Any) -> dict[str, Any]:
    return architecture(TransformerConfig(vocab_size=9, **tiny.model_config(**changes)))


@pytest.mark.parametrize("N", [1, 3])
def test_every_sub_layer_is_recorded(N: int) -> None:
    names = Counter(step["name"] for step in recorded(N=N)["model"])
    assert names["SelfAttention"] == names["FeedForward"] == 2 * N
    assert names["CrossAttention"] == N
    assert names["LayerNorm"] == 5 * N
    assert names["embedding"] == 2
    assert (names["linear"], names["softmax"]) == (1, 1)


def test_each_sub_layer_has_its_residual_connection_and_norm() -> None:
    """Section 3.1: LayerNorm(x + Sublayer(x))."""
    steps = recorded()["model"]
    sublayers = [n for n, step in enumerate(steps) if step["name"].endswith(("Attention", "Forward"))]
    for n in sublayers:
        x = steps[n]["inputs"][0]
        assert (steps[n + 1]["name"], steps[n + 1]["inputs"]) == ("add", (x, n))
        assert (steps[n + 2]["name"], steps[n + 2]["inputs"]) == ("LayerNorm", (n + 1,))


def test_only_the_decoder_s_self_attention_is_masked() -> None:
    steps = recorded()["model"]
    for step in steps:
        if step["name"] == "SelfAttention":
            masks = [steps[source]["name"] for source in step["inputs"][1:]]
            assert masks == (["triu"] if step["module"].startswith("decoder") else [])


@pytest.mark.parametrize("h", [1, 4])
def test_attention_is_equation_1(h: int) -> None:
    attention = recorded(h=h)["attention"]
    assert list(attention) == ["SelfAttention", "CrossAttention"]
    for steps in attention.values():
        inner = [step["name"] for step in steps if step["name"] != "Linear"]
        assert inner == ["mul", "matmul", "add", "softmax", "matmul"]
    assert [step["inputs"] for step in attention["CrossAttention"][:2]] == [("memory",), ("x",)]


def test_a_changed_model_gives_other_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    def norm_first(self: Any, x: Tensor, mask: Tensor | None, noise: None) -> Tensor:
        x = x + self.self_attention(self.after_attention.norm(x), mask)
        return x + self.feed_forward(self.after_feed_forward.norm(x))

    monkeypatch.setattr(EncoderLayer, "forward", norm_first)
    steps = recorded(N=1)["model"]
    layer = [step["name"] for step in steps if step["module"].startswith("encoder.0")]
    assert layer == ["LayerNorm", "SelfAttention", "add", "LayerNorm", "FeedForward", "add"]


def test_it_is_json() -> None:
    description = recorded()
    assert json.loads(json.dumps(description)).keys() == description.keys()
