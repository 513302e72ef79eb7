"""Drawing derivations at random: what can be said, how often, and what makes sense with what.

Everything random is decided here, so that each translation is a function of the derivation.  Lemmas are drawn by Zipf's
law within their table.  Only ``random.Random.random`` is used: its sequence is the same on every platform and version.
"""

from bisect import bisect
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from itertools import accumulate
from random import Random
from typing import TypeVar

from demo_grammar.derivation import (
    Clause,
    Conjunction,
    Coordination,
    Existential,
    NamePhrase,
    Nominal,
    NounPhrase,
    PrepositionalPhrase,
    Pronoun,
    Question,
    Relative,
    Sentence,
    Subordination,
    Tense,
    TownPhrase,
    VerbPhrase,
)
from demo_grammar.lexicon import (
    ADJECTIVES,
    FREQUENCIES,
    MANNERS,
    MODALS,
    NAMES,
    NOUNS,
    SPATIAL,
    TIMES,
    TOWNS,
    VERBS,
    Adjective,
    Adverb,
    Name,
    Noun,
    Preposition,
    Tags,
    Verb,
)

Item = TypeVar("Item")

PERSON = frozenset(["person"])
PLACE = frozenset(["place"])
_ZIPF_SHIFT = 5.0  # a lemma of rank r (from 0) has the weight 1 / (r + shift)

_FRAMES = {
    "transitive": 46, "copula": 9, "state": 5, "intransitive": 11, "ditransitive": 9, "dwelling": 5, "location": 5,
    "motion": 5, "journey": 4, "placing": 5, "content": 7, "infinitive": 6, "music": 2, "sport": 2,
}  # fmt: skip
_EVENT_FRAMES = {"transitive": 58, "state": 20, "intransitive": 15, "motion": 4, "journey": 3}
_PLAIN_FRAMES = {"transitive": 60, "copula": 15, "intransitive": 15, "motion": 4, "journey": 3, "music": 2}
_ACTION_FRAMES = {"transitive": 70, "intransitive": 15, "motion": 7, "journey": 5, "music": 2, "sport": 2}
_DESCRIBED = {"person": 60, "thing": 12, "animal": 10, "place": 8, "text": 5, "vehicle": 5}
_SENTENCES = {
    "plain": 47, "subordination": 20, "conjunction": 9, "coordination": 9, "question": 10, "existential": 5,
}  # fmt: skip

# Verbs by their English form: what nobody sets out to do, what one may like doing, what happens nowhere in particular.
_UNINTENDED = frozenset(
    """
    lose forget find hear disappear cough fall arrive see meet wake break cry
    """.split()
)
_PLEASANT = frozenset(
    """
    sleep sing dance swim cook read eat drink travel play visit write wear draw photograph dream talk
    work invite buy help
    """.split()
)
_PLACELESS = {
    "get",
    "leave",
    "come",
    "hurry",
    "throw",
    "bring",
    "stop",
    "follow",
    "know",
    "invite",
    "disappear",
}
_WHERE = {"buy", "find", "lose", "see", "meet", "read", "sleep", "dance", "work", "hide", "sing", "eat"}
_TO_ONLY = {"explain", "recommend"}
_SAME_IN_THE_PAST = {"read", "put", "cut"}
_NO_PROGRESSIVE = {"see", "hear", "find", "forget", "notice", "arrive"}
_DURATIVE = frozenset(
    """
    sleep work laugh sing cry dance swim cook rest read eat drink look write wash repair cut draw wait
    talk listen play prepare feed build translate carry tidy
    """.split()
)
_STATES = frozenset(
    """
    tired happy sad quiet ill friendly curious hungry proud shy angry patient polite brave lazy
    """.split()
)
_ATTRIBUTIVE = {
    "new",
    "French",
    "German",
    "Italian",
    "English",
    "secret",
}  # not after "be", or other words in German and French
_CLASHES = {
    ("old", "boy"),
    ("old", "girl"),
    ("old", "child"),
    ("young", "grandmother"),
    ("young", "grandfather"),
}

_IN_TOWN = Preposition("in", "in", "à")
_TO_TOWN = Preposition("to", "nach", "à")
_FROM_TOWN = Preposition("from", "aus", "de")
_WEARING = Preposition("with", "mit", "à")
_ABOUT = Preposition("about", "über", "sur", "accusative")
_WITH_TOOL = Preposition("with", "mit", "avec")


class Rejected(Exception):
    """A derivation that came to a dead end; the caller draws another."""


@cache
def _zipf(count: int) -> list[float]:
    return list(accumulate(1 / (rank + _ZIPF_SHIFT) for rank in range(count)))


@cache
def _nouns(tags: Tags) -> tuple[tuple[Noun, ...], list[float]]:
    """The nouns of these kinds, with their weights by rank within their own table."""
    ranks: dict[str, int] = {}
    chosen, weights = [], []
    for noun in NOUNS:
        rank = ranks[noun.section] = ranks.get(noun.section, -1) + 1
        if noun.matches(tags):
            chosen.append(noun)
            weights.append(1 / (rank + _ZIPF_SHIFT))
    if not chosen:
        raise ValueError(f"no noun has any of the tags {sorted(tags)}")
    return tuple(chosen), list(accumulate(weights))


@cache
def _verbs(frame: str) -> tuple[Verb, ...]:
    return tuple(verb for verb in VERBS if verb.frame == frame)


@cache
def _adjectives(noun: Noun) -> tuple[Adjective, ...]:
    fitting = (adjective for adjective in ADJECTIVES if noun.matches(adjective.tags))
    return tuple(adjective for adjective in fitting if (adjective.english, noun.english[0]) not in _CLASHES)


def _predicable(noun: Noun, used: Sequence[Adjective] = ()) -> list[Adjective]:
    """What can be said of a noun after "be", beside the adjectives that it already has."""
    return [
        adjective
        for adjective in _adjectives(noun)
        if adjective.english not in _ATTRIBUTIVE and adjective not in used
    ]


@cache
def _adverbs(table: str, kinds: Tags) -> tuple[Adverb, ...]:
    tables = {"time": TIMES, "frequency": FREQUENCIES, "manner": MANNERS}
    return tuple(adverb for adverb in tables[table] if adverb.kinds & kinds)


def _unambiguous(phrase: VerbPhrase, subject: Nominal) -> VerbPhrase:
    """Reject "they read": present or past, the English does not tell."""
    first = isinstance(subject, Pronoun) and subject.person == 1
    bare_form = phrase.aspect == "simple" and not (phrase.modal or phrase.likes or phrase.negation)
    same = isinstance(phrase.verb, Verb) and phrase.verb.english in _SAME_IN_THE_PAST
    if same and bare_form and phrase.tense != "future" and (subject.plural or first):
        raise Rejected
    return phrase


class Generator:
    """Draws derivations from a seeded source of randomness."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)
        self._used: set[str] = set()

    def sentence(self) -> Sentence:
        """Draw the derivation of a sentence."""
        while True:
            self._used.clear()
            try:
                return self._sentence(self._weighted(_SENTENCES))
            except Rejected:
                continue

    # --- chance -------------------------------------------------------------------------------------------

    def _chance(self, probability: float) -> bool:
        return self._random.random() < probability

    def _weighted(self, weights: dict[str, int]) -> str:
        point = self._random.random() * sum(weights.values())
        for name, weight in weights.items():
            point -= weight
            if point < 0:
                return name
        return name

    def _zipfian(self, items: Sequence[Item]) -> Item:
        if not items:
            raise Rejected
        weights = _zipf(len(items))
        return items[bisect(weights, self._random.random() * weights[-1], 0, len(items) - 1)]

    def _noun(self, tags: Tags) -> Noun:
        """A noun of these kinds that the sentence has not used."""
        nouns, weights = _nouns(tags)
        for _ in range(8):
            noun = nouns[bisect(weights, self._random.random() * weights[-1], 0, len(nouns) - 1)]
            if noun.english[0] not in self._used:
                self._used.add(noun.english[0])
                return noun
        raise Rejected

    def _verb(self, verbs: Sequence[Verb]) -> Verb:
        """One of these verbs, if the sentence has not used it."""
        verb = self._zipfian(verbs)
        if verb.english in self._used:
            raise Rejected
        self._used.add(verb.english)
        return verb

    def _name(self) -> Name:
        for _ in range(8):
            name = self._zipfian(NAMES)
            if name.text not in self._used:
                self._used.add(name.text)
                return name
        raise Rejected

    # --- sentences ----------------------------------------------------------------------------------------

    def _sentence(self, kind: str) -> Sentence:
        match kind:
            case "plain":
                return self._fronted(self._clause(self._weighted(_FRAMES), size=2))
            case "conjunction":
                first = self._clause(self._weighted(_PLAIN_FRAMES), size=1)
                tense = first.predicate.tense if self._chance(0.8) else None
                second = self._clause(self._weighted(_PLAIN_FRAMES), size=1, tense=tense, antecedent=first)
                return Conjunction(self._fronted(first), "and" if self._chance(0.6) else "but", second)
            case "subordination":
                return self._subordination()
            case "coordination":
                return self._fronted(self._coordination())
            case "question":
                return self._question()
            case _:
                return self._existential()

    def _fronted(self, clause: Clause) -> Clause:
        """Perhaps move the time before the subject."""
        time = clause.predicate.time
        if time is None or not self._chance(0.45):
            return clause
        return replace(clause, predicate=replace(clause.predicate, time=None), fronted=time)

    def _subordination(self) -> Subordination:
        """The clause that comes first names its subject; the other one may take it up with a pronoun."""
        conjunction = self._weighted({"because": 45, "when": 30, "if": 15, "while": 10})
        first = self._chance(0.3)
        tense: Tense = "past" if conjunction != "if" and self._chance(0.45) else "present"
        frames = {"transitive": 70, "intransitive": 30} if conjunction == "while" else _EVENT_FRAMES
        opening = self._clause(self._weighted(frames), size=1, tense=tense, adverbials=False)
        because_it = conjunction == "because" and not first and self._chance(0.35)
        closing = self._object_described(opening, tense) if because_it else None
        if closing is None:
            closing = self._clause(
                self._weighted(frames),
                size=1,
                tense=tense,
                adverbials=False,
                antecedent=opening,
                anaphora=0.5,
            )
        main, subordinate = (closing, opening) if first else (opening, closing)
        if conjunction == "while":
            subordinate = self._in_progress(subordinate)
        return Subordination(main, conjunction, subordinate, first)  # type: ignore[arg-type]

    @staticmethod
    def _in_progress(clause: Clause) -> Clause:
        """ "while she was reading": only what takes time can go on."""
        phrase = clause.predicate
        if not isinstance(phrase.verb, Verb) or phrase.verb.english not in _DURATIVE or phrase.negation:
            raise Rejected
        plain = replace(phrase, aspect="progressive", modal=None, likes=False, frequency=None)
        return replace(clause, predicate=plain)

    def _object_described(self, clause: Clause, tense: Tense) -> Clause | None:
        """ "… because it is cheap": a pronoun for the object of the clause before."""
        thing = clause.predicate.object
        if not isinstance(thing, NounPhrase) or thing.noun.pronoun or thing.relative or clause.subject.plural:
            return None
        adjectives = _predicable(thing.noun, thing.adjectives)
        pronoun = Pronoun(3, thing.plural, "n", thing.noun)
        return Clause(pronoun, VerbPhrase("be", tense, predicates=(self._zipfian(adjectives),)))

    def _coordination(self) -> Clause:
        """Two verb phrases of one subject; the second may take up the object of the first with a pronoun."""
        tense: Tense = "past" if self._chance(0.55) else "present"
        clause = self._clause("transitive", size=1, tense=tense, bare_verb=True, subjects=PERSON)
        thing = clause.predicate.object
        if isinstance(thing, NounPhrase) and not thing.relative and self._chance(0.6) and not thing.noun.mass:
            verb = self._verb(
                [v for v in _verbs("transitive") if thing.noun.matches(v.objects) and "person" in v.subjects
                 and not v.stative]
            )  # fmt: skip
            gender = {"he": "m", "she": "f", "": "n"}.get(thing.noun.pronoun)
            if gender is None or thing.determiner == "every":
                raise Rejected
            pronoun = Pronoun(3, thing.plural, gender, thing.noun)  # type: ignore[arg-type]
            second = VerbPhrase(verb, tense, object=pronoun)
        else:
            frame = "transitive" if self._chance(0.6) else "intransitive"
            verb = self._verb([v for v in _verbs(frame) if "person" in v.subjects and not v.stative])
            object_ = self._object(verb, clause.subject, size=1, negated=False) if verb.objects else None
            second = VerbPhrase(verb, tense, object=object_)
        _unambiguous(second, clause.subject)
        return replace(clause, second=second)

    def _question(self) -> Question:
        adverb = self._weighted({"": 50, "why": 22, "when": 14, "where": 14})
        frames = (
            {"dwelling": 30, "transitive": 60, "intransitive": 30} if adverb == "where" else _PLAIN_FRAMES
        )
        tense: Tense = "past" if self._chance(0.5) else "future" if adverb == "when" else "present"
        frame = self._weighted(frames)
        if adverb == "when" and frame == "copula":
            raise Rejected
        clause = self._clause(frame, size=1, tense=tense, adverbials=False, asked=True)
        verb = clause.predicate.verb
        if adverb == "where" and isinstance(verb, Verb):
            if verb.english not in _WHERE | {"live"}:
                raise Rejected
            clause = replace(clause, predicate=replace(clause.predicate, complement=None, place=None))
        return Question(clause, adverb)  # type: ignore[arg-type]

    def _existential(self) -> Existential:
        place = self._place(towns=False)
        nominal = self._noun_phrase(
            frozenset(["person", "animal", "thing", "furniture"]), size=2, determiners="indefinite"
        )
        return Existential(place, nominal, "past" if self._chance(0.3) else "present")

    # --- clauses ------------------------------------------------------------------------------------------

    def _clause(
        self,
        frame: str,
        size: int,
        tense: Tense | None = None,
        adverbials: bool = True,
        bare_verb: bool = False,
        asked: bool = False,
        subjects: Tags | None = None,
        antecedent: Clause | None = None,
        anaphora: float = 0.25,
    ) -> Clause:
        """A clause; ``antecedent``'s subject may be taken up, ``asked`` asks for what questions can hold."""
        if frame in ("copula", "state"):
            tags = PERSON if frame == "state" else frozenset([self._weighted(_DESCRIBED)])
            return self._copula(frame, tags, size, tense, asked, antecedent, anaphora)
        if frame == "location":
            return self._location(size, tense)
        verb = self._verb(_verbs(frame))
        tags = subjects or verb.subjects
        if not tags & verb.subjects:
            raise Rejected
        subject = self._subject(tags, size, antecedent, anaphora)
        phrase = self._verb_phrase(verb, subject, size, tense, adverbials, bare_verb, asked)
        return Clause(subject, phrase)

    def _copula(
        self,
        frame: str,
        tags: Tags,
        size: int,
        tense: Tense | None,
        asked: bool,
        antecedent: Clause | None,
        anaphora: float,
    ) -> Clause:
        subject = self._subject(tags, size, antecedent, anaphora)
        tense = tense or self._tense()
        negated = self._chance(0.12) and subject.definite and not asked
        adjectives = self._predicates(subject, frame == "state", two=not negated and self._chance(0.12))
        frequency = None
        if not negated and not asked and tense == "present" and frame == "state" and self._chance(0.25):
            frequency = self._zipfian(_adverbs("frequency", frozenset(["habit"])))
        return Clause(
            subject,
            VerbPhrase(
                "be", tense, negation="not" if negated else "", predicates=adjectives, frequency=frequency
            ),
        )

    def _predicates(self, subject: Nominal, state: bool, two: bool) -> tuple[Adjective, ...]:
        """One predicate or two; a ``state`` is one that comes and goes."""
        noun = subject.noun if isinstance(subject, NounPhrase) else _nouns(PERSON)[0][0]
        adjectives = _predicable(noun, subject.adjectives if isinstance(subject, NounPhrase) else ())
        adjectives = [adjective for adjective in adjectives if not state or adjective.english in _STATES]
        first = self._zipfian(adjectives)
        if two:
            second = self._zipfian(adjectives)
            if second != first:
                return first, second
        return (first,)

    def _location(self, size: int, tense: Tense | None) -> Clause:
        """ "The keys are under the table", "The doctor is in the hospital"."""
        tense = tense or ("past" if self._chance(0.3) else "present")
        if self._chance(0.6):
            subject: Nominal = self._noun_phrase(
                frozenset(["upright", "flat", "text", "cat", "bird"]), size=1, determiners="definite"
            )
            where = self._beside("dative")
        else:
            subject = self._subject(PERSON, size, None, 0)
            where = self._place()
        negation = "not" if self._chance(0.1) and subject.definite else ""
        return Clause(subject, VerbPhrase("be", tense, negation=negation, complement=where))  # type: ignore[arg-type]

    def _tense(self) -> Tense:
        return self._weighted({"present": 45, "past": 42, "future": 13})  # type: ignore[return-value]

    def _verb_phrase(
        self,
        verb: Verb,
        subject: Nominal,
        size: int,
        tense: Tense | None,
        adverbials: bool,
        bare_verb: bool,
        asked: bool,
    ) -> VerbPhrase:
        """A verb with its arguments, then what its tense and its kind allow beside them."""
        if verb.stative and tense in ("past", "future"):
            raise Rejected
        tense = "present" if verb.stative else tense or self._tense()
        may_be_negated = subject.definite and not bare_verb and not asked
        negated = (
            may_be_negated and self._chance(0.13) and verb.frame != "content" and verb.german != "hoffen"
        )
        phrase = self._with_arguments(
            VerbPhrase(verb, tense, negation="not" if negated else ""), subject, size
        )
        if bare_verb:
            return _unambiguous(phrase, subject)
        phrase = self._with_verb_form(phrase, perfect=adverbials)
        if not negated:
            phrase = self._with_adjuncts(phrase)
        phrase = self._with_time(phrase) if adverbials else phrase
        return phrase if asked else _unambiguous(phrase, subject)

    def _with_arguments(self, phrase: VerbPhrase, subject: Nominal, size: int) -> VerbPhrase:
        verb, negated = phrase.verb, phrase.negation == "not"
        assert isinstance(verb, Verb)
        if verb.frame in ("motion", "dwelling", "journey"):
            if verb.german in ("laufen", "kommen") and self._chance(0.2):
                return phrase  # the others need their place in French: not "il va"
            towards = verb.frame != "dwelling"
            return replace(phrase, complement=self._place_of(verb.objects, towards))
        if verb.frame == "content":
            return replace(phrase, content=self._content(subject, phrase.tense))
        if verb.frame == "infinitive":
            return replace(phrase, infinitive=self._infinitive(subject))
        if not verb.objects:
            return phrase
        heavy = (
            1 if verb.frame in ("ditransitive", "placing") else size
        )  # no clause between the object and what follows
        phrase = replace(phrase, object=self._object(verb, subject, heavy, negated))
        if verb.frame == "ditransitive":
            recipient = self._recipient(subject)
            first = (
                verb.english not in _TO_ONLY
                and not verb.particle
                and (isinstance(recipient, Pronoun) or self._chance(0.5))
            )
            return replace(phrase, recipient=recipient, recipient_first=first)
        if verb.frame == "placing":
            return replace(phrase, complement=self._beside("accusative"))
        return phrase

    def _with_verb_form(self, phrase: VerbPhrase, perfect: bool) -> VerbPhrase:
        """A modal, "likes to", the progressive or the perfect."""
        verb = phrase.verb
        assert isinstance(verb, Verb)
        intended = verb.english not in _UNINTENDED and verb.frame not in ("content", "infinitive")
        if verb.stative or phrase.tense == "future":
            return phrase
        if intended and self._chance(0.14):
            modal = self._zipfian(MODALS)
            if not modal.past and (phrase.tense == "past" or phrase.negation):
                return phrase  # "must not" is not the negation of "must"
            return replace(phrase, modal=modal)
        if phrase.tense == "past":
            return replace(phrase, aspect="perfect") if perfect and self._chance(0.22) else phrase
        if verb.english in _PLEASANT and not phrase.negation and self._chance(0.12):
            return replace(phrase, likes=True)
        progressive = verb.frame not in ("content", "infinitive") and verb.english not in _NO_PROGRESSIVE
        progressive = progressive and self._chance(0.4)
        return replace(phrase, aspect="progressive") if progressive else phrase

    def _with_adjuncts(self, phrase: VerbPhrase) -> VerbPhrase:
        """A manner, an instrument or a place."""
        verb = phrase.verb
        assert isinstance(verb, Verb)
        if verb.manners and not phrase.likes and self._chance(0.22):
            return replace(phrase, manner=self._zipfian(_adverbs("manner", verb.manners)))
        if verb.english in ("cut", "peel") and self._chance(0.4):
            tool = NounPhrase(
                self._noun(frozenset(["blade"])), determiner="the" if self._chance(0.5) else "a"
            )
            return replace(phrase, instrument=PrepositionalPhrase(_WITH_TOOL, tool))
        placeable = (
            verb.frame in ("transitive", "intransitive", "music", "sport") and not verb.english_preposition
        )
        placeable = placeable and not (phrase.likes and phrase.object)
        object_is_place = isinstance(phrase.object, NounPhrase) and phrase.object.noun.location is not None
        if (
            placeable
            and not object_is_place
            and not verb.stative
            and verb.english not in _PLACELESS
            and self._chance(0.17)
        ):
            return replace(phrase, place=self._place())
        return phrase

    def _with_time(self, phrase: VerbPhrase) -> VerbPhrase:
        """A time or a frequency that fits the tense."""
        verb = phrase.verb
        assert isinstance(verb, Verb)
        if verb.frame in ("content", "infinitive") or verb.stative or phrase.aspect == "perfect":
            return phrase
        if phrase.modal:
            kinds = frozenset(["present", "future"]) if phrase.tense == "present" else frozenset()
        elif phrase.tense == "present":
            kinds = frozenset(["present"]) if phrase.aspect == "progressive" else frozenset(["habit"])
        else:
            kinds = frozenset([phrase.tense])
        frequent = (
            phrase.aspect == "simple" and phrase.tense != "future" and not (phrase.modal or phrase.likes)
        )
        if frequent and not phrase.negation and self._chance(0.16):
            phrase = replace(phrase, frequency=self._zipfian(_adverbs("frequency", kinds)))
            return phrase
        if kinds and not phrase.likes and self._chance(0.36):
            return replace(phrase, time=self._zipfian(_adverbs("time", kinds)))
        return phrase

    def _content(self, subject: Nominal, tense: Tense) -> Clause:
        inner: Tense | None = "past" if tense == "past" else None
        frames = _PLAIN_FRAMES
        return self._clause(
            self._weighted(frames),
            1,
            inner,
            adverbials=False,
            antecedent=Clause(subject, VerbPhrase("be")),
            anaphora=0.35,
        )

    def _infinitive(self, subject: Nominal) -> VerbPhrase:
        frame = self._weighted(_ACTION_FRAMES)
        verbs = [
            v
            for v in _verbs(frame)
            if "person" in v.subjects and not v.stative and v.english not in _UNINTENDED
        ]
        return self._with_arguments(VerbPhrase(self._verb(verbs)), subject, size=1)

    # --- noun phrases -------------------------------------------------------------------------------------

    def _subject(self, tags: Tags, size: int, antecedent: Clause | None, anaphora: float) -> Nominal:
        """A subject; persons may be pronouns, names or two."""
        if antecedent and "person" in tags and self._chance(anaphora):
            pronoun = self._anaphor(antecedent.subject)
            if pronoun:
                return pronoun
        if "person" in tags:
            kind = self._weighted({"pronoun": 20, "name": 14, "two": 7, "noun": 59})
            if kind == "pronoun" and not antecedent:
                return self._pronoun()
            if kind == "name":
                return NamePhrase(self._name())
            if kind == "two":
                return Coordination(self._plain_person(), self._plain_person())
        return self._noun_phrase(tags, size, determiners="subject")

    def _anaphor(self, subject: Nominal) -> Pronoun | None:
        """The pronoun that takes up a subject, when English has one for it."""
        match subject:
            case NounPhrase(noun, plural) if noun.pronoun in ("he", "she") and subject.determiner != "every":
                return Pronoun(3, plural, "f" if noun.pronoun == "she" else "m", noun)
            case NamePhrase(name):
                return Pronoun(3, False, "f" if name.pronoun == "she" else "m")
            case Pronoun():
                return subject
        return None

    def _pronoun(self) -> Pronoun:
        kind = self._weighted({"he": 26, "she": 26, "they": 20, "I": 16, "we": 12})
        person, plural = (1 if kind in ("I", "we") else 3), kind in ("they", "we")
        return Pronoun(person, plural, "f" if kind == "she" else "m")

    def _plain_person(self) -> NounPhrase | NamePhrase:
        if self._chance(0.4):
            return NamePhrase(self._name())
        return self._noun_phrase(PERSON, 0, determiners="definite")

    def _object(self, verb: Verb, subject: Nominal, size: int, negated: bool) -> Nominal:
        """An object of a kind that the verb takes; persons may be pronouns or names."""
        if "person" in verb.objects:
            kind = self._weighted({"pronoun": 16, "name": 14, "noun": 70})
            if kind == "pronoun":
                return self._other_pronoun(subject)
            if kind == "name":
                return NamePhrase(self._name())
        if verb.frame == "music":
            return NounPhrase(self._noun(verb.objects))
        if verb.frame == "sport":
            return NounPhrase(self._noun(verb.objects), determiner="bare")
        if verb.generic:
            return self._noun_phrase(verb.objects, size, determiners="generic")
        # "nicht" and "kein", "pas de" are for plain objects only.
        return self._noun_phrase(
            verb.objects, 0 if negated else size, determiners="negated" if negated else "object"
        )

    def _other_pronoun(self, subject: Nominal) -> Pronoun:
        """A pronoun that is not the subject again."""
        pronoun = self._pronoun()
        if isinstance(subject, Pronoun) and (subject.person == 1 == pronoun.person):
            raise Rejected
        return pronoun

    def _recipient(self, subject: Nominal) -> Nominal:
        kind = self._weighted({"pronoun": 25, "name": 20, "noun": 55})
        if kind == "pronoun":
            return self._other_pronoun(subject)
        if kind == "name":
            return NamePhrase(self._name())
        return self._noun_phrase(PERSON, 0, determiners="definite")

    def _noun_phrase(self, tags: Tags, size: int, determiners: str) -> NounPhrase:
        """A noun phrase: ``size`` 0 is plain, 1 may hold adjectives and a possessor, 2 also phrases and clauses."""
        noun = self._noun(tags)
        plural = not noun.mass and "single" not in noun.tags and self._chance(0.08 if noun.location else 0.25)
        plural = plural or "pair" in noun.tags
        determiner = self._determiner(noun, plural, determiners)
        phrase = NounPhrase(noun, plural, determiner)
        if self._chance(0.35 if size else 0.12):
            phrase = replace(phrase, adjectives=self._attributes(noun))
        if size == 0 or determiner == "every":
            return phrase
        if determiner == "the" and self._ownable(noun) and self._chance(0.14):
            return self._owned(phrase)
        if size == 2 and not noun.mass and self._chance(0.24):
            return self._modified(phrase, determiners)
        return phrase

    def _determiner(self, noun: Noun, plural: bool, kind: str) -> str:
        own = (40 if "kin" in noun.tags else 9) if self._ownable(noun) else 0
        owners = {"my": own, "his": own, "her": own, "our": own // 2, "their": own // 3}
        definite = {"the": 60, "this": 7, **owners}
        if kind == "the":
            return "the"
        if kind == "definite":
            return self._weighted(definite)
        if noun.mass:
            return self._weighted({"bare": 60, "the": 32, "this": 8} if kind != "definite" else definite)
        many = {"many": 8, "several": 6, "two": 9, "three": 6, "four": 3}
        if kind == "generic":
            return self._weighted({**definite, "bare": 60} if plural else definite)
        indefinite = 0 if "kin" in noun.tags else 1
        if kind == "negated":
            return self._weighted(
                {**definite, "bare": 20 * indefinite} if plural else {**definite, "a": 25 * indefinite}
            )
        if kind == "indefinite" and not indefinite:
            raise Rejected
        if kind == "indefinite":
            return self._weighted({"bare": 12, **many} if plural else {"a": 1})
        if plural:
            return self._weighted({**definite, **many, **({"bare": 28} if kind == "object" else {})})
        return self._weighted(
            {**definite, "a": 36 * indefinite, **({"every": 5} if kind == "subject" and indefinite else {})}
        )

    @staticmethod
    def _ownable(noun: Noun) -> bool:
        """Whether "my", "Anna's" goes with a noun: relatives, pets, things, rooms; not kings, wolves, stations."""
        if noun.location:
            return bool(noun.tags & {"room", "house", "garden"})
        return bool(
            noun.tags
            & {"kin", "fellow", "pet", "thing", "clothing", "text", "vehicle", "instrument", "furniture"}
        ) and not (noun.tags & {"public"})

    def _attributes(self, noun: Noun) -> tuple[Adjective, ...]:
        """One adjective or two; of two the first is one that precedes the noun in French."""
        adjectives = _adjectives(noun)
        first = self._zipfian(adjectives)
        if first.before and self._chance(0.15):
            after = [adjective for adjective in adjectives if not adjective.before]
            return first, self._zipfian(after)
        return (first,)

    def _owned(self, phrase: NounPhrase) -> NounPhrase:
        """ "Anna's dog", "the neighbour's dog", "the dog of the neighbour"."""
        if self._chance(0.5):
            return replace(phrase, determiner="possessed", possessor=NamePhrase(self._name()))
        owner = self._noun_phrase(PERSON, 0, determiners="definite")
        possessed = not owner.plural and self._chance(0.5)
        return replace(phrase, determiner="possessed" if possessed else "the", possessor=owner)

    def _modified(self, phrase: NounPhrase, determiners: str) -> NounPhrase:
        """A noun phrase with a prepositional phrase or a relative clause."""
        noun = phrase.noun
        if self._chance(0.45):
            if "person" in noun.tags:
                return replace(
                    phrase, phrase=self._origin() if phrase.plural or self._chance(0.5) else self._dress()
                )
            if "text" in noun.tags:
                return replace(phrase, phrase=self._topic())
            if determiners == "subject" and "thing" in noun.tags:
                return replace(phrase, phrase=self._beside("dative"))
        return replace(phrase, relative=self._relative(phrase))

    def _origin(self) -> PrepositionalPhrase:
        """ "from Berlin"."""
        return PrepositionalPhrase(_FROM_TOWN, TownPhrase(self._zipfian(TOWNS)))

    def _dress(self) -> PrepositionalPhrase:
        """ "with the red hat"."""
        noun = self._noun(frozenset(["clothing"]))
        return PrepositionalPhrase(
            _WEARING, NounPhrase(noun, "pair" in noun.tags, adjectives=self._attributes(noun))
        )

    def _topic(self) -> PrepositionalPhrase:
        """ "about Berlin", "about the king"."""
        if self._chance(0.5):
            return PrepositionalPhrase(_ABOUT, TownPhrase(self._zipfian(TOWNS)))
        return PrepositionalPhrase(
            _ABOUT, self._noun_phrase(frozenset(["person", "animal"]), 0, determiners="definite")
        )

    def _relative(self, head: NounPhrase) -> Relative:
        """A relative clause of the noun's kind."""
        if head.noun.location:
            return self._place_relative(head.noun)
        if "person" in head.noun.tags:
            role = self._weighted({"subject": 50, "object": 38, "possessor": 12})
        else:
            role = "subject" if "animal" in head.noun.tags and self._chance(0.5) else "object"
        if role == "subject":
            return Relative("subject", self._relative_subject(head))
        if role == "possessor":
            owned = replace(
                self._noun_phrase(frozenset(["kin", "fellow", "pet"]), 0, determiners="the"),
                determiner="possessed",
            )
            return Relative("possessor", self._simple_clause(owned))
        return Relative("object", self._relative_object(head.noun))

    def _relative_subject(self, head: NounPhrase) -> Clause:
        return self._simple_clause(NounPhrase(head.noun, head.plural))

    def _simple_clause(self, subject: NounPhrase) -> Clause:
        """A short clause about a given subject."""
        tense: Tense = "past" if self._chance(0.4) else "present"
        if self._chance(0.25):
            return Clause(
                subject, VerbPhrase("be", tense, predicates=(self._zipfian(_predicable(subject.noun)),))
            )
        frame = self._weighted({"transitive": 60, "intransitive": 25, "dwelling": 15})
        verb = self._verb([v for v in _verbs(frame) if subject.noun.matches(v.subjects)])
        return Clause(
            subject, self._verb_phrase(verb, subject, 0, tense, adverbials=False, bare_verb=True, asked=False)
        )

    def _relative_object(self, noun: Noun) -> Clause:
        """A clause whose object is the noun, so that its own object stays empty."""
        verbs = [v for v in _verbs("transitive") if noun.matches(v.objects) and "person" in v.subjects]
        verb = self._verb(verbs)
        subject: Nominal = self._pronoun() if self._chance(0.3) else self._plain_person()
        tense: Tense = "past" if not verb.stative and self._chance(0.55) else "present"
        return Clause(subject, _unambiguous(VerbPhrase(verb, tense), subject))

    def _place_relative(self, noun: Noun) -> Relative:
        verb = self._verb(
            [v for v in (*_verbs("dwelling"), *_verbs("intransitive")) if v.english in _WHERE | {"live"}]
        )
        subject: Nominal = self._pronoun() if self._chance(0.3) else self._plain_person()
        tense: Tense = "past" if not verb.stative and self._chance(0.5) else "present"
        return Relative("place", Clause(subject, VerbPhrase(verb, tense)), noun.location)

    # --- places -------------------------------------------------------------------------------------------

    def _place(self, towns: bool = True) -> PrepositionalPhrase:
        return self._place_of(PLACE | (frozenset(["town"]) if towns else frozenset()), towards=False)

    def _place_of(self, tags: Tags, towards: bool) -> PrepositionalPhrase:
        """A place to be at or to go to: a town, or a noun with its own prepositions."""
        if "town" in tags and (tags == {"town"} or self._chance(0.25)):
            return PrepositionalPhrase(
                _TO_TOWN if towards else _IN_TOWN, TownPhrase(self._zipfian(TOWNS)), towards
            )
        noun = self._noun(PLACE)
        preposition = noun.direction if towards else noun.location
        assert preposition
        indefinite = preposition.french != "à" and self._chance(0.22)  # "à" is for places that one knows
        phrase = NounPhrase(noun, False, "a" if indefinite else "the")
        if self._chance(0.2):
            phrase = replace(phrase, adjectives=self._attributes(noun))
        if self._chance(0.05):
            phrase = replace(phrase, relative=self._place_relative(noun))
        return PrepositionalPhrase(preposition, phrase, towards)

    def _beside(self, case: str) -> PrepositionalPhrase:
        """ "on the table", "behind the door": the two-way prepositions in the ``case`` that is asked for."""
        spatial = self._zipfian(SPATIAL)
        landmark = self._noun_phrase(spatial.tags, 0, determiners="the")
        return PrepositionalPhrase(replace(spatial.preposition, case=case), replace(landmark, plural=False))
