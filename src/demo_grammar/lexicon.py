"""The lexicon of the demo corpus: lemmas in three languages, and their inflected forms.

The words are in the tables in ``words/``, commonest first.  The fields of a class here are the columns of its table.
Several forms in one cell stand in the order that the class gives.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from demo_grammar.word_tables import Tags, WordError, read_by_word, read_words

Four = tuple[str, str, str, str]
Case = Literal["nominative", "accusative", "dative", "genitive"]
CASES: tuple[Case, ...] = ("nominative", "accusative", "dative", "genitive")


@dataclass(frozen=True, slots=True, kw_only=True)
class EnglishVerb:
    """The forms of an English verb; the infinitive is also the other form of the present."""

    infinitive: str
    third_person: str
    past: str
    past_participle: str
    gerund: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GermanVerb:
    """The forms of a German verb.

    ``separable`` is the particle that leaves the finite forms.  ``present``: ich, er, wir.  ``preterite``: er, wir; the
    past of a verb without one is the perfect, with ``auxiliary``.
    """

    infinitive: str
    separable: str = ""
    present: tuple[str, str, str]
    preterite: tuple[str, str] | None = None
    past_participle: str
    zu_infinitive: str
    auxiliary: Literal["haben", "sein"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FrenchVerb:
    """The forms of a French verb; ``auxiliary`` is that of the passé composé when the verb is not reflexive.

    The persons of a tense: je, il, nous, ils.  ``past_participle``: masculine, feminine, and their plurals.
    """

    infinitive: str
    present: Four
    imperfect: Four
    future: Four
    past_participle: Four
    auxiliary: Literal["avoir", "être"]


@dataclass(frozen=True, slots=True)
class Preposition:
    """A preposition; ``case`` is what the German one governs, ``tags`` are the nouns that it takes."""

    english: str
    german: str
    french: str
    case: Case = "dative"
    tags: Tags = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Noun:
    """A noun.

    ``german_accusative`` is also the dative, and ``german_plural`` is the plural of the other three cases.  The plurals
    of a mass noun are empty.  ``pronoun`` is the English "he", "she" or "it", and empty where more than one fits
    ("child").  Verbs, adjectives and prepositions select nouns by ``kind``, ``tags`` or English form.  Tags with a
    meaning of their own: ``single`` nouns are not used in the plural, ``pair`` nouns only in the plural.
    """

    english: str
    english_plural: str = ""
    german: str
    german_accusative: str
    german_genitive: str
    german_plural: str = ""
    german_dative_plural: str = ""
    german_gender: Literal["m", "f", "n"]
    french: str
    french_plural: str = ""
    french_gender: Literal["m", "f"]
    pronoun: Literal["he", "she", "it", ""] = ""
    tags: Tags = frozenset()
    kind: Literal[
        "person", "animal", "food", "dish", "drink", "text", "song", "thing", "furniture", "opening", "clothing",
        "vehicle", "instrument", "game", "place",
    ]  # fmt: skip

    @property
    def mass(self) -> bool:
        return not self.german_plural

    def matches(self, tags: Collection[str]) -> bool:
        """Return whether ``tags`` holds the noun's kind, one of its tags or its English form."""
        return self.kind in tags or self.english in tags or not self.tags.isdisjoint(tags)


@dataclass(frozen=True, slots=True, kw_only=True)
class Verb:
    """A verb in one of its senses: the verb of each language and how it marks the object.

    ``frame`` names the verb's complements.  Several senses may share an English verb: their frames, subjects and
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

    frame: Literal[
        "intransitive", "motion", "journey", "dwelling", "transitive", "music", "sport", "ditransitive", "placing",
        "content", "infinitive", "copula",
    ]  # fmt: skip
    english: EnglishVerb
    particle: str = ""
    english_preposition: str = ""
    german: GermanVerb
    reflexive: bool = False
    german_preposition: str = ""
    case: Literal["accusative", "dative"]
    french: FrenchVerb
    french_reflexive: bool = False
    light_noun: str = ""
    french_preposition: str = ""
    french_clitic: bool = False
    manners: Tags = frozenset()
    traits: frozenset[
        Literal[
            "stative", "instant", "durative", "generic", "unintended", "pleasant", "located", "placeless", "cutting",
            "to-recipient", "same-past",
        ]
    ] = frozenset()  # fmt: skip
    objects: Tags = frozenset()
    subjects: Tags

    @property
    def incorporating(self) -> bool:
        """Return whether the German object is a bare part of the predicate: "Klavier spielen", "Fußball spielen"."""
        return self.frame in ("music", "sport")


@dataclass(frozen=True, slots=True, kw_only=True)
class Modal:
    """A modal verb; ``past`` is empty where English has none ("must"); ``to`` modals take an infinitive with "to"."""

    english: str
    past: str = ""
    to: bool = False
    german: GermanVerb
    french: FrenchVerb


@dataclass(frozen=True, slots=True, kw_only=True)
class Adjective:
    """An adjective of the nouns in ``tags`` but not of those in ``unfit_nouns``.

    ``german_stem`` takes the endings.  ``french``: masculine, feminine, and their plurals; ``french_before`` adjectives
    precede their noun.  ``traits``: a ``state`` comes and goes ("tired"); ``attributive`` adjectives are not used after
    "be", where German or French has another word.
    """

    english: str
    german: str
    german_stem: str
    french: Four
    french_before: bool = False
    traits: frozenset[Literal["state", "attributive"]] = frozenset()
    unfit_nouns: Tags = frozenset()
    tags: Tags


@dataclass(frozen=True, slots=True, kw_only=True)
class Adverb:
    """An adverb or adverbial.

    ``role`` is "time", "frequency" or "manner"; ``english`` is its tree, in brackets.  ``kinds`` are the tenses of a
    time or a frequency, and the manners by which verbs select a manner.  A ``french_before`` adverb precedes the
    participle.
    """

    role: Literal["time", "frequency", "manner"]
    english: str
    german: str
    french: str
    french_before: bool = False
    kinds: Tags


@dataclass(frozen=True, slots=True)
class Name:
    """A first name, the same in the three languages.  It is a noun phrase by itself."""

    text: str
    pronoun: Literal["he", "she"]
    plural = False
    definite = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Town:
    """A town or country.

    French "in" or "to" is ``french_in``, and "from" is ``french_from``; ``french_article`` follows other prepositions.
    """

    english: str
    german: str
    french: str
    french_article: str = ""
    french_in: str
    french_from: str


@dataclass(frozen=True, slots=True)
class Place:
    """The prepositions of a noun of the kind "place": for being there, and for going there ("to", in English)."""

    english: str
    at_english: str
    at_german: str
    at_french: str
    to_german: str
    to_case: Literal["accusative", "dative"]
    to_french: str

    @property
    def at(self) -> Preposition:
        return Preposition(self.at_english, self.at_german, self.at_french)

    @property
    def to(self) -> Preposition:
        return Preposition("to", self.to_german, self.to_french, self.to_case)


@dataclass(frozen=True, slots=True, kw_only=True)
class Determiner:
    """A determiner, with the tag of the English one; the cells of a number that it does not have are empty.

    The German forms are in the order of ``CASES``; ``german_adjectives`` names the endings of adjectives after them.
    """

    english: str
    english_plural: str = ""
    english_tag: Literal["DT", "PRP$", "CD", "JJ"]
    german_m: Four | None = None
    german_f: Four | None = None
    german_n: Four | None = None
    german_p: Four | None = None
    french_m: str = ""
    french_f: str = ""
    french_p: str = ""
    german_adjectives: Literal["weak", "mixed", "strong"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonalPronoun:
    """The forms of a personal pronoun; ``english`` is the subject, and ``german`` is in the order of ``CASES``."""

    person: Literal["1", "3"]
    plural: bool = False
    gender: Literal["m", "f", "n", ""] = ""
    english: str
    english_object: str
    german: tuple[str, str, str]
    german_reflexive: str
    french: str
    french_object: str
    french_dative: str
    french_stressed: str
    french_reflexive: str


@dataclass(frozen=True, slots=True)
class FunctionWord:
    """A conjunction, pronoun or the like with its commonest translations; a hyphen says that there is none."""

    english: str
    german: str
    french: str


ENGLISH_VERBS = read_by_word(EnglishVerb, "english_verbs")
GERMAN_VERBS = read_by_word(GermanVerb, "german_verbs")
FRENCH_VERBS = read_by_word(FrenchVerb, "french_verbs")
NOUNS = list(read_by_word(Noun, "nouns").values())
VERBS = read_words(Verb, "verbs", english=ENGLISH_VERBS, german=GERMAN_VERBS, french=FRENCH_VERBS)
MODALS = read_words(Modal, "modals", german=GERMAN_VERBS, french=FRENCH_VERBS)
ADJECTIVES = list(read_by_word(Adjective, "adjectives").values())
ADVERBS = read_words(Adverb, "adverbs")
SPATIAL = read_words(Preposition, "prepositions")  # of place between things, e.g. "under the table"
NAMES = read_words(Name, "names")
TOWNS = read_words(Town, "towns")
DETERMINERS = read_by_word(Determiner, "determiners")
FUNCTION_WORDS = read_by_word(FunctionWord, "function_words")
PLACES = read_by_word(Place, "places")
_PRONOUNS: dict[tuple[str, bool, str], PersonalPronoun] = {
    (row.person, row.plural, row.gender): row for row in read_words(PersonalPronoun, "pronouns")
}
BE = next(verb for verb in VERBS if verb.frame == "copula")


def pronoun_forms(person: int, plural: bool, gender: str) -> PersonalPronoun:
    """Return the forms of a pronoun; the first person has no gender."""
    return _PRONOUNS[str(person), plural, gender if person == 3 else ""]


def _check_nouns() -> None:
    for line, noun in enumerate(NOUNS, start=2):
        word = noun.english
        plurals = (noun.english_plural, noun.german_plural, noun.german_dative_plural, noun.french_plural)
        if any(plurals) and not all(plurals):
            raise WordError("nouns", line, f"{word!r} needs its four plurals, or none of them")
        if noun.kind == "place" and word not in PLACES:
            raise WordError("nouns", line, f"{word!r} is a place; add its prepositions to places.tsv")


_check_nouns()
