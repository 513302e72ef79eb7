"""Helpers for the tests of the grammar: look up lemmas, sample derivations, and walk through a derivation."""

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from functools import cache
from itertools import islice
from typing import Any, TypeVar

from demo_grammar import Example, derivations, realise
from demo_grammar.derivation import NounPhrase, Sentence
from demo_grammar.lexicon import ADJECTIVES, NOUNS, TOWNS, VERBS, Adjective, Noun, Town, Verb

Found = TypeVar("Found")


def noun(english: str) -> Noun:
    return next(noun for noun in NOUNS if noun.english == english)


def verb(german: str, frame: str = "") -> Verb:
    return next(v for v in VERBS if v.german.infinitive == german and v.frame.startswith(frame))


def adjective(english: str) -> Adjective:
    return next(adjective for adjective in ADJECTIVES if adjective.english == english)


def town(english: str) -> Town:
    return next(town for town in TOWNS if town.english == english)


def the(english: str, *adjectives: str, **features: Any) -> NounPhrase:
    return NounPhrase(noun(english), adjectives=tuple(map(adjective, adjectives)), **features)


@cache
def sample() -> list[tuple[Sentence, Example]]:
    """Return a few thousand derivations and their sentences."""
    return [(derivation, realise(derivation)) for derivation in islice(derivations(seed=7), 4000)]


def parts(derivation: Any, kind: type[Found]) -> Iterator[Found]:
    """Yield every part of a derivation that is a ``kind``, itself included."""
    if isinstance(derivation, kind):
        yield derivation
    if is_dataclass(derivation) and not isinstance(derivation, Noun | Verb | Adjective):
        for field in fields(derivation):
            yield from parts(getattr(derivation, field.name), kind)
