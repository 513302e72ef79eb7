"""Random clauses: a subject with a verb phrase or a predicate, among them relative and that-clauses."""

from dataclasses import replace

from demo_grammar.choices import Rejected, adverbs_of, predicates_of, verbs_of
from demo_grammar.derivation import Clause, Nominal, NounPhrase, Relative, Tense, VerbPhrase
from demo_grammar.lexicon import NOUNS, Adjective, Noun
from demo_grammar.noun_phrases import PERSON
from demo_grammar.verb_phrases import ANYWHERE, VerbPhraseGenerator, unambiguous
from demo_grammar.word_tables import Tags

PLAIN_FRAMES = {"transitive": 60, "copula": 15, "intransitive": 15, "motion": 4, "journey": 3, "music": 2}
_DESCRIBED = {"person": 60, "thing": 12, "animal": 10, "place": 8, "text": 5, "vehicle": 5}
_LOCATED = frozenset({"upright", "flat", "text", "cat", "bird"})
_RELATED = frozenset({"kin", "fellow", "pet"})


class ClauseGenerator(VerbPhraseGenerator):
    """Generates clauses."""

    def clause(
        self,
        frame: str,
        size: int = 1,
        tense: Tense | None = None,
        adverbials: bool = False,
        bare_verb: bool = False,
        asked: bool = False,
        subjects: Tags | None = None,
        antecedent: Nominal | None = None,
        anaphora: float = 0.25,
    ) -> Clause:
        """Return a clause.

        ``size`` is the size of its noun phrases.  With the probability ``anaphora``, the subject is a pronoun for
        ``antecedent``.  ``adverbials``, ``bare_verb`` and ``asked`` are those of ``verb_phrase``.
        """
        if frame in ("copula", "state"):
            tags = PERSON if frame == "state" else frozenset({self.weighted(_DESCRIBED)})
            subject = self.subject(tags, size, antecedent, anaphora)
            return self._copula(subject, frame == "state", tense, asked)
        if frame == "location":
            return self._location(size, tense)
        verb = self.new_verb(verbs_of(frame))
        tags = subjects or verb.subjects
        if not tags & verb.subjects:
            raise Rejected
        subject = self.subject(tags, size, antecedent, anaphora)
        return Clause(subject, self.verb_phrase(verb, subject, size, tense, adverbials, bare_verb, asked))

    def _copula(self, subject: Nominal, state: bool, tense: Tense | None, asked: bool) -> Clause:
        tense = tense or self.tense()
        negated = self.chance(0.12) and subject.definite and not asked
        adjectives = self._predicates(subject, state, two=not negated and self.chance(0.12))
        frequency = None
        if not negated and not asked and tense == "present" and state and self.chance(0.25):
            frequency = self.zipfian(adverbs_of("frequency", frozenset({"habit"})))
        predicate = VerbPhrase("be", tense, negated=negated, predicates=adjectives, frequency=frequency)
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
        return Clause(subject, VerbPhrase("be", tense, negated=negated, complement=where))

    def content_clause(self, subject: Nominal, tense: Tense) -> Clause:
        inner: Tense | None = "past" if tense == "past" else None
        return self.clause(self.weighted(PLAIN_FRAMES), tense=inner, antecedent=subject, anaphora=0.35)

    # --- relative clauses ---

    def relative(self, head: NounPhrase) -> Relative:
        noun = head.noun
        if noun.kind == "place":
            return self.place_relative(noun)
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
            return Clause(subject, VerbPhrase("be", tense, predicates=(predicate,)))
        frame = self.weighted({"transitive": 60, "intransitive": 25, "dwelling": 15})
        verb = self.new_verb([v for v in verbs_of(frame) if subject.noun.matches(v.subjects)])
        return Clause(subject, self.verb_phrase(verb, subject, 0, tense, bare_verb=True))

    def _clause_without_object(self, noun: Noun) -> Clause:
        """Return a clause whose object is the noun that it modifies."""
        verbs = [v for v in verbs_of("transitive") if noun.matches(v.objects) and "person" in v.subjects]
        verb = self.new_verb(verbs)
        subject = self.person_or_pronoun()
        tense: Tense = "past" if "stative" not in verb.traits and self.chance(0.55) else "present"
        return Clause(subject, unambiguous(VerbPhrase(verb, tense), subject))
