"""Count the rules of a treebank, which are the grammar of the second parser.  It checks silver trees and predicts tags.

    python src/transformer/parsing/train_pcfg.py --trees train.trees --output grammar.json

The rules are those of trees that are binary and markovised, as in Klein and Manning (2003, section 2): every symbol
includes its parent's label (vertical order 2).  A constituent with more than two children is binarised from left to
right; the symbol for the remaining children includes only the label of the first of them (horizontal order 1).  NLTK
does this for constituents; the parents of tags are added here.

The marks " ^" (before the parent) and " |" (before the first remaining child) are unambiguous: labels have no spaces.
"""

import sys
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from nltk.tree import Tree
from nltk.tree.transforms import chomsky_normal_form, un_chomsky_normal_form

from transformer.common.arguments import Output, argument_parser
from transformer.common.artifacts import read_artifact, write_artifact
from transformer.common.errors import UserError, run_script
from transformer.parsing.trees import CLOSE, OPEN, WORD, is_terminal, parse_tree, read_trees, walk, write_tree

START = ""  # the symbol above every tree's root
PARENT, REST = " ^", " |"


def main() -> None:
    parser = argument_parser(__doc__)
    parser.add_argument("--trees", type=Path, required=True, help="the treebank, one bracketed tree per line")
    parser.add_argument("--output", type=Output, required=True, help="the JSON file to write")
    arguments = parser.parse_args()
    grammar, number = Grammar(), 0
    for number, tree in enumerate(read_trees(arguments.trees), start=1):
        try:
            grammar.add(tree)
        except ValueError as error:
            raise UserError(f"{arguments.trees}, line {number}: {error}") from None
    grammar.save(arguments.output)
    print(
        f"{number:,} trees: {len(grammar.symbols):,} symbols, {len(grammar.rules):,} rules, "
        f"{len(grammar.words):,} words",
        file=sys.stderr,
    )


@dataclass
class Grammar:
    """How often each rule and each tag of a word occurs; probabilities are relative frequencies.

    NLTK's induce_pcfg keeps only probabilities, but estimating the tags of unknown words needs counts.
    """

    rules: Counter[tuple[str, ...]] = field(default_factory=Counter)  # a symbol, then its one or two children
    # How often each word has each tag.
    words: defaultdict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))

    def add(self, tree: Tree) -> None:
        """Count the rules of one more tree.  Raises ValueError when it has too many levels."""
        for event, node in walk(binarise(tree)):
            if event == WORD:
                self.words[node[0]][node.label()] += 1
            elif event != CLOSE:
                self.rules[node.label(), *(child.label() for child in node)] += 1

    @property
    def symbols(self) -> list[str]:
        """All symbols, sorted."""
        return sorted({symbol for rule in self.rules for symbol in rule})

    def save(self, path: Path) -> None:
        """Write the counts; a rule's symbols are separated by tabs."""
        content = {
            "format": 2,
            "rules": {"\t".join(rule): count for rule, count in sorted(self.rules.items())},
            "words": {word: dict(sorted(tags.items())) for word, tags in sorted(self.words.items())},
        }
        write_artifact(path, content)

    @classmethod
    def load(cls, path: Path) -> "Grammar":
        """Read what :meth:`save` wrote.  Raises UserError when the file is damaged or holds anything else."""
        content = read_artifact(path, "grammar")
        words = {word: Counter(tags) for word, tags in content["words"].items()}
        rules = Counter({tuple(rule.split("\t")): count for rule, count in content["rules"].items()})
        return cls(rules, defaultdict(Counter, words))


def binarise(tree: Tree) -> Tree:
    """Return the binary tree, below START.

    Raises ValueError, from NLTK, when it would have more than 500 levels.
    """
    binary = Tree(START, [parse_tree(write_tree(tree))])  # a copy; NLTK's own is recursive
    for event, node in walk(binary):
        if event == OPEN:
            for child in node:
                if is_terminal(child):
                    child.set_label(child.label() + PARENT + node.label())
    chomsky_normal_form(binary, horzMarkov=1, vertMarkov=1, childChar=REST, parentChar=PARENT)
    return binary


def restore(binary: Tree) -> Tree:
    """Undo :func:`binarise` and return the tree; ``binary`` is modified."""
    un_chomsky_normal_form(binary, expandUnary=False, childChar=REST, parentChar=PARENT)
    return binary[0]


def label_of(symbol: str) -> str:
    """Return the tag or label of a symbol, without its parent."""
    return symbol.partition(PARENT)[0]


if __name__ == "__main__":
    run_script(main)
