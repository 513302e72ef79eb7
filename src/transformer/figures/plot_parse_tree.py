"""Draw a tree of a parser: the first one with at most twelve words, or the one with the fewest.

python src/transformer/figures/plot_parse_tree.py --trees results/demo/runs/parser/en-trees/constrained.trees \\
    --output-dir results/demo/figures
"""

from pathlib import Path

from transformer.common.arguments import argument_parser
from transformer.common.errors import UserError, run_script
from transformer.figures.parse_tree_figure import plot_parse_tree
from transformer.parsing.trees import read_trees, words_of

MAX_WORDS = 12  # what fits into the width of a page


def main() -> None:
    parser = argument_parser(__doc__)
    parser.add_argument("--trees", type=Path, required=True, help="bracketed trees, one per line")
    parser.add_argument("--output-dir", type=Path, required=True, help="folder for the figure")
    arguments = parser.parse_args()
    trees = list(read_trees(arguments.trees))
    if not trees:
        raise UserError(f"{arguments.trees}: no tree; make it with src/transformer/parsing/parse.py")
    lengths = [len(words_of(tree)) for tree in trees]
    short = (number for number, length in enumerate(lengths) if length <= MAX_WORDS)
    plot_parse_tree(trees[next(short, lengths.index(min(lengths)))], arguments.output_dir / "parse_tree")


if __name__ == "__main__":
    run_script(main)
