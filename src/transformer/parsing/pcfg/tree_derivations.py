"""Trees as derivations of a markovised grammar, and back without loss (Klein and Manning 2003, section 2).

Every symbol knows its parent's label (vertical order 2).  A constituent of more than two children is made binary from
left to right: behind each child stands a symbol for all that is right of it, and this knows no more of them than
the first one's label (horizontal order 1).
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from transformer.parsing.trees import Node, Terminal, Tree

TAG, CONSTITUENT, REST = "tag", "constituent", "rest"


class Symbol(NamedTuple):
    """A symbol of the grammar: a tag, a constituent, or the rest of a constituent's children."""

    kind: str  # TAG, CONSTITUENT or REST
    label: str  # of a rest: its constituent's
    parent: str  # the label above; "" above the root
    first: str = ""  # of a rest: the label of its first child


class Rule(NamedTuple):
    """A symbol becomes one or two others; a tag becomes a word."""

    left: Symbol
    right: tuple[Symbol, ...]
    word: str = ""


def derivation(tree: Tree) -> Iterator[Rule]:
    """The rules that derive ``tree`` when the leftmost symbol is always the next."""
    todo = [_symbol_of(tree, parent="")]
    while todo:
        symbol, below = todo.pop()
        if isinstance(below, Terminal):
            yield Rule(symbol, (), below.word)
            continue
        parts = [_symbol_of(node, parent=symbol.label) for node in below[:2]]
        if len(below) > 2:
            parts[1] = (Symbol(REST, symbol.label, symbol.parent, parts[1][0].label), below[1:])
        yield Rule(symbol, tuple(part for part, _ in parts))
        todo += reversed(parts)


def _symbol_of(node: Node, parent: str) -> tuple[Symbol, Terminal | list[Node]]:
    """A node's symbol, and what is below it."""
    if isinstance(node, Terminal):
        return Symbol(TAG, node.tag, parent), node
    return Symbol(CONSTITUENT, node.label, parent), node.children


def tree_of(rules: Iterable[Rule]) -> Tree:
    """The tree that ``rules`` derive: the inverse of :func:`derivation`."""
    root = Tree("", [])
    above = [root]  # the constituent that each symbol still to be derived is a child of, the leftmost's last
    for symbol, right, word in rules:
        parent = above.pop()
        if symbol.kind == TAG:
            parent.children.append(Terminal(symbol.label, word))
            continue
        if symbol.kind == CONSTITUENT:
            constituent = Tree(symbol.label, [])
            parent.children.append(constituent)
            parent = constituent
        above += [parent] * len(right)
    tree = root.children[0]
    assert isinstance(tree, Tree)
    return tree
