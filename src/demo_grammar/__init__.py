"""The demo corpus: a synchronous grammar of English, German and French.

One derivation yields the sentence in the three languages and the English constituency tree.  Nothing is random
but the derivation, so a translation is a function of the sentence's structure.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from demo_grammar import english, french, german
from demo_grammar.derivation import Sentence
from demo_grammar.english_trees import Tree, bracketed, leaves, sentence
from demo_grammar.generation import Generator

LONGEST = 30  # English tokens


@dataclass(frozen=True, slots=True)
class Example:
    """A sentence in the three languages and its English tree, bracketed on one line."""

    english: str
    german: str
    french: str
    tree: str


def realise(derivation: Sentence) -> Example:
    """The sentences and the tree of a derivation."""
    return _with_tree(derivation, english.tree(derivation))


def _with_tree(derivation: Sentence, tree: Tree) -> Example:
    return Example(
        english=sentence(leaves(tree)),
        german=sentence(german.words(derivation)),
        french=sentence(french.words(derivation)),
        tree=bracketed(tree),
    )


def derivations(seed: int) -> Iterator[Sentence]:
    """Derivations without end, the same for the same seed on every machine."""
    generator = Generator(seed)
    while True:
        yield generator.sentence()


def generate(seed: int) -> Iterator[Example]:
    """Examples without end, no two with the same English sentence, the same for the same seed on every machine."""
    seen: set[str] = set()
    for derivation in derivations(seed):
        tree = english.tree(derivation)
        words = leaves(tree)
        text = " ".join(words)
        if text not in seen and len(words) <= LONGEST:
            seen.add(text)
            yield _with_tree(derivation, tree)


def splits(seed: int, sizes: dict[str, int]) -> dict[str, list[Example]]:
    """Disjoint splits of the given sizes, e.g. ``{"train": 40000, "dev": 1000, "test": 1000}``."""
    examples = generate(seed)
    return {name: [next(examples) for _ in range(size)] for name, size in sizes.items()}
