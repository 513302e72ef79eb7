"""A model's architecture as data: the steps of the whole model, and those inside its two kinds of attention."""

import dataclasses
from typing import Any

import torch
from torch import Tensor, nn

from transformer.inspection.model_trace import Step, trace
from transformer.model.attention import causal_mask
from transformer.model.config import TransformerConfig
from transformer.model.transformer import Transformer

LENGTH = 3  # tokens of the sentence that is traced; any number would do


def architecture(config: TransformerConfig) -> dict[str, Any]:
    """Return the content of architecture.json: ``config``, the steps of ``model``, and those of each ``attention``.

    The model of ``config`` is built and its computation traced, so that the steps always agree with the code.
    """
    model = Transformer(config).eval()
    layer: Any = model.decoder[0]
    x, memory = torch.randn(2, 1, LENGTH, config.d_model)
    mask = causal_mask(LENGTH, x.device)
    return {
        "format": 1,
        "config": config.to_dict(),
        "model": _as_json(model_steps(model)),
        "attention": {
            type(attention).__name__: _as_json(attention_steps(attention, inputs | {"mask": mask}))
            for attention, inputs in (
                (layer.self_attention, {"x": x}),
                (layer.cross_attention, {"x": x, "memory": memory}),
            )
        },
    }


def model_steps(model: Transformer) -> list[Step]:
    """Return the steps of Figure 1, from ``source`` and ``target`` tokens to probabilities; a sub-layer is one step."""
    source, target = torch.full((2, 1, LENGTH), model.config.vocab_size - 1)
    layers = [layer for stack in (model.encoder, model.decoder) for layer in stack]
    # The children that contain a norm also contain the residual connection, which Figure 1 shows, so they are not
    # opaque; the other children are the sub-layers.
    sublayers = [child for layer in layers for child in layer.children() if not _norms(child)]
    return trace(
        model,
        lambda source, target: model(source, target).softmax(-1),
        {"source": source, "target": target},
        [model.positions, *sublayers, *_norms(model)],
    )


def attention_steps(attention: nn.Module, inputs: dict[str, Tensor]) -> list[Step]:
    """Return the steps inside a MultiHeadAttention (Figure 2), given the ``inputs`` of its ``forward``."""
    projections = [module for module in attention.modules() if isinstance(module, nn.Linear)]
    return trace(attention, attention, inputs, projections)


def _norms(module: nn.Module) -> list[nn.Module]:
    return [part for part in module.modules() if isinstance(part, nn.LayerNorm)]


def _as_json(steps: list[Step]) -> list[dict[str, Any]]:
    return [dataclasses.asdict(step) for step in steps]
