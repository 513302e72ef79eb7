"""Draw the time of each layer type against the length of the sentence.

python src/transformer/figures/plot_layer_times.py --times layer_times.csv --output-dir results/demo/figures
"""

from pathlib import Path

import pandas as pd

from transformer.common.arguments import argument_parser
from transformer.common.checksums import check_sums
from transformer.common.errors import UserError, run_script
from transformer.figures.layer_times import plot_layer_times

COLUMNS = {"layer", "n", "seconds", "d", "k", "r", "device"}


def main() -> None:
    parser = argument_parser(__doc__)
    parser.add_argument("--times", type=Path, required=True, help="CSV file of measure_layers.py")
    parser.add_argument("--output-dir", type=Path, required=True, help="folder for the figure")
    arguments = parser.parse_args()
    check_sums(arguments.times.with_suffix(".sha256"), arguments.times)
    try:
        times = pd.read_csv(arguments.times)
    except ValueError:  # pandas' errors for an empty or a damaged file are ValueErrors
        times = pd.DataFrame()
    if times.empty or not set(times.columns) >= COLUMNS:
        raise UserError(
            f"{arguments.times}: not a table of times; make it with src/transformer/inspection/measure_layers.py"
        )
    plot_layer_times(times, arguments.output_dir / "layer_times")


if __name__ == "__main__":
    run_script(main)
