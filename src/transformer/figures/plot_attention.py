"""Draw the weights in attention.json (Figures 3, 4 and 5, and the decoder's), and write a page to explore them.

python src/transformer/figures/plot_attention.py --attention attention.json --output-dir results/demo/figures
"""

from pathlib import Path

from transformer.common.arguments import argument_parser
from transformer.common.errors import run_script
from transformer.common.json_artifacts import read_artifact
from transformer.figures.attention_figures import plot_attention
from transformer.figures.attention_page import write_attention_page


def main() -> None:
    parser = argument_parser(__doc__)
    parser.add_argument("--attention", type=Path, required=True, help="JSON file of extract_attention.py")
    parser.add_argument("--output-dir", type=Path, required=True, help="folder for figures and page")
    arguments = parser.parse_args()
    attention = read_artifact(arguments.attention, "attention")
    plot_attention(attention, arguments.output_dir)
    write_attention_page(attention, arguments.output_dir / "attention.html")


if __name__ == "__main__":
    run_script(main)
