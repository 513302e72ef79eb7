"""Draw the architecture (Figure 1) and attention (Figure 2) from the steps that describe_model.py recorded.

python src/transformer/figures/plot_architecture.py --architecture results/demo/figures/architecture.json \\
    --output-dir results/demo/figures
"""

from pathlib import Path

from transformer.common.arguments import argument_parser
from transformer.common.errors import run_script
from transformer.common.json_artifacts import read_artifact
from transformer.figures.architecture_figure import plot_architecture
from transformer.figures.attention_block import plot_attention_block


def main() -> None:
    parser = argument_parser(__doc__)
    parser.add_argument("--architecture", type=Path, required=True, help="JSON file of describe_model.py")
    parser.add_argument("--output-dir", type=Path, required=True, help="folder for the figures")
    arguments = parser.parse_args()
    description = read_artifact(arguments.architecture, "architecture")
    plot_architecture(description, arguments.output_dir / "architecture")
    plot_attention_block(description, arguments.output_dir / "attention_block")


if __name__ == "__main__":
    run_script(main)
