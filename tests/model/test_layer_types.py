"""Section 4: what each layer type sees, and that padding and the rest of a batch change nothing."""

import itertools
from typing import Any

import pytest
import tiny
import torch
from torch import Tensor, nn

from transformer.common.special_tokens import PAD
from transformer.model.attention import SelfAttention, padding_mask
from transformer.model.layer_types import Convolutional, GatedRecurrence, RestrictedSelfAttention
from transformer.model.transformer import Transformer, source_padding_mask
from transformer.settings.run_settings import TransformerConfig

TYPES = ["self-attention", "recurrent", "convolutional", "restricted"]


def config(**changes: Any) -> TransformerConfig:
    return TransformerConfig(vocab_size=20, **tiny.model_config(attention_dropout=0.0, **changes))


def seen(layer: nn.Module, n: int) -> Tensor:
    """Whether output position i changes with input position j: (n, n)."""
    x = torch.randn(n, 12)
    changed = torch.stack([x + 1.0 * (torch.arange(n) == j)[:, None] for j in range(n)])
    return (layer(changed, None) - layer(x[None], None)).abs().amax(-1).T > 1e-6


@pytest.mark.parametrize("encoder_layer", TYPES)
def test_padding_and_neighbours_change_nothing(encoder_layer: str) -> None:
    model = tiny.model(encoder_layer=encoder_layer, kernel_size=5, window_size=5)
    sentences = [tiny.tokens(1, length, seed=length)[0] for length in (1, 4, 9)]
    batch = torch.full((3, 13), PAD)
    for row, sentence in zip(batch, sentences, strict=True):
        row[: len(sentence)] = sentence
    for together, sentence in zip(model.encode(batch, source_padding_mask(batch)), sentences, strict=True):
        alone = model.encode(sentence[None], None)[0]
        torch.testing.assert_close(together[: len(sentence)], alone, rtol=1e-5, atol=1e-6)
        assert together.isfinite().all()  # at padding, too: a NaN there would reach cross-attention


def test_the_recurrence_equals_that_of_torch() -> None:
    """torch's GRU has the same equations."""
    ours, torchs = GatedRecurrence(12, 5), nn.GRU(12, 5, batch_first=True)
    names = {"W": "ih", "U": "hh"}
    for (name, theirs), kind in itertools.product(names.items(), ("weight", "bias")):
        torchs.get_parameter(f"{kind}_{theirs}_l0").data = ours.get_submodule(name).get_parameter(kind).data
    x = torch.randn(3, 6, 12)
    torch.testing.assert_close(ours(x, None), torchs(x)[0])


def test_both_directions_are_seen() -> None:
    layer = Transformer(config(encoder_layer="recurrent")).encoder.get_submodule("0.self_attention")
    assert seen(layer, 6).all()


@pytest.mark.parametrize(("k", "dilation"), [(1, 1), (3, 1), (5, 2)])
def test_a_convolution_sees_k_positions(k: int, dilation: int) -> None:
    layer = Convolutional(config(kernel_size=k), dilation)
    distance = (torch.arange(15)[:, None] - torch.arange(15)).abs()
    expected = (distance % dilation == 0) & (distance <= dilation * (k // 2))
    assert torch.equal(seen(layer, 15), expected)


def test_convolutions_are_dilated_from_layer_to_layer() -> None:
    encoder = Transformer(config(encoder_layer="convolutional", N=3)).encoder
    kernels = [encoder.get_submodule(f"{layer}.self_attention.kernel") for layer in range(3)]
    assert [kernel.dilation for kernel in kernels] == [(1,), (2,), (4,)]


def test_restricted_self_attention_is_self_attention_with_a_band() -> None:
    restricted = RestrictedSelfAttention(config(window_size=5))
    full = SelfAttention(config())
    full.load_state_dict(restricted.state_dict())
    x = torch.randn(3, 9, 12)
    padding = torch.arange(9) >= torch.tensor([9, 6, 3])[:, None]
    far = (torch.arange(9)[:, None] - torch.arange(9)).abs() > 2
    mask = padding_mask(padding)
    assert mask is not None
    band = mask.masked_fill(far, -torch.inf)
    torch.testing.assert_close(restricted(x, mask)[~padding], full(x, band)[~padding])
