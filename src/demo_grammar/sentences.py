"""Random sentences: the derivations of the demo corpus.

Everything random is decided in the generators, so that each translation is a function of the derivation.  Each
generator extends the one below it: ``Chooser``, ``NounPhraseGenerator``, ``VerbPhraseGenerator``, ``ClauseGenerator``.
"""

from dataclasses import replace
from typing import Literal

from demo_grammar.choices import Rejected, predicates_of, verbs_of
from demo_grammar.clauses import PLAIN_FRAMES, ClauseGenerator
from demo_grammar.derivation import (
    Clause,
    Conjunction,
    Existential,
    NounPhrase,
    Pronoun,
    Question,
    Sentence,
    Subordination,
    Tense,
    VerbPhrase,
)
from demo_grammar.lexicon import Verb
from demo_grammar.noun_phrases import PERSON
from demo_grammar.verb_phrases import unambiguous

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
_EVENT_FRAMES = {"transitive": 58, "state": 20, "intransitive": 15, "motion": 4, "journey": 3}
_GENDERS: dict[str, Literal["m", "f", "n"]] = {"he": "m", "she": "f", "it": "n"}
_EXISTING = frozenset({"person", "animal", "thing", "furniture"})


class SentenceGenerator(ClauseGenerator):
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
                return self._fronted(self.clause(self.weighted(_FRAMES), size=2, adverbials=True))
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
        first = self.clause(self.weighted(PLAIN_FRAMES), adverbials=True)
        tense = first.predicate.tense if self.chance(0.8) else None
        frame = self.weighted(PLAIN_FRAMES)
        second = self.clause(frame, tense=tense, adverbials=True, antecedent=first.subject)
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
        if not isinstance(phrase.verb, Verb) or "durative" not in phrase.verb.traits or phrase.negated:
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
        return Clause(pronoun, VerbPhrase("be", tense, predicates=(adjective,)))

    def _coordination(self) -> Clause:
        """Return a clause with two verb phrases; a pronoun in the second may refer to the object of the first."""
        tense: Tense = "past" if self.chance(0.55) else "present"
        clause = self.clause("transitive", tense=tense, adverbials=True, bare_verb=True, subjects=PERSON)
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
        frame = self.weighted(where_frames if adverb == "where" else PLAIN_FRAMES)
        if adverb == "when" and frame == "copula":
            raise Rejected
        clause = self.clause(frame, tense=tense, asked=True)
        verb = clause.predicate.verb
        if adverb == "where" and isinstance(verb, Verb):
            if "located" not in verb.traits:
                raise Rejected
            clause = replace(clause, predicate=replace(clause.predicate, complement=None, place=None))
        return Question(clause, adverb)

    def _existential(self) -> Existential:
        place = self.place()
        nominal = self.noun_phrase(_EXISTING, 2, "indefinite")
        return Existential(place, nominal, "past" if self.chance(0.3) else "present")
