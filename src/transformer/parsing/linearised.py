"""Trees as sequences of symbols, and back (Vinyals et al. 2015, whose setting section 6.3 follows).

``(TOP (S (NP (DT the) (NN dog)) (VP (VBZ runs))))`` is written ``(S (NP XX XX )NP (VP XX )VP )S``: a constituent opens
with ``(LABEL`` and closes with ``)LABEL``, and each word is one symbol: XX, or its tag where the model is to say tags
too.  The words are not written, since they are the sentence that is parsed.
"""

from collections.abc import Iterable, Sequence

from transformer.parsing.treebank import ROOT
from transformer.parsing.trees import Node, Terminal, Tree, spell

WORD = "XX"  # stands for any word


def linearise(tree: Tree, tags: bool) -> list[str]:
    """The symbols of a tree; each word is its tag, or XX without ``tags``.

    TOP is left out where it holds a single constituent, as it nearly always does.
    """
    if tree.label == ROOT and len(tree.children) == 1:
        child = tree.children[0]
        if isinstance(child, Tree) and child.label != ROOT:
            tree = child
    return _symbols(tree, tags)


def _symbols(tree: Tree, tags: bool) -> list[str]:
    return list(spell(tree, "({}".format, lambda leaf: leaf.tag if tags else WORD, "){}".format))


def source_text(words: Iterable[Terminal], tags: bool) -> str:
    """What a parser reads of a sentence: its words, each after its tag with ``tags``."""
    return " ".join(f"{word.tag} {word.word}" if tags else word.word for word in words)


def is_word(symbol: str) -> bool:
    """Whether a symbol stands for a word, and neither opens nor closes a constituent."""
    return not symbol.startswith(("(", ")"))


def tree_of(symbols: Sequence[str], words: Sequence[str], tags: Sequence[str] | None = None) -> Tree:
    """The tree that ``symbols`` say of ``words``: the inverse of :func:`linearise`.

    A word's tag is its symbol, or its entry of ``tags``.  Raises ValueError, which says what is wrong, when the
    symbols are no tree or have another number of words.
    """
    path = [Tree(ROOT, [])]
    used = 0
    for symbol in symbols:
        if symbol.startswith("("):
            path.append(Tree(symbol[1:], []))
        elif symbol.startswith(")"):
            if len(path) == 1 or path[-1].label != symbol[1:]:
                raise ValueError(f"{symbol} closes what is not open")
            if not path[-1].children:
                raise ValueError(f"({symbol[1:]} is closed without a word")
            closed = path.pop()
            path[-1].children.append(closed)
        elif used == len(words):
            raise ValueError(f"more words than the sentence's {len(words)}")
        else:
            path[-1].children.append(Terminal(tags[used] if tags else symbol, words[used]))
            used += 1
    if len(path) > 1:
        raise ValueError(f"({path[-1].label} is not closed")
    if used < len(words):
        raise ValueError(f"{used} words, not the sentence's {len(words)}")
    (*_, root) = path
    return _with_root(root)


def _with_root(root: Tree) -> Tree:
    """``root`` was put around everything; a TOP among the symbols is the root itself."""
    if len(root.children) == 1 and isinstance(root.children[0], Tree) and root.children[0].label == ROOT:
        return root.children[0]
    return root


def is_tree(symbols: Sequence[str], words: int) -> bool:
    """Whether the symbols are one tree over exactly so many words."""
    return repair(symbols, words) == list(symbols)


def repair(symbols: Iterable[str], words: int) -> list[str]:
    """The nearest thing to ``symbols`` that is a tree over ``words`` words; itself where it is one.

    A closing symbol closes the innermost constituent of its label, and those inside it; one without such is dropped.
    Words beyond the sentence's are dropped, and missing ones are added where the symbols end, inside the outermost
    constituent.  Constituents without words are dropped, those still open are closed, and what is not inside one
    constituent is put into an S.
    """
    path: list[Tree] = [Tree(ROOT, [])]
    used = 0
    for symbol in symbols:
        if symbol.startswith("("):
            path.append(Tree(symbol[1:], []))
        elif symbol.startswith(")"):
            if symbol[1:] in (tree.label for tree in path[1:]):
                while _close(path) != symbol[1:]:
                    pass
        elif used < words:
            path[-1].children.append(Terminal(symbol, ""))
            used += 1
    while len(path) > 1:
        _close(path)
    root = path[0]
    missing: list[Node] = [Terminal(WORD, "")] * (words - used)
    outermost = root.children[0] if len(root.children) == 1 else None
    if not isinstance(outermost, Tree):
        outermost = Tree("S", root.children)
    outermost.children += missing
    return _symbols(outermost, tags=True)


def _close(path: list[Tree]) -> str:
    """Close the innermost constituent, which disappears if it is empty; returns its label."""
    closed = path.pop()
    if closed.children:
        path[-1].children.append(closed)
    return closed.label
