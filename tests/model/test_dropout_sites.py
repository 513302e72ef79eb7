"""Dropout at each of its places in the model: how many elements become zero, and what the others are multiplied by."""

import math
from typing import Any

import numpy as np
import pytest
import tiny
import torch
from torch import Tensor, nn

from transformer.model.attention import SelfAttention
from transformer.model.dropout import Dropout, mask_rows, sentence_keys
from transformer.model.layers import DecoderLayer, EncoderLayer, FeedForward

B, T = 40, 50
P: dict[str, Any] = {"dropout": 0.25, "attention_dropout": 0.4, "relu_dropout": 0.125}


@pytest.fixture
def model() -> Any:
    return tiny.model(**P)


def noise(model: Any, step: int = 1) -> Tensor:
    """The noise of a batch of B sentences of T tokens."""
    return mask_rows(torch.from_numpy(sentence_keys(1, step, np.arange(B))), T, model.places)


def check(kept: Tensor, p: float) -> None:
    """Of ``kept``, what the elements are multiplied by, a share ``p`` is 0 and the others are 1 / (1 - p)."""
    zero = kept == 0
    torch.testing.assert_close(kept[~zero], torch.full_like(kept[~zero], 1 / (1 - p)))
    # Positions share the rows of a table, so the share deviates a little more than that of independent elements.
    assert abs(zero.double().mean().item() - p) < 5 * 1.6 * math.sqrt(p * (1 - p) / kept.numel())


class Constant(nn.Module):
    """A sub-layer whose output is ``value`` everywhere."""

    def __init__(self, value: float) -> None:
        super().__init__()
        self.value = value

    def forward(self, x: Tensor, *_: Tensor | None) -> Tensor:
        return torch.full_like(x, self.value)


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
    assert sorted(tiny.place_of_dropout(model, name) for name in found) == list(range(model.places))


@pytest.mark.parametrize("stack", ["encoder", "decoder"])
def test_layers_of_a_stack_count_their_places_alike(model: Any, stack: str) -> None:
    """So torch.compile makes one program for all of them."""
    first, second = (
        {name: module.place for name, module in layer.named_modules() if isinstance(module, Dropout)}
        for layer in model.get_submodule(stack)
    )
    assert first == second
    assert sorted(first.values()) == list(range(len(first)))


def test_embeddings(model: Any) -> None:
    """The sums of embeddings and positions, on both sides."""
    source, target, numbers = tiny.tokens(B, T), tiny.tokens(B, T, seed=1), noise(model)
    model.encoder, model.decoder = nn.ModuleList(), nn.ModuleList()
    masks = [
        model.encode(source, None, numbers) / model.encode(source, None),
        model.decode(target, source, None, numbers) / model.decode(target, source, None),
    ]
    for mask in masks:
        check(mask, P["dropout"])
    assert not masks[0].equal(masks[1])


@pytest.mark.parametrize("number", [0, 1])
@pytest.mark.parametrize("stack", ["encoder", "decoder"])
def test_residuals(model: Any, stack: str, number: int) -> None:
    """Each sub-layer's output is dropped before it is added to x, and x is not."""
    layer: EncoderLayer | DecoderLayer = model.get_submodule(f"{stack}.{number}")
    names = [name for name, _ in layer.named_children() if name.startswith("after_")]
    for name in names:
        layer.get_submodule(name).norm = nn.Identity()
    x, numbers = torch.full((B, T, model.config.d_model), 7.0), noise(model)
    inputs = (x, None) if stack == "encoder" else (x, x, None, None)
    masks = []
    for name in names:
        for other in names:
            setattr(layer, sublayer_of(stack, other), Constant(float(other == name)))
        torch.testing.assert_close(layer(*inputs), x + 1)
        masks.append(layer(*inputs, numbers) - x)
        # Their difference from 7 is rounded in the last places.
        masks[-1] = torch.where(masks[-1].abs() < 1e-5, 0, masks[-1])
        check(masks[-1], P["dropout"])
    assert len(masks) == (2 if stack == "encoder" else 3)
    assert not any(mask.equal(masks[0]) for mask in masks[1:])


def sublayer_of(stack: str, name: str) -> str:
    """The sub-layer whose output the residual connection ``name`` adds."""
    inside = name.removeprefix("after_")
    return "self_attention" if stack == "encoder" and inside == "attention" else inside


@pytest.mark.parametrize(
    "name", [f"{stack}.1.self_attention" for stack in ("encoder", "decoder")] + ["decoder.0.cross_attention"]
)
def test_attention_weights(model: Any, name: str) -> None:
    """With queries of zero every weight is 1/T, and values that are unit vectors show each of them."""
    attention = model.get_submodule(name)
    attention.W_O = nn.Identity()
    h = model.config.h
    flat = torch.zeros(B, h, T, 4)
    values = torch.eye(T).expand(B, h, T, T)
    weights = attention.attend(flat, flat, values, None, noise(model)).view(B, T, h, T).transpose(1, 2)
    check(weights * T, P["attention_dropout"])
    assert not weights[:, 0].equal(weights[:, 1])
    plain = attention.attend(flat, flat, values, None)
    torch.testing.assert_close(plain, torch.full_like(plain, 1 / T))


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
    of_encoder, of_decoder = model.places_of_layers[:2], model.places_of_layers[2:]
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


def test_self_attention_hands_its_noise_on(model: Any) -> None:
    attention = model.encoder[0].self_attention
    assert isinstance(attention, SelfAttention)
    x, numbers = torch.randn(B, T, model.config.d_model), noise(model)
    expected = attention.attend(*attention.project(x), None, numbers)
    assert attention(x, None, numbers).equal(expected)
    assert not attention(x, None).equal(expected)


def test_relu(model: Any) -> None:
    network: FeedForward = model.encoder[0].feed_forward
    network.W_1, network.W_2 = Constant(1.0), nn.Identity()  # type: ignore[assignment]
    x = torch.zeros(B, T, model.config.d_ff)
    check(network(x, noise(model)), P["relu_dropout"])
    assert (network(x) == 1).all()


def test_nothing_is_dropped_in_evaluation(model: Any) -> None:
    plain = tiny.model(dropout=0.0, attention_dropout=0.0, relu_dropout=0.0)
    plain.load_state_dict(model.state_dict())
    source, target = tiny.tokens(3, 6), tiny.tokens(3, 5)
    for mode in (True, False):
        assert model.train(mode)(source, target).equal(plain(source, target))
