"""The operations computed from shapes are those that torch's counter finds."""

from typing import Any

import pytest
import tiny
import torch
from settings_cases import cases
from torch.utils.flop_counter import FlopCounterMode

from transformer.model.flops import forward_flops, training_flops
from transformer.settings.run_settings import TransformerConfig


def counts_alike(config: TransformerConfig) -> bool:
    return config.encoder_layer != "recurrent" and config.target_vocab_size is None


@pytest.mark.parametrize("changes", cases(counts_alike), ids=str)
@pytest.mark.parametrize(("B", "S", "T"), [(1, 1, 1), (3, 7, 5), (2, 4, 9)])
def test_counted_equals_measured(changes: dict[str, Any], B: int, S: int, T: int) -> None:
    model = tiny.model(**changes)
    source, target = tiny.tokens(B, S), tiny.tokens(B, T)
    with FlopCounterMode(display=False) as counter:
        logits = model(source, target)
    assert counter.get_total_flops() == forward_flops(model.config, B, S, T)
    with FlopCounterMode(display=False) as counter:
        torch.nn.functional.cross_entropy(model(source, target).flatten(0, 1), target.flatten()).backward()
    assert counter.get_total_flops() == training_flops(model.config, B, S, T)
    assert logits.shape == (B, T, model.config.embedding_rows)


@pytest.mark.parametrize(("B", "S"), [(1, 1), (3, 7)])
def test_a_recurrent_encoder(B: int, S: int) -> None:
    """Its first states need no gradient, which our count ignores: one product in each direction."""
    model = tiny.model(encoder_layer="recurrent")
    source, target = tiny.tokens(B, S), tiny.tokens(B, 5)
    with FlopCounterMode(display=False) as counter:
        logits = model(source, target)
    assert counter.get_total_flops() == forward_flops(model.config, B, S, 5)
    with FlopCounterMode(display=False) as counter:
        logits.sum().backward()
    state = model.config.d_model // 2
    first = model.config.N * 2 * B * 2 * state * 3 * state
    counted = training_flops(model.config, B, S, 5) - forward_flops(model.config, B, S, 5)
    assert counter.get_total_flops() == counted - first
