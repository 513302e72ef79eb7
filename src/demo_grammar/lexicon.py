"""The lexicon of the demo corpus: lemmas in three languages, read from the tables beside this module."""

import re
from dataclasses import dataclass

from demo_grammar import modifiers, nouns, verbs
from demo_grammar.morphology_english import plural_of as english_plural
from demo_grammar.morphology_french import feminine_of
from demo_grammar.morphology_french import plural_of as french_plural

Tags = frozenset[str]


@dataclass(frozen=True, slots=True)
class Preposition:
    """A preposition; ``case`` is what the German one governs."""

    english: str
    german: str
    french: str
    case: str = "dative"


@dataclass(frozen=True, slots=True)
class Noun:
    """A noun.  ``plurals`` of a mass noun are empty; ``location`` and ``direction`` are set for places."""

    english: tuple[str, str]
    german: tuple[str, str]
    gender: str
    weak: bool
    french: tuple[str, str]
    french_gender: str
    pronoun: str
    section: str
    tags: Tags
    location: Preposition | None = None
    direction: Preposition | None = None

    @property
    def mass(self) -> bool:
        return not self.german[1]

    def matches(self, tags: Tags) -> bool:
        """Whether the noun is of one of the kinds ``tags``; its own English name counts as a tag."""
        return bool(self.tags & tags)


@dataclass(frozen=True, slots=True)
class Verb:
    """A verb sense: what each language's verb is and how each marks the object.

    ``english_preposition``, ``french_preposition`` and ``german_preposition`` introduce the object; without
    one it stands in ``case`` (German) or is direct (English, French).
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
    subjects: Tags
    objects: Tags
    manners: Tags
    stative: bool
    generic: bool

    @property
    def incorporating(self) -> bool:
        """Whether the German object is a bare part of the predicate: "Klavier spielen", "Fußball spielen"."""
        return self.frame in ("music", "sport")


@dataclass(frozen=True, slots=True)
class Modal:
    """A modal verb; the English one may need a "to", and has no past ("must") where ``past`` is empty."""

    present: str
    past: str
    to: bool
    german: str
    french: str


@dataclass(frozen=True, slots=True)
class Adjective:
    """An adjective; ``stem`` takes the German endings, ``before`` says that the French one precedes its noun."""

    english: str
    german: str
    stem: str
    french: tuple[str, str]
    before: bool
    tags: Tags


@dataclass(frozen=True, slots=True)
class Adverb:
    """An adverb or adverbial; ``kinds`` are the tenses of a time, or the manners that verbs select."""

    english: str
    german: str
    french: str
    kinds: Tags
    before: bool = False


@dataclass(frozen=True, slots=True)
class Name:
    """A person's name, the same in the three languages."""

    text: str
    pronoun: str


@dataclass(frozen=True, slots=True)
class Town:
    """A town or country and the French prepositions that it takes."""

    english: str
    german: str
    french: str
    french_in: str
    french_from: str


@dataclass(frozen=True, slots=True)
class Spatial:
    """A preposition of place between things and the kinds of thing that it takes."""

    preposition: Preposition
    tags: Tags


def _rows(table: str) -> list[list[str]]:
    """Split a table into rows and columns; the ``|`` of "auf|stehen", without spaces, is no column's end."""
    return [[column.strip() for column in re.split(r"\s\|", line)] for line in table.strip().splitlines()]


def _spaced(word: str) -> str:
    """A column's ``_`` is a space."""
    return word.replace("_", " ")


def _noun(section: str, row: list[str]) -> Noun:
    english, english_many = _forms(row[0])
    german_forms, gender = row[1].split()
    german, german_many = _forms(german_forms)
    french_forms, french_gender = row[2].split()
    french, french_many = _forms(french_forms)
    extra = row[-1].split()
    pronoun = next((word for word in extra if word in ("he", "she", "-")), "")
    tags = frozenset([section, english, *(word for word in extra if word != pronoun)])
    location = direction = None
    if section == "place":
        location = Preposition(*row[3].split())
        german_to, french_to = row[4].split()
        direction = Preposition("to", german_to, french_to, "dative" if german_to == "zu" else "accusative")
    return Noun(
        english=(english, english_many or english_plural(english)),
        german=(german, german_many),
        gender=gender[0],
        weak=gender.endswith("*"),
        french=(_spaced(french), _spaced(french_many or french_plural(french))),
        french_gender=french_gender,
        pronoun=pronoun,
        section=section,
        tags=tags,
        location=location,
        direction=direction,
    )


def _forms(column: str) -> tuple[str, str]:
    first, _, second = column.partition("/")
    return first, second


_ENGLISH_PREPOSITIONS = ("for", "about", "to", "of", "at", "after", "with")
_CASES = {"A": "accusative", "D": "dative"}


def _verb(frame: str, row: list[str]) -> Verb:
    english, *rest = row[0].split()
    preposition = next((word for word in rest if word in _ENGLISH_PREPOSITIONS), "")
    particle = next((word for word in rest if word != preposition), "")
    german, *marks = row[1].split()
    reflexive = german == "sich"
    if reflexive:
        german, *marks = marks
    separable, _, base = german.rpartition("|")
    german_preposition, _, case = (marks[0] if marks else "A").rpartition("+")
    french, french_reflexive, light, french_preposition = _french_verb(row[2])
    subjects, _, objects = row[3].partition(">")
    flags = frozenset(row[4].split())
    return Verb(
        frame=frame,
        english=english,
        particle=particle,
        english_preposition=preposition,
        german=base,
        separable=separable,
        reflexive=reflexive,
        german_preposition=german_preposition,
        case=_CASES[case],
        french=french,
        french_reflexive=french_reflexive,
        light_noun=light,
        french_preposition=french_preposition.rstrip("!"),
        french_clitic=french_preposition == "à",
        subjects=frozenset(subjects.split()),
        objects=frozenset(objects.split()),
        manners=flags - {"stative", "generic"},
        stative="stative" in flags,
        generic="generic" in flags,
    )


def _french_verb(column: str) -> tuple[str, bool, str, str]:
    """Split "rendre visite à" into the verb, whether it is reflexive, its noun and its preposition."""
    reflexive = column.startswith(("se ", "s'"))
    verb, *rest = column.removeprefix("se ").removeprefix("s'").split()
    preposition = rest.pop() if rest and rest[-1] in ("à", "à!", "de", "avec") else ""
    return verb, reflexive, " ".join(rest), preposition


def _modal(row: list[str]) -> Modal:
    present, *rest = row[0].split()
    return Modal(present, rest[0] if rest else "", "to" in rest, row[1], row[2])


def _adjective(row: list[str]) -> Adjective:
    german, stem = _forms(row[1])
    forms, _, before = row[2].partition(" ")
    masculine, feminine = _forms(forms)
    french = (masculine, feminine or feminine_of(masculine))
    return Adjective(row[0], german, stem or german, french, before == "<", frozenset(row[3].split()))


def _adverb(row: list[str]) -> Adverb:
    french = row[2].removesuffix(" <")
    return Adverb(row[0], row[1], french, frozenset(row[3].split()), french != row[2])


def _names() -> list[Name]:
    pairs = zip(modifiers.FEMALE_NAMES.split(), modifiers.MALE_NAMES.split(), strict=True)
    return [Name(text, pronoun) for pair in pairs for text, pronoun in zip(pair, ("she", "he"), strict=True)]


NOUNS = [_noun(section, row) for section, table in nouns.NOUNS.items() for row in _rows(table)] + [
    _noun("place", row) for row in _rows(nouns.PLACES)
]
VERBS = [_verb(frame, row) for frame, table in verbs.VERBS.items() for row in _rows(table)]
MODALS = [_modal(row) for row in _rows(verbs.MODALS)]
ADJECTIVES = [_adjective(row) for row in _rows(modifiers.ADJECTIVES)]
TIMES = [_adverb(row) for row in _rows(modifiers.TIMES)]
FREQUENCIES = [_adverb(row) for row in _rows(modifiers.FREQUENCIES)]
MANNERS = [_adverb(row) for row in _rows(modifiers.MANNERS)]
SPATIAL = [
    Spatial(Preposition(*map(_spaced, row[:3])), frozenset(row[3].split()))
    for row in _rows(modifiers.SPATIAL)
]
NAMES = _names()
TOWNS = [Town(*row) for row in _rows(modifiers.TOWNS)]
