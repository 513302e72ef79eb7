"""Constituency trees in the Penn Treebank's brackets: ``(TOP (S (NP (DT the) (NN dog)) (VP (VBZ runs))))``."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from transformer.common.errors import UserError
from transformer.common.files import read_lines


@dataclass(frozen=True)
class Terminal:
    """A word and its part-of-speech tag: ``(DT the)``."""

    tag: str
    word: str


@dataclass
class Tree:
    """A constituent; the label may be empty, as the outermost one of a treebank's file is."""

    label: str
    children: "list[Node]"


Node: TypeAlias = Tree | Terminal


def terminals(tree: Tree) -> Iterator[Terminal]:
    """The words of a tree with their tags, from left to right."""
    rest: list[Node] = [tree]
    while rest:
        node = rest.pop()
        if isinstance(node, Terminal):
            yield node
        else:
            rest += reversed(node.children)


def replace_terminals(tree: Tree, words: Iterable[Terminal]) -> Tree:
    """A tree of the same shape over as many other words."""
    remaining = iter(words)
    root = Tree("", [])
    rest: list[tuple[Node, Tree]] = [(tree, root)]  # what is to be copied, and the parent of its copy
    while rest:
        node, parent = rest.pop()
        if isinstance(node, Terminal):
            parent.children.append(next(remaining))
        else:
            copy = Tree(node.label, [])
            parent.children.append(copy)
            rest += ((child, copy) for child in reversed(node.children))
    copied = root.children[0]
    assert isinstance(copied, Tree)
    return copied


_TOKEN = re.compile(r"[()]|[^\s()]+")


def parse_tree(text: str) -> Tree:
    """The tree that ``text`` is, of any depth.

    Raises ValueError, which says what is wrong: unbalanced brackets, nothing inside a pair of them, a word outside a
    terminal, something behind the tree.
    """
    root = Tree("", [])
    path = [root]  # the constituents that are open; brackets are told apart once they are closed
    words: list[list[str]] = [[]]
    for token in _TOKEN.findall(text):
        if len(path) == 1 and root.children:
            raise ValueError(f"{token!r} behind the end of the tree")
        if token == "(":
            path.append(Tree("", []))
            words.append([])
        elif token == ")":
            if len(path) == 1:
                raise ValueError("a closing bracket that nothing opens")
            path[-2].children.append(_closed(path.pop(), words.pop()))
        elif len(path) == 1:
            raise ValueError(f"{token!r} outside all brackets")
        elif path[-1].children or len(words[-1]) == 2:
            raise ValueError(f"{token!r} is neither a label nor the word of a terminal")
        else:
            words[-1].append(token)
    if len(path) > 1:
        raise ValueError(f"{len(path) - 1} brackets are not closed")
    if not root.children:
        raise ValueError("no tree")
    tree = root.children[0]
    if isinstance(tree, Terminal):
        raise ValueError(f"only a word, ({tree.tag} {tree.word}), and no constituent")
    return tree


def _closed(tree: Tree, words: list[str]) -> Node:
    if len(words) == 2:
        if tree.children:
            raise ValueError(f"({words[0]} {words[1]} …) has both a word and constituents")
        return Terminal(*words)
    if not tree.children:
        raise ValueError(f"({' '.join(words)}) has no word")
    tree.label = words[0] if words else ""
    return tree


def read_trees(path: Path | str) -> Iterator[Tree]:
    """Stream the trees of a file, one a line.  Raises UserError with file and line where one is malformed."""
    for number, line in enumerate(read_lines(path), start=1):
        try:
            yield parse_tree(line)
        except ValueError as error:
            raise UserError(f"{path}, line {number}: {error}; each line must be one bracketed tree") from None


def spell(
    node: Node, opens: Callable[[str], str], word: Callable[[Terminal], str], closes: Callable[[str], str]
) -> Iterator[str]:
    """A tree from left to right: what ``opens`` and ``closes`` make of each label, and ``word`` of each word."""
    # Not recursive, as parsing is not; a string is the end of a constituent whose children come before it.
    rest: list[Node | str] = [node]
    while rest:
        item = rest.pop()
        if isinstance(item, str):
            yield closes(item)
        elif isinstance(item, Terminal):
            yield word(item)
        else:
            yield opens(item.label)
            rest.append(item.label)
            rest += reversed(item.children)


def write_tree(node: Node) -> str:
    """The bracketed form, on one line; :func:`parse_tree` gives the tree back."""
    parts = spell(node, " ({}".format, lambda leaf: f" ({leaf.tag} {leaf.word})", lambda label: ")")
    return "".join(parts)[1:]
