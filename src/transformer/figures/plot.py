"""Draw a figure from the files that docs/figures.md lists for it.

python src/transformer/figures/plot.py parse_tree --inputs results/demo/runs/parser/en-trees/constrained.trees \\
    --output-dir results/demo/figures
"""

import os
from pathlib import Path

from transformer.common.arguments import argument_parser
from transformer.common.errors import run_script

FIGURES = "positional_encoding learning_rate training_curves parse_tree attention".split()


def main() -> None:
    parser = argument_parser(__doc__)
    parser.add_argument("figure", choices=FIGURES, help="attention: all those of attention")
    parser.add_argument("--inputs", type=Path, nargs="+", required=True, help="what it is drawn from")
    parser.add_argument("--output-dir", type=Path, required=True, help="folder for the figure")
    arguments = parser.parse_args()
    # A notebook has set its own for what it starts, and this environment may not have it.
    os.environ["MPLBACKEND"] = "agg"
    # Torch, pandas and NLTK, which few figures need, take seconds to load.
    match arguments.figure:
        case "positional_encoding":
            from transformer.figures.positional_encoding_figure import plot_positional_encoding as plot
        case "learning_rate":
            from transformer.figures.curves import plot_learning_rate as plot
        case "training_curves":
            from transformer.figures.curves import plot_training_curves as plot
        case "parse_tree":
            from transformer.figures.parse_tree_figure import plot_parse_tree as plot
        case "attention":
            from transformer.figures.attention_figures import plot_attention as plot
    plot(arguments.inputs, arguments.output_dir / arguments.figure)


if __name__ == "__main__":
    run_script(main)
