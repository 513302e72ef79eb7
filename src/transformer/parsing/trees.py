"""Read and write constituency trees in the Penn Treebank's brackets: ``(S (NP (DT the) (NN dog)) (VP (VBZ runs)))``.

A tree is an ``nltk.Tree``.  A word with its tag is a terminal, ``Tree("DT", ["the"])``; every other node is a
constituent and has only nodes as children.  No function here is recursive, so trees may be of any depth.  NLTK's own
methods for reading, writing and walking are recursive or limited to 500 levels; they also split words at white space
that EVALB does not know.

The EVALB program also takes lines that are not trees of a treebank: an empty line, a constituent without a word,
``(NP)``, a word in no constituent, ``(NN a)``, several trees, and ``(NP )``, which it reads as the empty word with the
tag NP.  :func:`parse_nodes` reads all of these, and :func:`parse_trees` refuses them.
"""

import re
from collections.abc import Callable, Iterator
from itertools import zip_longest
from pathlib import Path
from typing import TypeVar

from nltk.tree import Tree

from transformer.common.errors import UserError
from transformer.corpus.text import read_text

ROOT = "TOP"  # the label of every tree's root
EMPTY = "-NONE-"  # the tag of empty elements, such as traces and dropped subjects
OPEN, WORD, CLOSE = "open", "word", "close"  # the events of `walk`

Parsed = TypeVar("Parsed")

# A terminal `(TAG word)`, the opening of a constituent `(LABEL`, its end, or anything else.  A word ends at ASCII white
# space only, as C's isspace() has it.  (`++` does not backtrack, which would take a while on many spaces.)
_TOKEN = re.compile(
    r"\((?:(?P<tag>[^\s()]*+)\s++(?P<word>[^\s()]*+)\s*+\)|\s*+(?P<label>[^\s()]*+))|(?P<end>\))|(?P<other>[^\s()]+)",
    re.ASCII,
)


def is_terminal(node: Tree) -> bool:
    """Return whether a node is a word with its tag."""
    return bool(node) and isinstance(list.__getitem__(node, 0), str)  # node[0] takes three times as long


def walk(tree: Tree) -> Iterator[tuple[str, Tree]]:
    """Visit a tree from left to right: each constituent at its OPEN and its CLOSE, each terminal once, as WORD."""
    rest: list[Tree | tuple[str, Tree]] = [tree]  # nodes to visit, and constituents to close
    while rest:
        node = rest.pop()
        if isinstance(node, tuple):
            yield node
        elif is_terminal(node):
            yield WORD, node
        else:
            yield OPEN, node
            rest.append((CLOSE, node))
            rest.extend(reversed(node))


def terminals(tree: Tree) -> list[Tree]:
    """Return the words of a tree with their tags, from left to right."""
    return [node for event, node in walk(tree) if event == WORD]


def words_of(tree: Tree) -> list[str]:
    """Return the words of a tree, from left to right."""
    return [terminal[0] for terminal in terminals(tree)]


def copy_tags(source: Tree, target: Tree) -> None:
    """Give the words of ``target`` the tags of ``source``, a tree over the same words."""
    for ours, theirs in zip(terminals(target), terminals(source), strict=True):
        ours.set_label(theirs.label())


def parse_nodes(text: str) -> Iterator[Tree]:
    """Stream the outermost nodes in a text as EVALB reads them; some may be terminals, or constituents without a word.

    Raises ValueError, which says what is wrong, for unbalanced brackets, or a word outside a terminal.
    """
    path: list[Tree] = []  # the constituents that are open
    for token in _TOKEN.finditer(text):
        if token["label"] is not None:
            path.append(Tree(token["label"], []))
            continue
        if token["other"]:
            what = "is neither a label nor the word of a terminal" if path else "outside all brackets"
            raise ValueError(f"{token['other']!r} {what}")
        if token["end"] and not path:
            raise ValueError("a closing bracket that nothing opens")
        node = path.pop() if token["end"] else Tree(token["tag"], [token["word"]])
        if path:
            path[-1].append(node)
        else:
            yield node
    if path:
        raise ValueError(f"{len(path)} brackets are not closed")


def parse_trees(text: str) -> Iterator[Tree]:
    """Parse any number of bracketed trees that follow each other.

    Raises ValueError as :func:`parse_nodes` does, and for a node without a word, a word without a tag, or a word in no
    constituent.
    """
    for tree in parse_nodes(text):
        for event, node in walk(tree):
            if not node or (event == WORD and not (node.label() and node[0])):
                raise ValueError(f"({node.label() or ''.join(node)}) has no word")
        if is_terminal(tree):
            raise ValueError(f"the word ({tree.label()} {tree[0]}) is in no constituent")
        yield tree


def parse_tree(text: str) -> Tree:
    """Parse one bracketed tree.  Raises ValueError, which says what is wrong, when ``text`` is anything else."""
    trees = parse_trees(text)
    tree = next(trees, None)
    if tree is None:
        raise ValueError("no tree")
    if next(trees, None) is not None:
        raise ValueError("a second tree after the end of the first")
    return tree


def write_tree(tree: Tree) -> str:
    """Return the bracketed form on one line; :func:`parse_tree` gives the tree back."""
    parts = []
    for event, node in walk(tree):
        word = f" {node[0]})" if event == WORD else ""
        parts.append(")" if event == CLOSE else f" ({node.label()}{word}")
    return "".join(parts)[1:]


def read_trees(path: Path | str) -> Iterator[Tree]:
    """Stream the trees of a file, one a line.  Raises UserError as :func:`parsed_lines` does."""
    return parsed_lines(path, parse_tree)


def read_both(first: Path, second: Path) -> Iterator[tuple[Tree, Tree]]:
    """Stream the two trees of each sentence.  Raises UserError when they are not of the same sentence."""
    for number, (one, other) in enumerate(zip_longest(read_trees(first), read_trees(second)), start=1):
        if one is None or other is None or words_of(one) != words_of(other):
            raise UserError(
                f"{first} and {second}, line {number}: not the same words; both must be parses of the same sentences"
            )
        yield one, other


def parsed_lines(path: Path | str, parse: Callable[[str], Parsed]) -> Iterator[Parsed]:
    """Stream what ``parse`` makes of each line.

    Raises UserError with file and line where it raises ValueError, and when the file is empty.
    """
    number = 0
    for number, line in enumerate(read_text(path), start=1):
        try:
            yield parse(line)
        except ValueError as error:
            raise UserError(f"{path}, line {number}: {error}; each line must be one bracketed tree") from None
    if not number:
        raise UserError(f"{path}: the file is empty; expected one tree per line")
