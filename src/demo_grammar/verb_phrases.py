"""Random verb phrases: the verb with its arguments, its tense and modality, and its adverbials."""

from dataclasses import replace

from demo_grammar.choices import Rejected, adverbs_of, verbs_of
from demo_grammar.derivation import (
    Clause,
    NamePhrase,
    Nominal,
    NounPhrase,
    PrepositionalPhrase,
    Pronoun,
    Tense,
    VerbPhrase,
)
from demo_grammar.lexicon import MODALS, Preposition, Verb
from demo_grammar.noun_phrases import PERSON, PLACE, NounPhraseGenerator

ANYWHERE = PLACE | {"town"}
_WITH_TOOL = Preposition("with", "mit", "avec")
_INFINITIVE_FRAMES = {"transitive": 70, "intransitive": 15, "motion": 7, "journey": 5, "music": 2, "sport": 2}


def unambiguous(phrase: VerbPhrase, subject: Nominal) -> VerbPhrase:
    """Reject "they read": the English form does not tell whether it is present or past."""
    assert isinstance(phrase.verb, Verb)
    bare = phrase.aspect == "simple" and not (phrase.modal or phrase.likes or phrase.negated)
    same_form = subject.plural or (isinstance(subject, Pronoun) and subject.person == 1)
    if "same-past" in phrase.verb.traits and bare and same_form and phrase.tense != "future":
        raise Rejected
    return phrase


class VerbPhraseGenerator(NounPhraseGenerator):
    """Generates verb phrases."""

    def content_clause(self, subject: Nominal, tense: Tense) -> Clause:
        """Return what somebody says or thinks.  Clauses contain verb phrases, so a subclass generates them."""
        raise NotImplementedError

    def tense(self) -> Tense:
        return self.weighted({"present": 45, "past": 42, "future": 13})

    def verb_phrase(
        self,
        verb: Verb,
        subject: Nominal,
        size: int,
        tense: Tense | None = None,
        adverbials: bool = False,
        bare_verb: bool = False,
        asked: bool = False,
    ) -> VerbPhrase:
        """Return a verb phrase.

        ``adverbials`` allows times and the perfect; ``bare_verb`` allows neither auxiliaries nor adjuncts; ``asked``
        keeps to what a question may contain.
        """
        if "stative" in verb.traits:
            if tense in ("past", "future"):
                raise Rejected
            tense = "present"
        tense = tense or self.tense()
        may_be_negated = subject.definite and not bare_verb and not asked
        negated = may_be_negated and self.chance(0.13) and verb.frame != "content" and verb.german != "hoffen"
        phrase = VerbPhrase(verb, tense, negated=negated)
        phrase = self._with_arguments(phrase, verb, subject, size)
        if bare_verb:
            return unambiguous(phrase, subject)
        phrase = self._with_auxiliary(phrase, verb, perfect=adverbials)
        if not negated:
            phrase = self._with_adjuncts(phrase, verb)
        if adverbials:
            phrase = self._with_time(phrase, verb)
        return phrase if asked else unambiguous(phrase, subject)

    # --- arguments ---

    def _with_arguments(self, phrase: VerbPhrase, verb: Verb, subject: Nominal, size: int) -> VerbPhrase:
        if verb.frame in ("motion", "dwelling", "journey"):
            if verb.german in ("laufen", "kommen") and self.chance(0.2):
                return phrase  # the other verbs need a place in French: not "il va"
            return replace(phrase, complement=self.place(verb.objects, towards=verb.frame != "dwelling"))
        if verb.frame == "content":
            return replace(phrase, content=self.content_clause(subject, phrase.tense))
        if verb.frame == "infinitive":
            return replace(phrase, infinitive=self._infinitive(subject))
        if not verb.objects:
            return phrase
        if verb.frame in ("ditransitive", "placing"):
            size = 1  # no relative clause between the object and what follows it
        phrase = replace(phrase, object=self.object(verb, subject, size, phrase.negated))
        if verb.frame == "placing":
            return replace(phrase, complement=self.beside("accusative"))
        if verb.frame == "ditransitive":
            recipient = self._recipient(subject)
            may_be_first = "to-recipient" not in verb.traits and not verb.particle
            first = may_be_first and (isinstance(recipient, Pronoun) or self.chance(0.5))
            return replace(phrase, recipient=recipient, recipient_first=first)
        return phrase

    def object(self, verb: Verb, subject: Nominal, size: int, negated: bool = False) -> Nominal:
        """Return an object that the verb takes; a person may be a pronoun or a name."""
        if "person" in verb.objects:
            kind = self.weighted({"pronoun": 16, "name": 14, "noun": 70})
            if kind == "pronoun":
                return self._other_pronoun(subject)
            if kind == "name":
                return NamePhrase(self.new_name())
        if verb.frame in ("music", "sport"):
            return NounPhrase(
                self.new_noun(verb.objects), determiner="the" if verb.frame == "music" else "bare"
            )
        if "generic" in verb.traits:
            return self.noun_phrase(verb.objects, size, "generic")
        if negated:  # "kein" and "pas de" take plain objects only
            return self.noun_phrase(verb.objects, 0, "negated")
        return self.noun_phrase(verb.objects, size, "object")

    def _recipient(self, subject: Nominal) -> Nominal:
        kind = self.weighted({"pronoun": 25, "name": 20, "noun": 55})
        if kind == "pronoun":
            return self._other_pronoun(subject)
        return NamePhrase(self.new_name()) if kind == "name" else self.noun_phrase(PERSON, 0, "definite")

    def _other_pronoun(self, subject: Nominal) -> Pronoun:
        """Return a pronoun that does not refer to the subject."""
        pronoun = self.pronoun()
        if isinstance(subject, Pronoun) and subject.person == 1 == pronoun.person:
            raise Rejected
        return pronoun

    def _infinitive(self, subject: Nominal) -> VerbPhrase:
        verbs = [
            verb
            for verb in verbs_of(self.weighted(_INFINITIVE_FRAMES))
            if "person" in verb.subjects and not verb.traits & {"stative", "unintended"}
        ]
        verb = self.new_verb(verbs)
        return self._with_arguments(VerbPhrase(verb), verb, subject, size=1)

    # --- what else the tense and the verb allow ---

    def _with_auxiliary(self, phrase: VerbPhrase, verb: Verb, perfect: bool) -> VerbPhrase:
        """Perhaps add a modal, "likes to", the progressive or the perfect."""
        if "stative" in verb.traits or phrase.tense == "future":
            return phrase
        simple = verb.frame not in ("content", "infinitive")
        if simple and "unintended" not in verb.traits and self.chance(0.14):
            modal = self.zipfian(MODALS)
            if not modal.past and (phrase.tense == "past" or phrase.negated):
                return phrase  # "must not" is not the negation of "must"
            return replace(phrase, modal=modal)
        if phrase.tense == "past":
            return replace(phrase, aspect="perfect") if perfect and self.chance(0.22) else phrase
        if "pleasant" in verb.traits and not phrase.negated and self.chance(0.12):
            return replace(phrase, likes=True)
        if simple and "instant" not in verb.traits and self.chance(0.4):
            return replace(phrase, aspect="progressive")
        return phrase

    def _with_adjuncts(self, phrase: VerbPhrase, verb: Verb) -> VerbPhrase:
        """Perhaps add a manner, an instrument or a place."""
        if verb.manners and not phrase.likes and self.chance(0.22):
            return replace(phrase, manner=self.zipfian(adverbs_of("manner", verb.manners)))
        if "cutting" in verb.traits and self.chance(0.4):
            noun = self.new_noun(frozenset({"blade"}))
            tool = NounPhrase(noun, determiner="the" if self.chance(0.5) else "a")
            return replace(phrase, instrument=PrepositionalPhrase(_WITH_TOOL, tool))
        object_is_place = isinstance(phrase.object, NounPhrase) and phrase.object.noun.kind == "place"
        placeable = (
            verb.frame in ("transitive", "intransitive", "music", "sport")
            and not verb.english_preposition
            and not verb.traits & {"stative", "placeless"}
            and not (phrase.likes and phrase.object)
            and not object_is_place
        )
        return replace(phrase, place=self.place(ANYWHERE)) if placeable and self.chance(0.17) else phrase

    def _with_time(self, phrase: VerbPhrase, verb: Verb) -> VerbPhrase:
        """Perhaps add a time or a frequency that fits the tense."""
        if verb.frame in ("content", "infinitive") or "stative" in verb.traits or phrase.aspect == "perfect":
            return phrase
        kinds: frozenset[str] = frozenset({phrase.tense})
        if phrase.modal:
            kinds = frozenset({"present", "future"}) if phrase.tense == "present" else frozenset()
        elif phrase.tense == "present" and phrase.aspect == "simple":
            kinds = frozenset({"habit"})
        finite = phrase.aspect == "simple" and not (phrase.modal or phrase.likes or phrase.negated)
        if finite and phrase.tense != "future" and self.chance(0.16):
            return replace(phrase, frequency=self.zipfian(adverbs_of("frequency", kinds)))
        if kinds and not phrase.likes and self.chance(0.36):
            return replace(phrase, time=self.zipfian(adverbs_of("time", kinds)))
        return phrase
