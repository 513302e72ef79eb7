"""Random choices of lemmas: by Zipf's law within each table, and no lemma twice in a sentence.

Only ``random.Random.random`` is used: its sequence is the same on every platform and in every version of Python.
"""

from bisect import bisect
from collections import Counter
from collections.abc import Collection, Sequence
from functools import cache
from itertools import accumulate
from random import Random
from typing import TypeVar

from demo_grammar.lexicon import ADJECTIVES, ADVERBS, NAMES, NOUNS, VERBS, Adjective, Adverb, Name, Noun, Verb
from demo_grammar.word_tables import Tags

Item = TypeVar("Item")

_ZIPF_SHIFT = 5.0  # a lemma of rank r (from 0) has the weight 1 / (r + shift)
_ATTEMPTS = 8  # to find a lemma that the sentence has not used


class Rejected(Exception):
    """Raised when a derivation comes to a dead end; the caller must start another one."""


class Chooser:
    """Chooses with a seeded random generator."""

    def __init__(self, seed: int) -> None:
        self._rng = Random(seed)
        self._used: set[str] = set()  # the lemmas of the sentence

    def start_sentence(self) -> None:
        self._used.clear()

    def chance(self, probability: float) -> bool:
        return self._rng.random() < probability

    def weighted(self, weights: dict[Item, int]) -> Item:
        """Return a key, chosen with the probability that its weight gives it."""
        point = self._rng.random() * sum(weights.values())
        for item, weight in weights.items():
            point -= weight
            if point < 0:
                return item
        return item

    def zipfian(self, items: Sequence[Item]) -> Item:
        """Return one of ``items``, which are in order of frequency."""
        if not items:
            raise Rejected
        return self._weighted_item(items, _zipf_weights(len(items)))

    def _weighted_item(self, items: Sequence[Item], cumulative_weights: Sequence[float]) -> Item:
        point = self._rng.random() * cumulative_weights[-1]
        return items[bisect(cumulative_weights, point, 0, len(items) - 1)]

    def new_noun(self, tags: Tags) -> Noun:
        """Return a noun that matches ``tags`` and that the sentence has not used."""
        nouns, weights = _nouns_and_weights(tags)
        for _ in range(_ATTEMPTS):
            noun = self._weighted_item(nouns, weights)
            if self._is_new(noun.english):
                return noun
        raise Rejected

    def new_verb(self, verbs: Sequence[Verb]) -> Verb:
        """Return one of these verbs; reject the derivation when the sentence has used it."""
        verb = self.zipfian(verbs)
        if not self._is_new(verb.english.infinitive):
            raise Rejected
        return verb

    def new_name(self) -> Name:
        """Return a name that the sentence has not used."""
        for _ in range(_ATTEMPTS):
            name = self.zipfian(NAMES)
            if self._is_new(name.text):
                return name
        raise Rejected

    def _is_new(self, lemma: str) -> bool:
        new = lemma not in self._used
        self._used.add(lemma)
        return new


@cache
def _zipf_weights(count: int) -> list[float]:
    return list(accumulate(1 / (rank + _ZIPF_SHIFT) for rank in range(count)))


@cache
def _nouns_and_weights(tags: Tags) -> tuple[list[Noun], list[float]]:
    """Return the nouns that match ``tags`` and their cumulative weights; a noun's rank is its rank in its kind."""
    ranks = Counter[str]()
    nouns, weights = [], []
    for noun in NOUNS:
        if noun.matches(tags):
            nouns.append(noun)
            weights.append(1 / (ranks[noun.kind] + _ZIPF_SHIFT))
        ranks[noun.kind] += 1
    return nouns, list(accumulate(weights))


@cache
def verbs_of(*frames: str) -> list[Verb]:
    """Return the verbs of each frame in turn."""
    return [verb for frame in frames for verb in VERBS if verb.frame == frame]


@cache
def adjectives_of(noun: Noun) -> list[Adjective]:
    return [
        adjective
        for adjective in ADJECTIVES
        if noun.matches(adjective.tags) and noun.english not in adjective.unfit_nouns
    ]


def predicates_of(noun: Noun, used: Collection[Adjective] = ()) -> list[Adjective]:
    """Return the adjectives that can follow "be", without those in ``used``."""
    return [a for a in adjectives_of(noun) if "attributive" not in a.traits and a not in used]


@cache
def adverbs_of(role: str, kinds: Tags) -> list[Adverb]:
    return [adverb for adverb in ADVERBS if adverb.role == role and adverb.kinds & kinds]
