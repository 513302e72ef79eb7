"""The whole model: which inputs influence which outputs, and that it equals torch's own Transformer."""

import math
from typing import Any

import pytest
import tiny
import torch
from torch import Tensor, nn

from transformer.common.special_tokens import PAD
from transformer.dataset.padding import Batch
from transformer.model.layers import AddAndNorm
from transformer.model.precision import autocast
from transformer.model.transformer import Transformer, shift_right, source_padding_mask
from transformer.training.objective import Objective


@pytest.mark.parametrize("positions", ["sinusoidal", "learned", "words"])
def test_a_later_target_token_changes_no_earlier_logit(positions: str) -> None:
    model = tiny.model(positions=positions)
    source, target = tiny.tokens(2, 5), tiny.tokens(2, 7)
    before = model(source, target)
    target[:, 4] = (target[:, 4] + 1) % 19 + 1
    after = model(source, target)
    torch.testing.assert_close(before[:, :4], after[:, :4], rtol=0, atol=0)
    assert (before[:, 4:] - after[:, 4:]).abs().amax(-1).min() > 1e-4  # and every later one


def test_every_source_token_counts() -> None:
    model = tiny.model()
    source, target = tiny.tokens(1, 5), tiny.tokens(1, 3)
    before = model(source, target)
    for place in range(5):
        changed = source.clone()
        changed[0, place] = (changed[0, place] + 1) % 19 + 1
        assert (model(changed, target) - before).abs().max() > 1e-4


@pytest.mark.parametrize("positions", ["sinusoidal", "learned", "words"])
def test_padding_changes_nothing(positions: str) -> None:
    model = tiny.model(positions=positions)
    source, target = tiny.tokens(1, 4), tiny.tokens(1, 3)
    alone = model(source, target)
    padded_source, padded_target = torch.full((3, 9), PAD), torch.full((3, 8), PAD)
    padded_source[0, :4], padded_target[0, :3] = source[0], target[0]
    padded_source[1:], padded_target[1:] = tiny.tokens(2, 9, seed=1), tiny.tokens(2, 8, seed=2)
    together = model(padded_source, padded_target)[:1, :3]
    torch.testing.assert_close(together, alone, rtol=1e-5, atol=1e-6)


def test_the_target_is_shifted_right() -> None:
    assert shift_right(torch.tensor([[5, 6, 1], [7, 1, 0]])).tolist() == [[0, 5, 6], [0, 7, 1]]


def test_embeddings_are_scaled_and_padding_has_none() -> None:
    model = tiny.model()
    x = model.embed(torch.tensor([[3, PAD]]), model.embedding, None)[0]
    positions = model.positions(0, 2)
    torch.testing.assert_close(x[0], model.embedding[3] * math.sqrt(12) + positions[0])
    torch.testing.assert_close(x[1], positions[1])


def test_a_target_space_is_added_to_the_encoder_s_input_only() -> None:
    plain, model = tiny.model(), tiny.model(target_space=True)
    plain.load_state_dict(
        {name: value for name, value in model.state_dict().items() if name != "target_space"}
    )
    source, target = tiny.tokens(2, 4), tiny.tokens(2, 3)
    memory = plain.encode(source, None)
    assert not torch.allclose(model.encode(source, None), memory)
    assert model.decode(target, memory, None).equal(plain.decode(target, memory, None))
    with torch.no_grad():
        model.target_space[0] = 0  # the vector that is used
    torch.testing.assert_close(model.encode(source, None), plain.encode(source, None), rtol=0, atol=0)


def test_rows_without_a_token_get_probability() -> None:
    model = tiny.model(vocabulary_rows=23)
    source, target = tiny.tokens(2, 4), tiny.tokens(2, 3)
    logits = model(source, target)
    assert logits.shape == (2, 3, 23)
    batch = Batch(source, target, torch.arange(target.numel()), None)
    wanted = nn.functional.cross_entropy(
        model(source, shift_right(target)).flatten(0, 1), target.flatten(), reduction="sum"
    )
    torch.testing.assert_close(Objective(model, 0.0)(batch), wanted)


def test_normalisation_follows_the_sum() -> None:
    model = tiny.model()
    layer = next(module for module in model.modules() if isinstance(module, AddAndNorm))
    x, sublayer = torch.randn(2, 3, 12), torch.randn(2, 3, 12)
    total = x + sublayer
    expected = (total - total.mean(-1, keepdim=True)) / (
        total.var(-1, unbiased=False, keepdim=True) + 1e-6
    ).sqrt()
    torch.testing.assert_close(layer(x, sublayer), expected)
    states = model.decode(tiny.tokens(2, 3), model.encode(tiny.tokens(2, 3), None), None)
    torch.testing.assert_close(
        states.mean(-1), torch.zeros(2, 3), rtol=0, atol=1e-6
    )  # no residual past the norm


def test_normalisation_adds_a_millionth_to_the_variance() -> None:
    """The 2017 code's value; here the variance is a millionth, too."""
    layer = AddAndNorm(tiny.model().config).eval()
    x = torch.tensor([1e-3, -1e-3]).repeat(6)
    torch.testing.assert_close(layer(x, torch.zeros(12)), x.sign() / math.sqrt(2), rtol=1e-4, atol=0)


def torch_twin(model: Transformer) -> nn.Transformer:
    """torch's own Transformer with ``model``'s weights."""
    c = model.config
    twin = nn.Transformer(
        c.d_model, c.h, c.N, c.N, c.d_ff, dropout=0.0, layer_norm_eps=1e-6, batch_first=True, norm_first=False
    )
    twin.encoder.norm = twin.decoder.norm = None  # the paper's post-norm stacks end without another
    attention = {"W_O": "out_proj"}
    names: dict[str, Any] = {
        "encoder": {
            "self_attention": ("self_attn", attention | {"W_QKV": "in_proj"}),
            "after_attention.norm": ("norm1", None),
            "after_feed_forward.norm": ("norm2", None),
        },
        "decoder": {
            "self_attention": ("self_attn", attention | {"W_QKV": "in_proj"}),
            "cross_attention": ("multihead_attn", attention),
            "after_self_attention.norm": ("norm1", None),
            "after_cross_attention.norm": ("norm2", None),
            "after_feed_forward.norm": ("norm3", None),
        },
    }
    weights: dict[str, Tensor] = {}
    ours = model.state_dict()
    for stack in names:
        for i in range(c.N):
            here, there = f"{stack}.{i}", f"{stack}.layers.{i}"
            for part, (theirs, inside) in names[stack].items():
                for old, new in inside.items() if inside else [("", "")]:
                    for kind in ("weight", "bias"):
                        source = ".".join(filter(None, [here, part, old, kind]))
                        separator = "_" if new == "in_proj" else "."
                        prefix = ".".join(filter(None, [there, theirs, new]))
                        weights[f"{prefix}{separator}{kind}"] = ours[source]
            for kind in ("weight", "bias"):
                if stack == "decoder":
                    cross = f"{here}.cross_attention"
                    joined = torch.cat((ours[f"{cross}.W_Q.{kind}"], ours[f"{cross}.W_KV.{kind}"]))
                    weights[f"{there}.multihead_attn.in_proj_{kind}"] = joined
                for number in (1, 2):
                    weights[f"{there}.linear{number}.{kind}"] = ours[f"{here}.feed_forward.W_{number}.{kind}"]
    twin.load_state_dict(weights)
    return twin


def test_equal_to_the_transformer_of_torch() -> None:
    model = tiny.model(
        d_k=4, d_v=4, attention_bias=True, dropout=0.0, attention_dropout=0.0, relu_dropout=0.0
    )
    with torch.no_grad():
        for parameter in model.parameters():  # biases and norms need values other than 0 and 1 too
            parameter.add_(torch.randn_like(parameter) * 0.1)
    twin = torch_twin(model)
    source, target = tiny.tokens(3, 6), tiny.tokens(3, 5)
    source[1, 4:], source[2, 1:], target[1, 3:] = PAD, PAD, PAD
    target_input = shift_right(target)
    states = twin(
        model.embed(source, model.embedding, None),
        model.embed(target_input, model.target_embedding, None),
        tgt_mask=nn.Transformer.generate_square_subsequent_mask(5),
        src_key_padding_mask=source == PAD,
        memory_key_padding_mask=source == PAD,
    )
    mask = source_padding_mask(source)
    ours = model.decode(target_input, model.encode(source, mask), mask)
    torch.testing.assert_close(ours, states, rtol=1e-5, atol=1e-5)


def test_bf16_is_close_to_fp32() -> None:
    model = tiny.model()
    source, target = tiny.tokens(4, 6), tiny.tokens(4, 5)
    exact = model(source, target).log_softmax(-1)
    with autocast("bf16", torch.device("cpu")):
        logits = model(source, target)
    assert logits.dtype == torch.bfloat16
    difference = (logits.float().log_softmax(-1) - exact).abs()
    assert difference.max() < 0.1  # bf16 has 8 bits: 2^-8 of logits of about 3, through two layers
    assert difference.max() > 0


def test_a_softmax_of_its_own() -> None:
    """Its matrix is initialised as an embedding, and the embeddings do not follow it."""
    model = tiny.model(target_vocab_size=30, tied_softmax=False)
    assert model.own_softmax.std().item() == pytest.approx(model.config.d_model**-0.5, rel=0.2)
    states = torch.randn(3, model.config.d_model)
    torch.testing.assert_close(model.logits(states), states @ model.own_softmax.T)
    embedded = model.embed(torch.tensor([[5]]), model.target_embedding, None)
    with torch.no_grad():
        model.own_softmax.zero_()
    assert model.logits(states).abs().max() == 0
    assert model.embed(torch.tensor([[5]]), model.target_embedding, None).equal(embedded)
