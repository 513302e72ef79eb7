"""The time that one layer of each type takes (section 4)."""

import dataclasses
import time
from collections.abc import Iterator
from typing import get_args

import torch
from torch.utils.benchmark import Timer, timer

from transformer.model.config import EncoderLayerType, TransformerConfig
from transformer.model.layer_types import make_encoder_sublayer

TYPES = get_args(EncoderLayerType)
LENGTHS = tuple(2**power for power in range(3, 12))
SECONDS = (
    0.2  # spent on repetitions; the fastest one counts, since other work on the machine can only add time
)


def layer_times(config: TransformerConfig, device: torch.device) -> Iterator[dict[str, float | str]]:
    """Yield ``layer``, ``n`` and ``seconds`` of a forward pass over one sentence, for each type and length.

    The layers are as wide as the model of ``config``.
    """
    # On a CPU, process time leaves out the time that other processes took.
    clock = time.process_time if device.type == "cpu" else timer
    for kind in TYPES:
        layer = make_encoder_sublayer(dataclasses.replace(config, encoder_layer=kind), 0).to(device).eval()
        for n in LENGTHS:
            x = torch.randn(1, n, config.d_model, device=device)
            with torch.no_grad():
                repeated = Timer("layer(x, None)", globals={"layer": layer, "x": x}, timer=clock)
                seconds = min(repeated.blocked_autorange(min_run_time=SECONDS).times)
            yield {"layer": kind, "n": n, "seconds": float(f"{seconds:.4g}")}
