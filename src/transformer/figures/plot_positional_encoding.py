"""Draw the positional encoding of a run's model as a heat map.

python src/transformer/figures/plot_positional_encoding.py --config results/demo/runs/base/en-de/config.json \\
    --output-dir results/demo/figures
"""

from pathlib import Path

from transformer.common.arguments import argument_parser
from transformer.common.errors import run_script
from transformer.common.json_artifacts import read_artifact
from transformer.figures.positional_encoding_figure import plot_positional_encoding
from transformer.model.positions import sinusoids

LENGTH = 100  # positions; few sentences are longer


def main() -> None:
    parser = argument_parser(__doc__)
    parser.add_argument("--config", type=Path, required=True, help="a run's config.json")
    parser.add_argument("--output-dir", type=Path, required=True, help="folder for the figure")
    arguments = parser.parse_args()
    table = sinusoids(LENGTH, read_artifact(arguments.config, "config")["model"]["d_model"]).numpy()
    plot_positional_encoding(table, arguments.output_dir / "positional_encoding")


if __name__ == "__main__":
    run_script(main)
