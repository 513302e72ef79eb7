"""A model's architecture as data: the steps of the whole, and those inside its two kinds of attention."""

import dataclasses
from typing import Any

import torch
from torch import Tensor, nn

from transformer.inspection.model_steps import Step, trace
from transformer.model.attention import causal_mask
from transformer.model.config import TransformerConfig
from transformer.model.transformer import Transformer

LENGTH = 3  # of the sentence that is sent through; any would do


def architecture(config: TransformerConfig) -> dict[str, Any]:
    """The content of architecture.json: ``config``, the steps of ``model``, and of each kind of ``attention`` in it.

    Nothing is written down twice: the model of ``config`` is built, and followed while it computes.
    """
    model = Transformer(config).eval()
    layer: Any = model.decoder[0]
    x, memory = torch.randn(2, 1, LENGTH, config.d_model)
    mask = causal_mask(LENGTH, x.device)
    return {
        "format": 1,
        "config": config.to_dict(),
        "model": _plain(model_steps(model)),
        "attention": {
            type(attention).__name__: _plain(attention_steps(attention, inputs | {"mask": mask}))
            for attention, inputs in (
                (layer.self_attention, {"x": x}),
                (layer.cross_attention, {"x": x, "memory": memory}),
            )
        },
    }


def model_steps(model: Transformer) -> list[Step]:
    """From ``source`` and ``target`` tokens to probabilities, as in Figure 1: sub-layers are not looked into."""
    source, target = torch.full((2, 1, LENGTH), model.config.vocab_size - 1)
    layers = [layer for stack in (model.encoder, model.decoder) for layer in stack]
    # The modules that normalise hold the residual connections, which the figure shows; the others are the sub-layers.
    sublayers = [child for layer in layers for child in layer.children() if not _norms(child)]
    return trace(
        model,
        lambda source, target: model(source, target).softmax(-1),
        {"source": source, "target": target},
        [model.positions, *sublayers, *_norms(model)],
    )


def attention_steps(attention: nn.Module, inputs: dict[str, Tensor]) -> list[Step]:
    """The inside of a MultiHeadAttention, as in Figure 2, from the ``inputs`` of its ``forward``."""
    projections = [module for module in attention.modules() if isinstance(module, nn.Linear)]
    return trace(attention, attention, inputs, projections)


def _norms(module: nn.Module) -> list[nn.Module]:
    return [part for part in module.modules() if isinstance(part, nn.LayerNorm)]


def _plain(steps: list[Step]) -> list[dict[str, Any]]:
    return [dataclasses.asdict(step) for step in steps]
