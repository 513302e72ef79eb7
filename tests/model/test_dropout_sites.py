"""Dropout at each of its places in the model: how many elements become zero, and what the others are multiplied by."""

from typing import Any

import numpy as np
import pytest
import tiny
import torch
from torch import Tensor, nn

from transformer.model.dropout import Dropout, mask_rows, sentence_keys

B, T = 40, 50
P: dict[str, Any] = {"dropout": 0.25, "attention_dropout": 0.4, "relu_dropout": 0.125}


@pytest.fixture
def model() -> Any:
    return tiny.model(**P)


def noise(model: Any, step: int = 1) -> Tensor:
    """The noise of a batch of B sentences of T tokens."""
    return mask_rows(torch.from_numpy(sentence_keys(1, step, np.arange(B))), T, model.dropouts)


def expected_sites(N: int) -> dict[str, float]:
    """Every place of dropout, with its probability: section 5.4, and docs/protocol.md for attention and ReLU."""
    sites = {"source_dropout": P["dropout"], "target_dropout": P["dropout"]}
    sublayers = {"encoder": ["attention"], "decoder": ["self_attention", "cross_attention"]}
    for stack, attentions in sublayers.items():
        for layer in (f"{stack}.{n}" for n in range(N)):
            for attention in attentions:
                inside = "self_attention" if stack == "encoder" else attention
                sites[f"{layer}.{inside}.dropout"] = P["attention_dropout"]
                sites[f"{layer}.after_{attention}.dropout"] = P["dropout"]
            sites[f"{layer}.feed_forward.dropout"] = P["relu_dropout"]
            sites[f"{layer}.after_feed_forward.dropout"] = P["dropout"]
    return sites


def test_the_places_and_their_probabilities(model: Any) -> None:
    found = {name: module for name, module in model.named_modules() if isinstance(module, Dropout)}
    assert {name: module.p for name, module in found.items()} == expected_sites(model.config.N)
    assert sorted(tiny.place_of_dropout(model, name) for name in found) == list(range(model.dropouts))


@pytest.mark.parametrize("stack", ["encoder", "decoder"])
def test_layers_of_a_stack_count_their_places_alike(model: Any, stack: str) -> None:
    first, second = (
        {name: module.number for name, module in layer.named_modules() if isinstance(module, Dropout)}
        for layer in model.get_submodule(stack)
    )
    assert first == second
    assert sorted(first.values()) == list(range(len(first)))


def test_attention_weights_are_dropped_within_a_layer(model: Any) -> None:
    """The layers hand their part of the noise on to their sub-layers."""
    numbers, source = noise(model), tiny.tokens(B, T)
    for layer in (*model.encoder, *model.decoder):
        for name, module in layer.named_children():
            if not name.startswith("after_"):
                setattr(layer, name, Recorder(module))
    model.decode(source, model.encode(source, None, numbers), None, numbers)
    recorders = [module for module in model.modules() if isinstance(module, Recorder)]
    assert len(recorders) == 2 * 2 + 2 * 3
    of_encoder, of_decoder = model.dropouts_of_layers[:2], model.dropouts_of_layers[2:]
    expected = [places for places in of_encoder for _ in range(2)] + [
        places for places in of_decoder for _ in range(3)
    ]
    for recorder, places in zip(recorders, expected, strict=True):
        assert recorder.noise is not None
        assert recorder.noise.equal(numbers[places])


class Recorder(nn.Module):
    """A sub-layer that keeps the noise that it was called with."""

    def __init__(self, sublayer: nn.Module) -> None:
        super().__init__()
        self.sublayer = sublayer
        self.noise: Tensor | None = None

    def forward(self, *inputs: Any) -> Any:
        self.noise = inputs[-1]
        return self.sublayer(*inputs)


def test_nothing_is_dropped_in_evaluation(model: Any) -> None:
    plain = tiny.model(dropout=0.0, attention_dropout=0.0, relu_dropout=0.0)
    plain.load_state_dict(model.state_dict())
    source, target = tiny.tokens(3, 6), tiny.tokens(3, 5)
    for mode in (True, False):
        assert model.train(mode)(source, target).equal(plain(source, target))
