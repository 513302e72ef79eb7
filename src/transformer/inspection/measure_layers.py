"""Measure the layer types of Table 1: operations, sequential operations, path lengths, and time.

    python src/transformer/inspection/measure_layers.py --config results/demo/runs/base/en-de/config.json \\
        --output results/demo/layers.json --times results/demo/layer_times.csv

Times are measured on layers as wide as the config's model, on a GPU if there is one, or else on one CPU core.  The
counts depend neither on the width nor on the device.
"""

import dataclasses
import time
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pandas as pd
import torch
from torch.utils.benchmark import Timer, timer

from transformer.common.arguments import argument_parser
from transformer.common.artifacts import read_artifact, write_artifact, write_sums
from transformer.common.errors import run_script
from transformer.common.files import sha256_of, write_text
from transformer.common.progress import track
from transformer.inspection.layer_costs import SIZES, measure
from transformer.model.config import EncoderLayerType, TransformerConfig
from transformer.model.device import default_device
from transformer.model.layer_types import make_encoder_sublayer

TYPES = get_args(EncoderLayerType)
LENGTHS = tuple(2**power for power in range(3, 12))
# Spent on repetitions; the fastest one counts, since other work on the machine can only add time.
SECONDS = 0.2


def main() -> None:
    parser = argument_parser(__doc__)
    parser.add_argument("--config", type=Path, required=True, help="config.json of a run")
    parser.add_argument("--output", type=Path, required=True, help="the JSON file to write the counts to")
    parser.add_argument("--times", type=Path, required=True, help="the CSV file to write the times to")
    arguments = parser.parse_args()
    config = TransformerConfig(vocab_size=1, **read_artifact(arguments.config, "config")["model"])
    torch.set_num_threads(1)
    torch.manual_seed(0)
    layers = {kind: measure(kind) for kind in track(SIZES, len(SIZES), "types", "counting")}
    times = time_csv(config)
    write_artifact(arguments.output, {"format": 1, "layers": layers})
    write_text(arguments.times, times)
    # Not in the other file, whose bytes do not depend on the clock.
    write_sums(arguments.times.with_suffix(".sha256"), {arguments.times.name: sha256_of(arguments.times)})


def time_csv(config: TransformerConfig) -> str:
    """Time every layer type at every length; return one CSV row for each."""
    device = default_device()
    name = torch.cuda.get_device_name() if device.type == "cuda" else "one CPU core"
    times = track(layer_times(config, device), len(TYPES) * len(LENGTHS), "layers", "timing")
    frame = pd.DataFrame(times)
    sizes = {"d": config.d_model, "h": config.h, "k": config.kernel_size, "r": config.window_size}
    return frame.assign(**sizes, device=name).to_csv(index=False, lineterminator="\n")


def layer_times(config: TransformerConfig, device: torch.device) -> Iterator[dict[str, float | str]]:
    """Yield ``layer``, ``n`` and ``seconds`` of a forward pass over one sentence, for each type and length.

    The layers are as wide as the model of ``config``.
    """
    # On a CPU, process time leaves out the time that other processes took.
    clock = time.process_time if device.type == "cpu" else timer
    for kind in TYPES:
        layer = make_encoder_sublayer(dataclasses.replace(config, encoder_layer=kind), 0).to(device)
        for n in LENGTHS:
            x = torch.randn(1, n, config.d_model, device=device)
            with torch.no_grad():
                repeated = Timer("layer(x, None)", globals={"layer": layer, "x": x}, timer=clock)
                seconds = min(repeated.blocked_autorange(min_run_time=SECONDS).times)
            yield {"layer": kind, "n": n, "seconds": float(f"{seconds:.4g}")}


if __name__ == "__main__":
    run_script(main)
