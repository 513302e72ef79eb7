"""The demo corpus: a synchronous grammar of English, German and French.

One derivation yields the sentence in the three languages and the English constituency tree.  Only the derivation is
random, so a translation is a function of the sentence's structure.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from demo_grammar import english, french, german
from demo_grammar.derivation import Sentence
from demo_grammar.plain_text import join_words, split_english
from demo_grammar.sentences import SentenceGenerator

MAX_TOKENS = 30  # of an English sentence


@dataclass(frozen=True, slots=True)
class Example:
    """A sentence in the three languages and its English tree, bracketed on one line."""

    english: str
    german: str
    french: str
    tree: str


def realise(derivation: Sentence) -> Example:
    """Return the sentences and the tree of a derivation."""
    tree = english.tree(derivation)
    return Example(
        english=join_words(tree.leaves()),
        german=join_words(german.words(derivation)),
        french=join_words(french.words(derivation)),
        tree=tree.pformat(margin=sys.maxsize),
    )


def generate(seed: int) -> Iterator[Example]:
    """Yield examples without end, the same for the same seed on every machine, with no English sentence twice."""
    generator, seen = SentenceGenerator(seed), set[str]()
    while True:
        example = realise(generator.sentence())
        if example.english not in seen and len(split_english(example.english)) <= MAX_TOKENS:
            seen.add(example.english)
            yield example


def splits(seed: int, sizes: dict[str, int]) -> dict[str, list[Example]]:
    """Return disjoint splits of the given sizes, e.g. ``{"train": 40000, "dev": 1000, "test": 1000}``."""
    examples = generate(seed)
    return {name: list(islice(examples, size)) for name, size in sizes.items()}
