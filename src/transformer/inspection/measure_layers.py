"""Measure the layer types of Table 1: operations, sequential operations, path lengths, and time.

    python src/transformer/inspection/measure_layers.py --config results/demo/runs/base/en-de/config.json \\
        --output results/demo/layers.json --times results/demo/layer_times.csv

Times are measured on layers as wide as the config's model, on a GPU if there is one.  The counts depend neither on the
width nor on the device.
"""

from pathlib import Path

import pandas as pd
import torch

from transformer.common.arguments import argument_parser
from transformer.common.checksums import write_sums
from transformer.common.errors import UserError, run_script
from transformer.common.files import sha256_of, write_text
from transformer.common.json_artifacts import read_artifact, write_artifact
from transformer.common.progress import track
from transformer.inspection.layer_costs import SIZES, measure
from transformer.inspection.timing import LENGTHS, TYPES, layer_times
from transformer.model.config import TransformerConfig
from transformer.model.device import default_device


def main() -> None:
    parser = argument_parser(__doc__)
    parser.add_argument("--config", type=Path, required=True, help="config.json of a run")
    parser.add_argument("--output", type=Path, required=True, help="the JSON file to write the counts to")
    parser.add_argument("--times", type=Path, required=True, help="the CSV file to write the times to")
    arguments = parser.parse_args()
    try:
        config = TransformerConfig(vocab_size=1, **read_artifact(arguments.config, "config")["model"])
    except (KeyError, TypeError, ValueError) as error:
        raise UserError(
            f"{arguments.config}: {error}; make it with src/transformer/training/resolve_run.py"
        ) from None
    torch.set_num_threads(1)
    torch.manual_seed(0)
    layers = {kind: measure(kind) for kind in track(SIZES, len(SIZES), "type", "counting")}
    times = time_csv(config)
    write_artifact(arguments.output, {"format": 1, "layers": layers})
    write_text(arguments.times, times)
    # Not in the other file, whose bytes do not depend on the clock.
    write_sums(arguments.times.with_suffix(".sha256"), {arguments.times.name: sha256_of(arguments.times)})


def time_csv(config: TransformerConfig) -> str:
    """Time every layer type at every length; return one CSV row for each."""
    device = default_device()
    name = torch.cuda.get_device_name() if device.type == "cuda" else "one CPU core"
    times = track(layer_times(config, device), len(TYPES) * len(LENGTHS), "layer", "timing")
    frame = pd.DataFrame(times)
    sizes = {"d": config.d_model, "h": config.h, "k": config.kernel_size, "r": config.window_size}
    return frame.assign(**sizes, device=name).to_csv(index=False, lineterminator="\n")


if __name__ == "__main__":
    run_script(main)
