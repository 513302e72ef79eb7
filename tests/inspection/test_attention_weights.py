"""The recorded weights are those that the model computes with."""

from typing import Any

import pytest
import tiny
import torch
from torch import Tensor

from transformer.common.errors import UserError
from transformer.inspection.word_attention import KINDS, attention_weights
from transformer.model.attention import SelfAttention
from transformer.model.transformer import shift_right


@pytest.fixture(scope="module")
def model() -> Any:
    return tiny.model()


@pytest.fixture(scope="module")
def sentence() -> tuple[Tensor, Tensor]:
    return tiny.tokens(1, 6), shift_right(tiny.tokens(1, 5, seed=1))


def test_weights_times_values_are_what_the_module_gives(model: Any, sentence: tuple[Tensor, Tensor]) -> None:
    """In every layer, W^O applied to the weights times V gives the module's output."""
    calls: dict[str, list[tuple[Any, Any, Tensor]]] = {kind: [] for kind in KINDS}
    attentions = [("encoder", layer.self_attention) for layer in model.encoder]
    attentions += [("decoder", layer.self_attention) for layer in model.decoder]
    attentions += [("cross", layer.cross_attention) for layer in model.decoder]
    handles = [
        attention.register_forward_hook(
            lambda module, inputs, output, kind=kind: calls[kind].append((module, inputs, output))
        )
        for kind, attention in attentions
    ]
    weights = attention_weights(model, *sentence)
    for handle in handles:
        handle.remove()
    for kind, found in calls.items():
        assert len(found) == len(weights[kind]) == model.config.N
        for (module, inputs, output), W in zip(found, weights[kind], strict=True):
            V = inputs[2] if kind == "cross" else module.project(inputs[0])[2]
            heads = W @ V
            torch.testing.assert_close(module.W_O(heads.transpose(1, 2).flatten(2)), output)


def test_a_layer_that_is_not_self_attention(sentence: tuple[Tensor, Tensor]) -> None:
    class Narrow(SelfAttention):
        """Its weights would not be those of equation (1)."""

    model = tiny.model()
    model.encoder[0].self_attention.__class__ = Narrow
    with pytest.raises(UserError, match="the model has Narrow where"):
        attention_weights(model, *sentence)
