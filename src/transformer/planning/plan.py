"""Estimate the operations, the time and the memory of a training before it is started."""

from collections.abc import Mapping
from typing import Any

from transformer.model.flops import training_flops
from transformer.settings.config_files import Expected
from transformer.settings.run_settings import TARGET_SPACES, TransformerConfig

# What an update takes beside its counted operations, in the time of so many of them.  Updates of the demo's base and
# big took 0.12 and 0.26 s of one core (2026-11-27), and big has 3.3 times as many operations.
UNCOUNTED = 3e9
LOADED = 1.3e9  # bytes of memory of a process that has loaded torch


def parameters(config: TransformerConfig) -> int:
    """Return the number of parameters of a model."""
    c = config
    keys, values = c.h * c.d_k, c.h * c.d_v
    bias = int(c.attention_bias)
    attention = c.d_model * (2 * keys + values) + values * c.d_model + bias * (2 * keys + values + c.d_model)
    feed_forward = 2 * c.d_model * c.d_ff + c.d_ff + c.d_model
    half = c.d_model // 2
    encoder_mix = {
        "recurrent": 2 * 3 * half * (c.d_model + half + 2),
        "convolutional": c.kernel_size * c.d_model**2 + c.d_model,
    }.get(c.encoder_layer, attention)
    layers = c.N * (encoder_mix + 2 * attention + 2 * feed_forward + 5 * 2 * c.d_model)
    positions = c.max_length * c.d_model if c.positions == "learned" else 0
    spaces = TARGET_SPACES if c.target_space else 0
    softmax = 0 if c.tied_softmax else c.output_size
    rows = c.embedding_rows + (c.target_vocab_size or 0) + softmax + spaces
    return rows * c.d_model + layers + positions


def training_seconds(
    corpus: Expected, model: TransformerConfig, settings: Mapping[str, Any], rate: float
) -> float:
    """Return the time of a training at ``rate`` operations a second, with the ``settings`` that its config.json has."""
    update = step_flops(corpus, model, settings["batch_tokens"]) + UNCOUNTED
    return float(settings["steps"] * update / rate)


def step_flops(corpus: Expected, model: TransformerConfig, batch_tokens: int) -> float:
    """Return the operations of one update on average sentences that fill the batch on its longer side."""
    source, target = corpus.source_tokens, corpus.target_tokens
    sentences = batch_tokens / max(source, target)
    # The count is linear in the number of sentences and nearly linear in their lengths, so rounding these is harmless.
    return sentences * training_flops(model, 1, round(source), round(target))


def training_memory(model: TransformerConfig, max_tokens: int) -> float:
    """Return the memory of a training process: weights, gradients, both of Adam's moments, and activations.

    While a checkpoint is written, there are copies of weights and moments.
    """
    return LOADED + (4 + 3) * 4 * parameters(model) + activation_bytes(model, max_tokens)


def activation_bytes(model: TransformerConfig, max_tokens: int) -> float:
    """Return the memory for the activations of one forward pass, with two bytes per number.

    The factors are rough: the widths of a layer's activations, summed, for each position of 2.5 layers per N.
    """
    widths = 16 * model.d_model + 4 * model.h * (2 * model.d_k + model.d_v) + 2 * model.d_ff
    return 2.0 * max_tokens * 2.5 * model.N * widths
