"""What a derivation is: the abstract syntax that the three languages realise.

A derivation says which lemmas stand in which relation, and whatever decides a form or an order in some
language: number, tense, negation, definiteness, what is fronted.  It holds no words and no order of words.
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

    ``determiner`` is an English determiner, ``bare`` (plural or mass), or ``possessed`` when ``possessor`` takes
    its place in English ("Anna's dog"); a possessor beside the determiner "the" is an of-phrase ("the dog of the
    queen").
    """

    noun: Noun
    plural: bool = False
    determiner: str = "the"
    adjectives: tuple[Adjective, ...] = ()
    possessor: "NounPhrase | NamePhrase | None" = None
    phrase: "PrepositionalPhrase | None" = None
    relative: "Relative | None" = None

    @property
    def definite(self) -> bool:
        return self.determiner in DEFINITE


@dataclass(frozen=True, slots=True)
class NamePhrase:
    """A person's name."""

    name: Name
    plural: bool = False
    definite: bool = True


@dataclass(frozen=True, slots=True)
class TownPhrase:
    """A town or country; its prepositions are its own, whatever the preposition is."""

    town: Town


@dataclass(frozen=True, slots=True)
class Pronoun:
    """A personal pronoun.  ``gender`` is the English one; ``antecedent`` decides the other languages' genders."""

    person: int
    plural: bool
    gender: Literal["m", "f", "n"] = "m"
    antecedent: Noun | None = None
    definite: bool = True


@dataclass(frozen=True, slots=True)
class Coordination:
    """Two noun phrases joined by "and"."""

    first: "NounPhrase | NamePhrase"
    second: "NounPhrase | NamePhrase"
    plural: bool = True
    definite: bool = True


Nominal = NounPhrase | NamePhrase | Pronoun | Coordination


@dataclass(frozen=True, slots=True)
class PrepositionalPhrase:
    """A preposition and what it governs; ``towards`` tells "to Berlin" from "in Berlin"."""

    preposition: Preposition
    nominal: Nominal | TownPhrase
    towards: bool = False


@dataclass(frozen=True, slots=True)
class VerbPhrase:
    """A verb with its complements and adjuncts.

    ``object`` is the verb's second argument however a language marks it.  ``likes`` is the English "likes to", the
    German adverb "gern", the French verb "aimer".
    """

    verb: Verb | Literal["be"]
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
    instrument: PrepositionalPhrase | None = None
    place: PrepositionalPhrase | None = None
    time: Adverb | None = None
    infinitive: "VerbPhrase | None" = None
    content: "Clause | None" = None


@dataclass(frozen=True, slots=True)
class Clause:
    """A subject and its verb phrase, perhaps a second one joined by "and".

    ``fronted`` is a time before the subject.
    """

    subject: Nominal
    predicate: VerbPhrase
    second: VerbPhrase | None = None
    fronted: Adverb | None = None


@dataclass(frozen=True, slots=True)
class Relative:
    """A relative clause; the noun that it modifies fills the gap ``role``.

    ``subject``: "who sleeps" (``clause.subject`` is the noun itself).  ``object``: "that the man sees".
    ``place``: "in which she lives", with the preposition.  ``possessor``: "whose dog sleeps".
    """

    role: Literal["subject", "object", "place", "possessor"]
    clause: Clause
    preposition: Preposition | None = None


@dataclass(frozen=True, slots=True)
class Existential:
    """ "In the garden there is a dog": the place stands first."""

    place: PrepositionalPhrase
    nominal: NounPhrase
    tense: Tense


@dataclass(frozen=True, slots=True)
class Subordination:
    """A main clause with an adverbial clause, before or behind it."""

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
    """A yes/no question, or one that asks ``adverb``."""

    clause: Clause
    adverb: Literal["", "why", "when", "where"] = ""


Sentence = Clause | Existential | Subordination | Conjunction | Question
