"""Count the rules of a treebank, which are the grammar of the second parser.  It checks silver trees and predicts tags.

python src/transformer/parsing/train_pcfg.py --trees train.trees --output grammar.json
"""

import sys
from pathlib import Path

from transformer.common.arguments import argument_parser
from transformer.common.errors import UserError, run_script
from transformer.parsing.pcfg.grammar import Grammar
from transformer.parsing.trees import read_trees


def main() -> None:
    parser = argument_parser(__doc__)
    parser.add_argument("--trees", type=Path, required=True, help="the treebank, one bracketed tree per line")
    parser.add_argument("--output", type=Path, required=True, help="the JSON file to write")
    arguments = parser.parse_args()
    grammar, number = Grammar(), 0
    for number, tree in enumerate(read_trees(arguments.trees), start=1):
        try:
            grammar.add(tree)
        except ValueError as error:
            raise UserError(f"{arguments.trees}, line {number}: {error}") from None
    if not number:
        raise UserError(f"{arguments.trees}: the file is empty; expected one tree per line")
    grammar.save(arguments.output)
    print(
        f"{number:,} trees: {len(grammar.symbols):,} symbols, {len(grammar.rules):,} rules, "
        f"{len(grammar.words):,} words",
        file=sys.stderr,
    )


if __name__ == "__main__":
    run_script(main)
