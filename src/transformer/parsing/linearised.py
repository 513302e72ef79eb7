"""Convert trees to sequences of symbols and back (Vinyals et al. 2015, whose setting section 6.3 follows).

``(TOP (S (NP (DT the) (NN dog)) (VP (VBZ runs))))`` is written ``(S (NP XX XX )NP (VP XX )VP )S``: a constituent opens
with ``(LABEL`` and closes with ``)LABEL``, and each word is one symbol: XX, or its tag when the model predicts tags
too.  The words themselves are not written, since the model reads them as its input.
"""

from collections.abc import Iterable, Sequence

from nltk.tree import Tree

from transformer.parsing.treebank import ROOT
from transformer.parsing.trees import CLOSE, OPEN, is_terminal, walk
from transformer.subwords.symbols import WORD


def linearise(tree: Tree, tags: bool) -> list[str]:
    """Return the symbols of a tree; each word is its tag, or XX without ``tags``.

    TOP is left out when it holds a single constituent, as it nearly always does.
    """
    if tree.label() == ROOT and len(tree) == 1 and not is_terminal(tree[0]) and tree[0].label() != ROOT:
        tree = tree[0]
    return _symbols(tree, tags)


def _symbols(tree: Tree, tags: bool) -> list[str]:
    prefixes = {OPEN: "(", CLOSE: ")"}
    return [
        prefixes[event] + node.label() if event in prefixes else node.label() if tags else WORD
        for event, node in walk(tree)
    ]


def tree_of(symbols: Sequence[str], words: Sequence[str], tags: Sequence[str] | None = None) -> Tree:
    """Build the tree that ``symbols`` describe over ``words``: the inverse of :func:`linearise`.

    A word's tag is its symbol, or its entry in ``tags``.  Raises ValueError, which says what is wrong, when the symbols
    are not a tree over this number of words.
    """
    path = [Tree(ROOT, [])]  # the constituents that are open, the innermost last
    used = 0
    for symbol in symbols:
        if symbol.startswith("("):
            path.append(Tree(symbol[1:], []))
        elif symbol.startswith(")"):
            if len(path) == 1 or path[-1].label() != symbol[1:]:
                raise ValueError(f"{symbol} closes a constituent that is not the innermost open one")
            if not path[-1]:
                raise ValueError(f"({symbol[1:]} is closed without a word")
            closed = path.pop()
            path[-1].append(closed)
        elif used == len(words):
            raise ValueError(f"more words than the sentence's {len(words)}")
        else:
            path[-1].append(Tree(tags[used] if tags else symbol, [words[used]]))
            used += 1
    if len(path) > 1:
        raise ValueError(f"({path[-1].label()} is not closed")
    if used < len(words):
        raise ValueError(f"{used} words, not the sentence's {len(words)}")
    (root,) = path
    # A TOP among the symbols is the root itself.
    return root[0] if len(root) == 1 and not is_terminal(root[0]) and root[0].label() == ROOT else root


def is_tree(symbols: Sequence[str], words: int) -> bool:
    """Return whether the symbols are one tree over exactly this many words."""
    return repair(symbols, words) == list(symbols)


def repair(symbols: Iterable[str], words: int) -> list[str]:
    """Turn ``symbols`` into a tree over ``words`` words with few changes; a tree stays as it is.

    A closing symbol closes the innermost constituent of its label and all those inside it; without such a constituent
    it is dropped.  Surplus words are dropped, and missing ones are added at the end, inside the outermost constituent.
    Constituents without words are dropped, those still open are closed, and symbols that are not inside one constituent
    are put into an S.
    """
    path = [Tree(ROOT, [])]
    used = 0
    for symbol in symbols:
        if symbol.startswith("("):
            path.append(Tree(symbol[1:], []))
        elif symbol.startswith(")"):
            if symbol[1:] in (tree.label() for tree in path[1:]):
                while _close(path) != symbol[1:]:
                    pass
        elif used < words:
            path[-1].append(Tree(symbol, [""]))
            used += 1
    while len(path) > 1:
        _close(path)
    (root,) = path
    outermost = root[0] if len(root) == 1 and not is_terminal(root[0]) else Tree("S", root)
    outermost.extend(Tree(WORD, [""]) for _ in range(words - used))
    return _symbols(outermost, tags=True)


def _close(path: list[Tree]) -> str:
    """Close the innermost constituent and drop it if it is empty; return its label."""
    closed = path.pop()
    if closed:
        path[-1].append(closed)
    return str(closed.label())
