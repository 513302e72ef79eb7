"""Random sentences: clauses, and their derivations that the three languages realise.

Everything random is decided in :class:`SentenceGenerator`, which extends :class:`PhraseGenerator`, which extends
:class:`Chooser`; so each translation is a function of the derivation.
"""

from dataclasses import replace
from typing import Literal

from demo_grammar.choices import Rejected, adverbs_of, predicates_of, verbs_of
from demo_grammar.derivation import (
    Clause,
    Conjunction,
    Existential,
    Nominal,
    NounPhrase,
    Pronoun,
    Question,
    Relative,
    Sentence,
    Subordination,
    Tense,
    VerbPhrase,
)
from demo_grammar.lexicon import BE, NOUNS, PLACES, Adjective, Noun, Verb
from demo_grammar.phrases import ANYWHERE, PERSON, Extent, PhraseGenerator, unambiguous
from demo_grammar.word_tables import Tags

_SENTENCES = {
    "plain": 47,
    "subordination": 20,
    "conjunction": 9,
    "coordination": 9,
    "question": 10,
    "existential": 5,
}
_FRAMES = {
    "transitive": 46,
    "copula": 9,
    "state": 5,
    "intransitive": 11,
    "ditransitive": 9,
    "dwelling": 5,
    "location": 5,
    "motion": 5,
    "journey": 4,
    "placing": 5,
    "content": 7,
    "infinitive": 6,
    "music": 2,
    "sport": 2,
}
_PLAIN_FRAMES = {"transitive": 60, "copula": 15, "intransitive": 15, "motion": 4, "journey": 3, "music": 2}
_EVENT_FRAMES = {"transitive": 58, "state": 20, "intransitive": 15, "motion": 4, "journey": 3}
_GENDERS: dict[str, Literal["m", "f", "n"]] = {"he": "m", "she": "f", "it": "n"}
_DESCRIBED = {"person": 60, "thing": 12, "animal": 10, "place": 8, "text": 5, "vehicle": 5}
_RELATED = frozenset({"kin", "fellow", "pet"})
_LOCATED = frozenset({"upright", "flat", "text", "cat", "bird"})
_EXISTING = frozenset({"person", "animal", "thing", "furniture"})


class SentenceGenerator(PhraseGenerator):
    """Generates sentences."""

    def sentence(self) -> Sentence:
        """Return the derivation of a sentence."""
        while True:
            self.start_sentence()
            try:
                return self._sentence(self.weighted(_SENTENCES))
            except Rejected:
                continue

    def _sentence(self, kind: str) -> Sentence:
        match kind:
            case "plain":
                return self._fronted(self.clause(self.weighted(_FRAMES), size=2, extent="full"))
            case "conjunction":
                return self._conjunction()
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
        if time is None or not self.chance(0.45):
            return clause
        return replace(clause, predicate=replace(clause.predicate, time=None), fronted=time)

    def _conjunction(self) -> Conjunction:
        first = self.clause(self.weighted(_PLAIN_FRAMES), extent="full")
        tense = first.predicate.tense if self.chance(0.8) else None
        frame = self.weighted(_PLAIN_FRAMES)
        second = self.clause(frame, tense=tense, extent="full", antecedent=first.subject)
        return Conjunction(self._fronted(first), "and" if self.chance(0.6) else "but", second)

    def _subordination(self) -> Subordination:
        """Return a main and an adverbial clause; the later may refer to the subject of the earlier with a pronoun."""
        conjunction: Literal["because", "when", "if", "while"]
        conjunction = self.weighted({"because": 45, "when": 30, "if": 15, "while": 10})
        subordinate_first = self.chance(0.3)
        tense: Tense = "past" if conjunction != "if" and self.chance(0.45) else "present"
        frames = {"transitive": 70, "intransitive": 30} if conjunction == "while" else _EVENT_FRAMES
        first = self.clause(self.weighted(frames), tense=tense)
        second = None
        if conjunction == "because" and not subordinate_first and self.chance(0.35):
            second = self._description_of_object(first, tense)
        if second is None:
            frame = self.weighted(frames)
            second = self.clause(frame, tense=tense, antecedent=first.subject, anaphora=0.5)
        main, subordinate = (second, first) if subordinate_first else (first, second)
        if conjunction == "while":
            subordinate = self._in_progress(subordinate)
        return Subordination(main, conjunction, subordinate, subordinate_first)

    @staticmethod
    def _in_progress(clause: Clause) -> Clause:
        """Return e.g. "while she was reading"; reject actions that take no time."""
        phrase = clause.predicate
        if "durative" not in phrase.verb.traits or phrase.negated:
            raise Rejected
        progressive = replace(phrase, aspect="progressive", modal=None, likes=False, frequency=None)
        return replace(clause, predicate=progressive)

    def _description_of_object(self, clause: Clause, tense: Tense) -> Clause | None:
        """Return e.g. "it is cheap", where "it" is the object of ``clause``, or None."""
        thing = clause.predicate.object
        if not isinstance(thing, NounPhrase) or thing.noun.pronoun != "it":
            return None
        if thing.relative or clause.subject.plural:
            return None
        adjective = self.zipfian(predicates_of(thing.noun, thing.adjectives))
        pronoun = Pronoun(3, thing.plural, "n", thing.noun)
        return Clause(pronoun, VerbPhrase(BE, tense, predicates=(adjective,)))

    def _coordination(self) -> Clause:
        """Return a clause with two verb phrases; a pronoun in the second may refer to the object of the first."""
        tense: Tense = "past" if self.chance(0.55) else "present"
        clause = self.clause("transitive", tense=tense, extent="bare", subjects=PERSON)
        thing = clause.predicate.object
        if isinstance(thing, NounPhrase) and not thing.relative and self.chance(0.6) and not thing.noun.mass:
            verb = self._action("transitive", thing)
            if not thing.noun.pronoun or thing.determiner == "every":
                raise Rejected
            pronoun = Pronoun(3, thing.plural, _GENDERS[thing.noun.pronoun], thing.noun)
            second = VerbPhrase(verb, tense, object=pronoun)
        else:
            verb = self._action("transitive" if self.chance(0.6) else "intransitive")
            object_ = self.object(verb, clause.subject, size=1) if verb.objects else None
            second = VerbPhrase(verb, tense, object=object_)
        return replace(clause, second=unambiguous(second, clause.subject))

    def _action(self, frame: str, thing: NounPhrase | None = None) -> Verb:
        """Return a verb for what a person does, with ``thing`` as its object when given."""
        verbs = [v for v in verbs_of(frame) if "person" in v.subjects and "stative" not in v.traits]
        return self.new_verb([v for v in verbs if thing is None or thing.noun.matches(v.objects)])

    def _question(self) -> Question:
        adverb: Literal["", "why", "when", "where"]
        adverb = self.weighted({"": 50, "why": 22, "when": 14, "where": 14})
        tense: Tense = "past" if self.chance(0.5) else "future" if adverb == "when" else "present"
        where_frames = {"dwelling": 30, "transitive": 60, "intransitive": 30}
        frame = self.weighted(where_frames if adverb == "where" else _PLAIN_FRAMES)
        if adverb == "when" and frame == "copula":
            raise Rejected
        clause = self.clause(frame, tense=tense, extent="asked")
        if adverb == "where":
            if "located" not in clause.predicate.verb.traits:
                raise Rejected
            clause = replace(clause, predicate=replace(clause.predicate, complement=None, adjunct=None))
        return Question(clause, adverb)

    def _existential(self) -> Existential:
        place = self.place()
        nominal = self.noun_phrase(_EXISTING, 2, "indefinite")
        return Existential(place, nominal, "past" if self.chance(0.3) else "present")

    # --- clauses ---

    def clause(
        self,
        frame: str,
        size: int = 1,
        tense: Tense | None = None,
        extent: Extent = "plain",
        subjects: Tags | None = None,
        antecedent: Nominal | None = None,
        anaphora: float = 0.25,
    ) -> Clause:
        """Return a clause.

        ``size`` is the size of its noun phrases.  With the probability ``anaphora``, the subject is a pronoun for
        ``antecedent``.  ``extent`` is that of its verb phrase.
        """
        if frame in ("copula", "state"):
            tags = PERSON if frame == "state" else frozenset({self.weighted(_DESCRIBED)})
            subject = self.subject(tags, size, antecedent, anaphora)
            return self._copula(subject, frame == "state", tense, extent == "asked")
        if frame == "location":
            return self._location(size, tense)
        verb = self.new_verb(verbs_of(frame))
        tags = subjects or verb.subjects
        if not tags & verb.subjects:
            raise Rejected
        subject = self.subject(tags, size, antecedent, anaphora)
        return Clause(subject, self.verb_phrase(verb, subject, size, tense, extent))

    def _copula(self, subject: Nominal, state: bool, tense: Tense | None, asked: bool) -> Clause:
        tense = tense or self.tense()
        negated = self.chance(0.12) and subject.definite and not asked
        adjectives = self._predicates(subject, state, two=not negated and self.chance(0.12))
        frequency = None
        if not negated and not asked and tense == "present" and state and self.chance(0.25):
            frequency = self.zipfian(adverbs_of("frequency", frozenset({"habit"})))
        predicate = VerbPhrase(BE, tense, negated=negated, predicates=adjectives, frequency=frequency)
        return Clause(subject, predicate)

    def _predicates(self, subject: Nominal, state: bool, two: bool) -> tuple[Adjective, ...]:
        """Return one predicate or two; with ``state``, only adjectives for temporary states."""
        if isinstance(subject, NounPhrase):
            adjectives = predicates_of(subject.noun, subject.adjectives)
        else:
            adjectives = predicates_of(NOUNS[0])  # those of a person
        adjectives = [a for a in adjectives if not state or "state" in a.traits]
        first = self.zipfian(adjectives)
        if two and (second := self.zipfian(adjectives)) != first:
            return first, second
        return (first,)

    def _location(self, size: int, tense: Tense | None) -> Clause:
        """Return e.g. "The keys are under the table" or "The doctor is in the hospital"."""
        tense = tense or ("past" if self.chance(0.3) else "present")
        subject: Nominal
        if self.chance(0.6):
            subject = self.noun_phrase(_LOCATED, 1, "definite")
            where = self.beside("dative")
        else:
            subject = self.subject(PERSON, size, None, 0)
            where = self.place(ANYWHERE)
        negated = self.chance(0.1) and subject.definite
        return Clause(subject, VerbPhrase(BE, tense, negated=negated, complement=where))

    def content_clause(self, subject: Nominal, tense: Tense) -> Clause:
        inner: Tense | None = "past" if tense == "past" else None
        return self.clause(self.weighted(_PLAIN_FRAMES), tense=inner, antecedent=subject, anaphora=0.35)

    # --- relative clauses ---

    def relative(self, head: NounPhrase) -> Relative:
        noun = head.noun
        if noun.kind == "place":
            return self._place_relative(noun)
        if noun.kind == "person":
            role = self.weighted({"subject": 50, "object": 38, "possessor": 12})
        else:
            role = "subject" if noun.kind == "animal" and self.chance(0.5) else "object"
        if role == "subject":
            return Relative("subject", self._short_clause(NounPhrase(noun, head.plural)))
        if role == "possessor":
            owned = self.noun_phrase(_RELATED, 0, "the")
            return Relative("possessor", self._short_clause(replace(owned, determiner="possessed")))
        return Relative("object", self._clause_without_object(noun))

    def _short_clause(self, subject: NounPhrase) -> Clause:
        """Return a short clause about a given subject."""
        tense: Tense = "past" if self.chance(0.4) else "present"
        if self.chance(0.25):
            predicate = self.zipfian(predicates_of(subject.noun))
            return Clause(subject, VerbPhrase(BE, tense, predicates=(predicate,)))
        frame = self.weighted({"transitive": 60, "intransitive": 25, "dwelling": 15})
        verb = self.new_verb([v for v in verbs_of(frame) if subject.noun.matches(v.subjects)])
        return Clause(subject, self.verb_phrase(verb, subject, 0, tense, "bare"))

    def _clause_without_object(self, noun: Noun) -> Clause:
        """Return a clause whose object is the noun that it modifies."""
        verbs = [v for v in verbs_of("transitive") if noun.matches(v.objects) and "person" in v.subjects]
        verb = self.new_verb(verbs)
        subject = self.person_or_pronoun()
        tense: Tense = "past" if "stative" not in verb.traits and self.chance(0.55) else "present"
        return Clause(subject, unambiguous(VerbPhrase(verb, tense), subject))

    def _place_relative(self, noun: Noun) -> Relative:
        """Return e.g. "in which she lives"."""
        verb = self.new_verb([v for v in verbs_of("dwelling", "intransitive") if "located" in v.traits])
        subject = self.person_or_pronoun()
        tense: Tense = "past" if "stative" not in verb.traits and self.chance(0.5) else "present"
        return Relative("place", Clause(subject, VerbPhrase(verb, tense)), PLACES[noun.english].at)
