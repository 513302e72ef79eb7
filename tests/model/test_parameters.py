"""Parameter counts against numbers of the authors' code (docs/protocol.md) and by hand.

tests/tables/test_table3.py has the rows of Table 3.
"""

from typing import Any

import torch

from transformer.model.transformer import Transformer, parameter_count
from transformer.settings.run_settings import TransformerConfig

BASE: dict[str, Any] = {
    "N": 6, "d_model": 512, "d_ff": 2048, "h": 8, "d_k": 64, "d_v": 64, "dropout": 0.1, "attention_dropout": 0.0,
    "relu_dropout": 0.0, "positions": "sinusoidal", "max_length": 1024,
}  # fmt: skip


def count(vocab_size: int, attention_bias: bool, **changes: Any) -> int:
    config = TransformerConfig(**BASE | changes, vocab_size=vocab_size, attention_bias=attention_bias)
    with torch.device("meta"):  # shapes only
        return parameter_count(Transformer(config))


def test_transformer_big_enfr_of_the_2017_code() -> None:
    """d_ff is 8192, and source, target and softmax have a matrix each; ours can share two of the three at most."""
    entries = 32_768
    changes = {"d_model": 1024, "d_ff": 8192, "h": 16, "target_space": True}
    two_matrices = count(entries, True, **changes, target_vocab_size=entries)
    assert round((two_matrices + entries * 1024) / 1e6, 1) == 377.8
    assert round(count(entries, True, **changes | {"d_ff": 4096}) / 1e6, 1) == 209.9


def test_base_by_the_text_of_the_paper() -> None:
    """37,000 entries and no biases: counted by hand from the shapes of section 3."""
    attention, feed_forward, norm = 4 * 512 * 512, 2 * 512 * 2048 + 2048 + 512, 2 * 512
    encoder, decoder = attention + feed_forward + 2 * norm, 2 * attention + feed_forward + 3 * norm
    assert count(37000, False) == 37000 * 512 + 6 * (encoder + decoder)
    assert round(count(37000, False) / 1e6, 2) == 63.05
