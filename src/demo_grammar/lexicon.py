"""The lexicon of the demo corpus: lemmas in three languages.

The lemmas are in the tables in ``words/``, commonest first.  The fields of a class here are the columns of its table.
"""

from collections.abc import Collection
from dataclasses import dataclass

from demo_grammar.word_tables import Tags, read_table, read_words


@dataclass(frozen=True, slots=True)
class Preposition:
    """A preposition; ``case`` is what the German one governs, ``tags`` are the nouns that it takes."""

    english: str
    german: str
    french: str
    case: str = "dative"
    tags: Tags = frozenset()


@dataclass(frozen=True, slots=True)
class Noun:
    """A noun.

    The plurals of a mass noun are empty.  ``pronoun`` is the English "he", "she" or "it", and empty where more than
    one fits ("child").  Verbs, adjectives and prepositions select nouns by ``kind``, ``tags`` or English form.  Tags
    with a meaning of their own: ``single`` nouns are not used in the plural, ``pair`` nouns only in the plural.
    """

    english: str
    english_plural: str
    german: str
    german_plural: str
    german_gender: str
    german_weak: bool
    french: str
    french_plural: str
    french_gender: str
    pronoun: str
    tags: Tags
    kind: str

    @property
    def mass(self) -> bool:
        return not self.german_plural

    def matches(self, tags: Collection[str]) -> bool:
        """Return whether ``tags`` holds the noun's kind, one of its tags or its English form."""
        return self.kind in tags or self.english in tags or not self.tags.isdisjoint(tags)


@dataclass(frozen=True, slots=True)
class Verb:
    """A verb in one of its senses: the verb of each language and how it marks the object.

    ``frame`` names the verb's complements.  Several senses may share an English form: their frames, subjects and
    objects tell them apart.  ``english_preposition``, ``german_preposition`` and ``french_preposition`` introduce the
    object; without one it is in ``case`` in German and direct in English and French.  ``french_clitic`` verbs replace
    "à" and a pronoun by a dative clitic ("lui répondre", but "penser à lui").  ``light_noun`` belongs to the
    French verb ("rendre visite").  ``manners`` are the kinds of adverb that the verb takes.

    ``traits``: ``stative`` verbs are used in the simple present only, ``instant`` ones have no progressive,
    ``durative`` ones may follow "while"; ``generic`` ones have a French bare object with the definite article ("aime
    le fromage"); ``unintended`` ones take no modal, and ``pleasant`` ones may take "likes to"; a question with "where"
    may ask for the place of ``located`` ones, and ``placeless`` ones have none; ``cutting`` ones take a tool; the
    recipient of a ``to-recipient`` verb needs "to"; the past of a ``same-past`` verb looks like its base form ("read").
    """

    frame: str
    english: str
    particle: str
    english_preposition: str
    german: str
    separable: str
    reflexive: bool
    german_preposition: str
    case: str
    french: str
    french_reflexive: bool
    light_noun: str
    french_preposition: str
    french_clitic: bool
    manners: Tags
    traits: Tags
    objects: Tags
    subjects: Tags

    @property
    def incorporating(self) -> bool:
        """Return whether the German object is a bare part of the predicate: "Klavier spielen", "Fußball spielen"."""
        return self.frame in ("music", "sport")


@dataclass(frozen=True, slots=True)
class Modal:
    """A modal verb; ``past`` is empty where English has none ("must"); ``to`` modals take an infinitive with "to"."""

    english: str
    past: str
    to: bool
    german: str
    french: str


@dataclass(frozen=True, slots=True)
class Adjective:
    """An adjective of the nouns in ``tags`` but not of those in ``unfit_nouns``.

    ``german_stem`` takes the endings; ``french_before`` adjectives precede their noun.  ``traits``: a ``state`` comes
    and goes ("tired"); ``attributive`` adjectives are not used after "be", where German or French has another word.
    """

    english: str
    german: str
    german_stem: str
    french: str
    french_feminine: str
    french_before: bool
    traits: Tags
    unfit_nouns: Tags
    tags: Tags


@dataclass(frozen=True, slots=True)
class Adverb:
    """An adverb or adverbial.

    ``role`` is "time", "frequency" or "manner"; ``english`` is its tree, in brackets.  ``kinds`` are the tenses of a
    time or a frequency, and the manners by which verbs select a manner.  A ``french_before`` adverb precedes the
    participle.
    """

    role: str
    english: str
    german: str
    french: str
    french_before: bool
    kinds: Tags


@dataclass(frozen=True, slots=True)
class Name:
    """A first name, the same in the three languages."""

    text: str
    pronoun: str


@dataclass(frozen=True, slots=True)
class Town:
    """A town or country; French "in" or "to" is ``french_in``, "from" is ``french_from``."""

    english: str
    german: str
    french: str
    french_in: str
    french_from: str


NOUNS = read_words(Noun, "nouns")
VERBS = read_words(Verb, "verbs")
MODALS = read_words(Modal, "modals")
ADJECTIVES = read_words(Adjective, "adjectives")
ADVERBS = read_words(Adverb, "adverbs")
SPATIAL = read_words(Preposition, "prepositions")  # of place between things, e.g. "under the table"
NAMES = read_words(Name, "names")
TOWNS = read_words(Town, "towns")

# For each noun of the kind "place", the preposition for being there and the one for going there.
_PLACES = read_table("places")
AT_PLACE = {
    row["english"]: Preposition(row["at_english"], row["at_german"], row["at_french"]) for row in _PLACES
}
TO_PLACE = {
    row["english"]: Preposition("to", row["to_german"], row["to_french"], row["to_case"]) for row in _PLACES
}
