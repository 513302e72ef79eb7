"""Constituency trees with Penn Treebank labels: their leaves, their sentence, their bracketed form."""

import re
from dataclasses import dataclass

# Penn tokenisation, as far as these sentences need it: punctuation, the possessive 's, "cannot" in two.
_TOKEN = re.compile(r"\b[Cc]an(?=not\b)|'s|[^\W_]+|[.,?]")


@dataclass(frozen=True, slots=True)
class Tree:
    """A constituent, or with a string instead of children a tagged word."""

    label: str
    children: "tuple[Tree, ...] | str"


def node(label: str, *children: Tree | None) -> Tree:
    """A constituent of those children that are there."""
    return Tree(label, tuple(child for child in children if child is not None))


def leaves(tree: Tree) -> list[str]:
    """The words of a tree, in order."""
    if isinstance(tree.children, str):
        return [tree.children]
    return [word for child in tree.children for word in leaves(child)]


def bracketed(tree: Tree) -> str:
    """One line: ``(S (NP (NNP Anna)) (VP (VBZ sleeps)) (. .))``."""
    if isinstance(tree.children, str):
        return f"({tree.label} {tree.children})"
    return f"({tree.label} {' '.join(map(bracketed, tree.children))})"


def parsed(text: str) -> Tree:
    """Read a bracketed tree.  Raises ValueError when the brackets do not balance."""
    tokens = re.findall(r"[()]|[^\s()]+", text)
    tree, end = _read(tokens, 0)
    if end != len(tokens):
        raise ValueError(f"brackets do not balance: {text}")
    return tree


def _read(tokens: list[str], start: int) -> tuple[Tree, int]:
    if start + 2 >= len(tokens) or tokens[start] != "(":
        raise ValueError("brackets do not balance: " + " ".join(tokens))
    label, position = tokens[start + 1], start + 2
    if tokens[position] != "(":
        return Tree(label, tokens[position]), position + 2
    children = []
    while position < len(tokens) and tokens[position] == "(":
        child, position = _read(tokens, position)
        children.append(child)
    if position >= len(tokens):
        raise ValueError("brackets do not balance: " + " ".join(tokens))
    return Tree(label, tuple(children)), position + 1


def capitalised(tree: Tree) -> Tree:
    """The tree with a capital at its first leaf."""
    if isinstance(tree.children, str):
        return Tree(tree.label, tree.children[0].upper() + tree.children[1:])
    return Tree(tree.label, (capitalised(tree.children[0]), *tree.children[1:]))


def sentence(words: list[str]) -> str:
    """Words as a sentence is written: punctuation and 's attached, "cannot" joined, a capital first."""
    text = re.sub(r" ([.,?]|'s\b)", r"\1", " ".join(words)).replace("can not ", "cannot ")
    return text[0].upper() + text[1:]


def tokens(text: str) -> list[str]:
    """The Penn tokens of an English sentence of the corpus: the leaves of its tree."""
    return _TOKEN.findall(text)
