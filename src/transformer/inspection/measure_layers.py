"""Measure the layer types of Table 1: operations, sequential operations and path lengths.

    python -m transformer.inspection.measure_layers --output results/demo/layers.json

The counts depend neither on a model's width nor on the machine.
"""

from transformer.common.arguments import Output, argument_parser
from transformer.common.artifacts import write_artifact
from transformer.common.errors import run_script
from transformer.inspection.layer_costs import SIZES, measure


def main() -> None:
    parser = argument_parser(__doc__)
    parser.add_argument("--output", type=Output, required=True, help="the JSON file to write")
    arguments = parser.parse_args()
    layers = {kind: measure(kind) for kind in SIZES}
    write_artifact(arguments.output, {"format": 1, "layers": layers})


if __name__ == "__main__":
    run_script(main)
