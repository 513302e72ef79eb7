"""Write trees as a parser's training data: the words of each sentence, and its tree as symbols.

The symbols are those of Vinyals et al. (2015), whose setting section 6.3 follows.
``(TOP (S (NP (DT the) (NN dog)) (VP (VBZ runs))))`` is written ``(S (NP XX XX )NP (VP XX )VP )S``: a constituent opens
with ``(LABEL`` and closes with ``)LABEL``, and each word is one symbol: XX, or its tag when the model predicts tags
too.  The words themselves are not written, since the model reads them as its input.
"""

import random
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from nltk.tree import Tree

from transformer.common.arguments import Output, argument_parser
from transformer.common.errors import run_script
from transformer.common.files import atomic_writer
from transformer.parsing.trees import CLOSE, OPEN, ROOT, is_terminal, read_both, read_trees, terminals, walk
from transformer.subwords.symbols import WORD


def main() -> None:
    parser = argument_parser(__doc__)
    parser.add_argument("--trees", type=Path, required=True, help="made by prepare_treebank.py")
    parser.add_argument("--words", choices=["tags", "XX"], required=True, help="a word's symbol: tag or XX")
    parser.add_argument("--tags-in-input", action="store_true", help="write each word's tag before it")
    about = "trees of the same sentences, from which the tags are taken (default: --trees)"
    parser.add_argument("--tags-from", type=Path, help=about)
    about = "share of the constituents of at least two words to add as sentences of their own (0)"
    parser.add_argument("--constituents", type=float, default=0.0, help=about)
    parser.add_argument("--seed", type=int, default=0, help="seed of the choice of constituents (0)")
    parser.add_argument("--output-source", type=Output, required=True, help="file for the sentences")
    parser.add_argument("--output-target", type=Output, required=True, help="file for the symbols")
    arguments = parser.parse_args()
    tags, tags_from = arguments.words == "tags", arguments.tags_from
    if tags_from and arguments.constituents:
        parser.error("--constituents have the tags of --trees; leave out --tags-from")
    trees = with_constituents(arguments.trees, arguments.constituents, arguments.seed)
    pairs = read_both(arguments.trees, tags_from) if tags_from else ((tree, tree) for tree in trees)
    with atomic_writer(arguments.output_source) as source, atomic_writer(arguments.output_target) as target:
        for tree, tagged in pairs:
            source.write(source_text(tagged, arguments.tags_in_input) + "\n")
            target.write(" ".join(linearise(tree, tags)) + "\n")


def source_text(tree: Tree, tags: bool) -> str:
    """Return a parser's input for a tree's sentence: its words, each preceded by its tag if ``tags`` is true."""
    return " ".join(f"{word.label()} {word[0]}" if tags else word[0] for word in terminals(tree))


def with_constituents(path: Path, share: float, seed: int) -> Iterator[Tree]:
    """Stream the trees of a file, each followed by a random share of its constituents, as if they were sentences."""
    rng = random.Random(seed)
    for tree in read_trees(path):
        yield tree
        for constituent in constituents(tree):
            if rng.random() < share:
                yield constituent


def constituents(tree: Tree) -> Iterator[Tree]:
    """Stream the constituents of a prepared tree that have two words or more, each inside a TOP of its own.

    The outermost constituent is not among them.
    """
    outermost = tree[0] if len(tree) == 1 and not is_terminal(tree[0]) else tree
    for child in reversed(outermost):  # any order would do, but the sample of --constituents depends on it
        for event, node in walk(child):
            if event == OPEN and len(terminals(node)) > 1:
                yield Tree(ROOT, [node])


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


def tree_of(symbols: Iterable[str], words: Sequence[str]) -> tuple[Tree, bool]:
    """Return the tree over ``words`` that symbols describe, and whether they describe one as they are.

    The tree of any other symbols is made with few changes.  A closing symbol closes the innermost constituent of its
    label and all those inside it; without such a constituent it is dropped.  Surplus words are dropped, and missing
    ones are added at the end, inside the outermost constituent.  Constituents without words are dropped, those still
    open are closed, and symbols that are not inside one constituent are put into an S.
    """
    symbols, rest = list(symbols), list(reversed(words))
    path = [Tree(ROOT, [])]  # the constituents that are open, the innermost last
    for symbol in symbols:
        if symbol.startswith("("):
            path.append(Tree(symbol[1:], []))
        elif symbol.startswith(")"):
            if symbol[1:] in (tree.label() for tree in path[1:]):
                while _close(path) != symbol[1:]:
                    pass
        elif rest:
            path[-1].append(Tree(symbol, [rest.pop()]))
    while len(path) > 1:
        _close(path)
    (root,) = path
    outermost = root[0] if len(root) == 1 and not is_terminal(root[0]) else Tree("S", root)
    outermost.extend(Tree(WORD, [word]) for word in reversed(rest))
    tree = outermost if outermost.label() == ROOT else Tree(ROOT, [outermost])
    return tree, _symbols(outermost, tags=True) == symbols


def _close(path: list[Tree]) -> str:
    """Close the innermost constituent and drop it if it is empty; return its label."""
    closed = path.pop()
    if closed:
        path[-1].append(closed)
    return str(closed.label())


if __name__ == "__main__":
    run_script(main)
