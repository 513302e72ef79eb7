"""The logits against the reference in numpy, with padding, on the plain branch of attention and on that of GPUs."""

from typing import Any

import numpy as np
import pytest
import tiny
import torch
from reference_transformer import reference_of
from settings_cases import cases

from transformer.common.special_tokens import EOS, PAD
from transformer.model import attention
from transformer.model.transformer import shift_right
from transformer.settings.run_settings import TransformerConfig

PAIRS = [([3, 9, 4, 7, 5, EOS], [8, 6, EOS]), ([11, EOS], [4, 12, 4, 3, EOS]), ([5, 5, 6, EOS], [EOS])]


def is_in_the_reference(config: TransformerConfig) -> bool:
    return config.encoder_layer == "self-attention" and config.positions in ("sinusoidal", "learned")


def randomised(**changes: Any) -> Any:
    """A model whose biases and norms differ from 0 and 1, too, and whose logits have some size."""
    model = tiny.model(**changes)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.2)
    return model


@pytest.mark.parametrize("fused", [False, True], ids=["plain", "fused"])
@pytest.mark.parametrize("changes", cases(is_in_the_reference), ids=str)
def test_logits(changes: dict[str, Any], fused: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither padding nor the settings of dropout change them, also while the model is in training mode."""
    monkeypatch.setattr(attention, "FUSED_DEVICES", {"cpu"} if fused else set())
    probability = {"dropout": 0.5, "attention_dropout": 0.5, "relu_dropout": 0.5}
    model = randomised(**probability, **changes).train()
    reference, weights = reference_of(model)
    source, target = (torch.full((len(PAIRS), 8), PAD) for _ in range(2))
    for row, pair in enumerate(PAIRS):
        for side, tokens in zip((source, target), pair, strict=True):
            side[row, : len(tokens)] = torch.tensor(tokens)
    with torch.no_grad():
        together = model(source, shift_right(target)).numpy()
    for found, pair in zip(together, PAIRS, strict=True):
        expected = reference.logits(weights, *pair)
        assert np.abs(expected).max() > 1
        np.testing.assert_allclose(found[: len(pair[1])], expected, rtol=0, atol=2e-5)
