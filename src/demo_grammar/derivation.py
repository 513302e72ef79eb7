"""Derivations: the abstract syntax that the three languages realise.

A derivation contains lemmas, their relations, and whatever decides a form or an order in some language: number, tense,
negation, definiteness, and the fronted constituent.  It contains no inflected words and no word order.
"""

from dataclasses import dataclass
from typing import Literal

from demo_grammar.lexicon import Adjective, Adverb, Modal, Name, Noun, Preposition, Town, Verb

Tense = Literal["present", "past", "future"]
Aspect = Literal["simple", "progressive", "perfect"]
DEFINITE = ("the", "this", "my", "his", "her", "our", "their", "possessed")


@dataclass(frozen=True, slots=True)
class NounPhrase:
    """A noun with its dependents.

    ``determiner`` is an English determiner, or ``bare`` for none (plural or mass), or ``possessed`` when ``possessor``
    replaces it in English ("Anna's dog").  With the determiner "the", the possessor is an of-phrase ("the dog of the
    queen").
    """

    noun: Noun
    plural: bool = False
    determiner: str = "the"
    adjectives: tuple[Adjective, ...] = ()
    possessor: "NounPhrase | Name | None" = None
    phrase: "PrepositionalPhrase | None" = None
    relative: "Relative | None" = None

    @property
    def definite(self) -> bool:
        return self.determiner in DEFINITE


@dataclass(frozen=True, slots=True)
class Pronoun:
    """A personal pronoun.  ``gender`` is the English one; ``antecedent`` decides those of German and French."""

    person: int
    plural: bool
    gender: Literal["m", "f", "n"] = "m"
    antecedent: Noun | None = None
    definite: bool = True

    @property
    def is_thing(self) -> bool:
        """Whether it stands for neither a person nor an animal; a preposition does not govern it then."""
        return self.antecedent is not None and self.antecedent.kind not in ("person", "animal")


@dataclass(frozen=True, slots=True)
class Coordination:
    """Two noun phrases joined by "and"."""

    first: NounPhrase | Name
    second: NounPhrase | Name
    plural: bool = True
    definite: bool = True


Nominal = NounPhrase | Name | Pronoun | Coordination


def person_of(nominal: Nominal) -> int:
    return nominal.person if isinstance(nominal, Pronoun) else 3


@dataclass(frozen=True, slots=True)
class PrepositionalPhrase:
    """A preposition and its complement; a town or country has prepositions of its own."""

    preposition: Preposition
    nominal: Nominal | Town


@dataclass(frozen=True, slots=True)
class VerbPhrase:
    """A verb with its complements and adjuncts.

    ``object`` is the verb's second argument, with or without a preposition.  ``adjunct`` is a place or a tool.
    ``likes`` is the English "likes to", the German adverb "gern" and the French verb "aimer".
    """

    verb: Verb
    tense: Tense = "present"
    aspect: Aspect = "simple"
    modal: Modal | None = None
    likes: bool = False
    negated: bool = False
    frequency: Adverb | None = None
    object: Nominal | None = None
    recipient: Nominal | None = None
    recipient_first: bool = False
    complement: PrepositionalPhrase | None = None
    predicates: tuple[Adjective, ...] = ()
    manner: Adverb | None = None
    adjunct: PrepositionalPhrase | None = None
    time: Adverb | None = None
    infinitive: "VerbPhrase | None" = None
    content: "Clause | None" = None


@dataclass(frozen=True, slots=True)
class Clause:
    """A subject with one verb phrase, or two joined by "and"; ``fronted`` is a time before the subject."""

    subject: Nominal
    predicate: VerbPhrase
    second: VerbPhrase | None = None
    fronted: Adverb | None = None


@dataclass(frozen=True, slots=True)
class Relative:
    """A relative clause, in which the noun that it modifies has the role ``role``.

    ``subject``: "who sleeps" (``clause.subject`` is the noun itself).  ``object``: "that the man sees".
    ``place``: "in which she lives", with the preposition.  ``possessor``: "whose dog sleeps".
    """

    role: Literal["subject", "object", "place", "possessor"]
    clause: Clause
    preposition: Preposition | None = None


@dataclass(frozen=True, slots=True)
class Existential:
    """An existential sentence, with the place first: "In the garden there is a dog"."""

    place: PrepositionalPhrase
    nominal: NounPhrase
    tense: Tense


@dataclass(frozen=True, slots=True)
class Subordination:
    """A main clause with an adverbial clause before or after it."""

    main: Clause
    conjunction: Literal["because", "when", "if", "while"]
    subordinate: Clause
    first: bool


@dataclass(frozen=True, slots=True)
class Conjunction:
    """Two main clauses."""

    first: Clause
    conjunction: Literal["and", "but"]
    second: Clause


@dataclass(frozen=True, slots=True)
class Question:
    """A question that begins with ``adverb``, or a yes/no question."""

    clause: Clause
    adverb: Literal["", "why", "when", "where"] = ""


Sentence = Clause | Existential | Subordination | Conjunction | Question
