"""Read and write constituency trees in the Penn Treebank's brackets: ``(S (NP (DT the) (NN dog)) (VP (VBZ runs)))``.

A tree is an ``nltk.Tree``.  A word with its tag is a terminal, ``Tree("DT", ["the"])``; every other node has only trees
as children.  No function here is recursive, so trees may be of any depth.  NLTK's own methods for reading, writing and
walking are recursive or limited to 500 levels; they also split words at white space that EVALB does not know
(docs/decisions.md).
"""

import re
from collections.abc import Iterator
from pathlib import Path

from nltk.tree import Tree

from transformer.common.errors import UserError
from transformer.common.files import read_lines

OPEN, WORD, CLOSE = "open", "word", "close"  # the events of `walk`

_TOKEN = re.compile(r"(\()\s*([^\s()]*)|\)|([^\s()]+)", re.ASCII)  # EVALB splits at ASCII white space only


def is_terminal(node: Tree) -> bool:
    """Return whether a node is a word with its tag."""
    return isinstance(list.__getitem__(node, 0), str)  # node[0] takes three times as long


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


def parse_trees(text: str, deepest: int | None = None) -> Iterator[Tree]:
    """Parse any number of bracketed trees that follow each other.

    Raises ValueError, which says what is wrong, for unbalanced brackets, an empty pair of brackets, a word outside a
    terminal, or more than ``deepest`` levels.
    """
    path = [Tree("", [])]  # the constituents that are open, below a root that holds the finished tree
    for opening, label, word in _TOKEN.findall(text):
        top = path[-1]
        if opening:
            if top and is_terminal(top):
                raise ValueError(f"({top.label()} {top[0]} …) has both a word and constituents")
            path.append(Tree(label, []))
            if deepest is not None and len(path) > deepest:
                raise ValueError(f"more than {deepest} levels")
        elif len(path) == 1:
            raise ValueError(
                f"{word!r} outside all brackets" if word else "a closing bracket that nothing opens"
            )
        elif word:
            if top or not top.label():
                raise ValueError(f"{word!r} is neither a label nor the word of a terminal")
            top.append(word)
        else:
            if not top:
                raise ValueError(f"({top.label()}) has no word")
            path.pop()
            path[-1].append(top)
            if len(path) == 1:
                if is_terminal(top):
                    raise ValueError(f"the word ({top.label()} {top[0]}) is in no constituent")
                yield path[0].pop()
    if len(path) > 1:
        raise ValueError(f"{len(path) - 1} brackets are not closed")


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
    return "".join(map(_bracketed, walk(tree)))[1:]


def _bracketed(visit: tuple[str, Tree]) -> str:
    event, node = visit
    if event == CLOSE:
        return ")"
    return f" ({node.label()} {node[0]})" if event == WORD else f" ({node.label()}"


def read_trees(path: Path | str) -> Iterator[Tree]:
    """Stream the trees of a file, one a line.  Raises UserError with file and line when one is malformed."""
    for number, line in enumerate(read_lines(path), start=1):
        try:
            yield parse_tree(line)
        except ValueError as error:
            raise UserError(f"{path}, line {number}: {error}; each line must be one bracketed tree") from None
