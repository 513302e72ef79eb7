"""Convert trees to binary trees over the symbols of a markovised grammar, and back without loss.

As in Klein and Manning (2003, section 2), every symbol includes its parent's label (vertical order 2).  A constituent
with more than two children is binarised from left to right; the symbol for the remaining children includes only the
label of the first of them (horizontal order 1).  NLTK does this for constituents; the parents of tags are added here.

The marks " ^" (before the parent) and " |" (before the first remaining child) are unambiguous: labels have no spaces.
"""

from nltk.tree import Tree
from nltk.tree.transforms import chomsky_normal_form, un_chomsky_normal_form

from transformer.parsing.trees import OPEN, is_terminal, parse_tree, walk, write_tree

START = ""  # the symbol above every tree's root
PARENT, REST = " ^", " |"


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
