"""Random phrases: nouns and verbs with what belongs to them."""

from dataclasses import replace
from typing import Literal

from demo_grammar.choices import Chooser, Rejected, adjectives_of, adverbs_of, verbs_of
from demo_grammar.derivation import (
    Clause,
    Coordination,
    Nominal,
    NounPhrase,
    PrepositionalPhrase,
    Pronoun,
    Relative,
    Tense,
    VerbPhrase,
)
from demo_grammar.lexicon import (
    MODALS,
    PLACES,
    SPATIAL,
    TOWNS,
    Adjective,
    Case,
    Name,
    Noun,
    Preposition,
    Verb,
)
from demo_grammar.word_tables import Tags

Extent = Literal["plain", "full", "bare", "asked"]  # of a verb phrase; "asked" is what a question may contain

PERSON = frozenset({"person"})
PLACE = frozenset({"place"})
ANYWHERE = PLACE | {"town"}

_IN_TOWN = Preposition("in", "in", "à")
_TO_TOWN = Preposition("to", "nach", "à")
_FROM_TOWN = Preposition("from", "aus", "de")
_WEARING = Preposition("with", "mit", "à")
_ABOUT = Preposition("about", "über", "sur", "accusative")
_WITH_TOOL = Preposition("with", "mit", "avec")

_OWNED = {"kin", "fellow", "pet", "thing", "clothing", "text", "vehicle", "instrument", "furniture"}
_OWNED_PLACES = {"room", "house", "garden"}
_QUANTITIES = {"many": 8, "several": 6, "two": 9, "three": 6, "four": 3}
_INFINITIVE_FRAMES = {"transitive": 70, "intransitive": 15, "motion": 7, "journey": 5, "music": 2, "sport": 2}


def ownable(noun: Noun) -> bool:
    """Return whether "my" or "Anna's" fits a noun: it fits relatives, pets, things and rooms, not kings or stations."""
    if noun.kind == "place":
        return noun.matches(_OWNED_PLACES)
    return noun.matches(_OWNED) and "public" not in noun.tags


def unambiguous(phrase: VerbPhrase, subject: Nominal) -> VerbPhrase:
    """Reject "they read": the English form does not tell whether it is present or past."""
    bare = phrase.aspect == "simple" and not (phrase.modal or phrase.likes or phrase.negated)
    same_form = subject.plural or (isinstance(subject, Pronoun) and subject.person == 1)
    if "same-past" in phrase.verb.traits and bare and same_form and phrase.tense != "future":
        raise Rejected
    return phrase


class PhraseGenerator(Chooser):
    """Generates phrases.

    The ``size`` of a noun phrase: 0 is plain, 1 may have adjectives and a possessor, 2 also phrases and clauses.
    """

    # Phrases contain clauses, which the subclass generates.

    def relative(self, head: NounPhrase) -> Relative:
        """Return a relative clause."""
        raise NotImplementedError

    def content_clause(self, subject: Nominal, tense: Tense) -> Clause:
        """Return what somebody says or thinks."""
        raise NotImplementedError

    # --- noun phrases ---

    def noun_phrase(self, tags: Tags, size: int, determiners: str) -> NounPhrase:
        """Return a noun phrase; ``determiners`` names its role, which selects the determiners that it may have."""
        noun = self.new_noun(tags)
        countable = not noun.mass and "single" not in noun.tags
        plural = (countable and self.chance(0.08 if noun.kind == "place" else 0.25)) or "pair" in noun.tags
        determiner = self._determiner(noun, plural, determiners)
        phrase = NounPhrase(noun, plural, determiner)
        if self.chance(0.35 if size else 0.12):
            phrase = replace(phrase, adjectives=self._attributes(noun))
        if size == 0 or determiner == "every":
            return phrase
        if determiner == "the" and ownable(noun) and self.chance(0.14):
            return self._owned(phrase)
        if size == 2 and not noun.mass and self.chance(0.24):
            return self._modified(phrase, determiners)
        return phrase

    def _determiner(self, noun: Noun, plural: bool, role: str) -> str:
        if role == "the":
            return "the"
        own = (40 if "kin" in noun.tags else 9) if ownable(noun) else 0
        owners = {"my": own, "his": own, "her": own, "our": own // 2, "their": own // 3}
        definite = {"the": 60, "this": 7, **owners}
        may_be_indefinite = "kin" not in noun.tags
        if role == "definite":
            weights = definite
        elif noun.mass:
            weights = {"bare": 60, "the": 32, "this": 8}
        elif role == "generic":
            weights = {**definite, "bare": 60} if plural else definite
        elif role == "negated":
            indefinite = {"bare": 20} if plural else {"a": 25}
            weights = definite | indefinite if may_be_indefinite else definite
        elif role == "indefinite":
            if not may_be_indefinite:
                raise Rejected
            weights = {"bare": 12, **_QUANTITIES} if plural else {"a": 1}
        elif plural:
            weights = {**definite, **_QUANTITIES, "bare": 28 if role == "object" else 0}
        else:
            weights = definite
            if may_be_indefinite:
                weights = {**definite, "a": 36, "every": 5 if role == "subject" else 0}
        return self.weighted(weights)

    def _attributes(self, noun: Noun) -> tuple[Adjective, ...]:
        """Return one adjective or two; of two the first one precedes the noun in French and the second follows it."""
        adjectives = adjectives_of(noun)
        first = self.zipfian(adjectives)
        if first.french_before and self.chance(0.15):
            return first, self.zipfian([a for a in adjectives if not a.french_before])
        return (first,)

    def _owned(self, phrase: NounPhrase) -> NounPhrase:
        """Add a possessor: "Anna's dog", "the neighbour's dog" or "the dog of the neighbour"."""
        if self.chance(0.5):
            return replace(phrase, determiner="possessed", possessor=self.new_name())
        owner = self.noun_phrase(PERSON, 0, "definite")
        possessed = not owner.plural and self.chance(0.5)
        return replace(phrase, determiner="possessed" if possessed else "the", possessor=owner)

    def _modified(self, phrase: NounPhrase, role: str) -> NounPhrase:
        """Add a prepositional phrase or a relative clause."""
        kind = phrase.noun.kind
        if self.chance(0.45):
            if kind == "person":
                from_town = phrase.plural or self.chance(0.5)
                return replace(phrase, phrase=self._origin() if from_town else self._dress())
            if kind == "text":
                return replace(phrase, phrase=self._topic())
            if role == "subject" and kind == "thing":
                return replace(phrase, phrase=self.beside("dative"))
        return replace(phrase, relative=self.relative(phrase))

    # --- persons ---

    def subject(self, tags: Tags, size: int, antecedent: Nominal | None, anaphora: float) -> Nominal:
        """Return a subject; with the probability ``anaphora``, it is a pronoun for the person ``antecedent``."""
        if "person" in tags:
            if antecedent and self.chance(anaphora) and (pronoun := self._pronoun_for(antecedent)):
                return pronoun
            kind = self.weighted({"pronoun": 20, "name": 14, "two": 7, "noun": 59})
            if kind == "pronoun" and not antecedent:
                return self.pronoun()
            if kind == "name":
                return self.new_name()
            if kind == "two":
                return Coordination(self._plain_person(), self._plain_person())
        return self.noun_phrase(tags, size, "subject")

    def _pronoun_for(self, antecedent: Nominal) -> Pronoun | None:
        """Return the pronoun for a person, or None when none fits."""
        match antecedent:
            case NounPhrase(noun, plural, determiner) if (
                noun.pronoun in ("he", "she") and determiner != "every"
            ):
                return Pronoun(3, plural, "f" if noun.pronoun == "she" else "m", noun)
            case Name():
                return Pronoun(3, False, "f" if antecedent.pronoun == "she" else "m")
            case Pronoun():
                return antecedent
        return None

    def pronoun(self) -> Pronoun:
        kind = self.weighted({"he": 26, "she": 26, "they": 20, "I": 16, "we": 12})
        person, plural = (1 if kind in ("I", "we") else 3), kind in ("they", "we")
        return Pronoun(person, plural, "f" if kind == "she" else "m")

    def _plain_person(self) -> NounPhrase | Name:
        return self.new_name() if self.chance(0.4) else self.noun_phrase(PERSON, 0, "definite")

    def person_or_pronoun(self) -> Nominal:
        """Return the subject of a relative clause."""
        return self.pronoun() if self.chance(0.3) else self._plain_person()

    # --- prepositional phrases ---

    def _origin(self) -> PrepositionalPhrase:
        """Return e.g. "from Berlin"."""
        return PrepositionalPhrase(_FROM_TOWN, self.zipfian(TOWNS))

    def _dress(self) -> PrepositionalPhrase:
        """Return e.g. "with the red hat"."""
        noun = self.new_noun(frozenset({"clothing"}))
        clothing = NounPhrase(noun, "pair" in noun.tags, adjectives=self._attributes(noun))
        return PrepositionalPhrase(_WEARING, clothing)

    def _topic(self) -> PrepositionalPhrase:
        """Return e.g. "about Berlin" or "about the king"."""
        if self.chance(0.5):
            return PrepositionalPhrase(_ABOUT, self.zipfian(TOWNS))
        return PrepositionalPhrase(_ABOUT, self.noun_phrase(frozenset({"person", "animal"}), 0, "definite"))

    def beside(self, case: Case) -> PrepositionalPhrase:
        """Return e.g. "on the table" or "behind the door", with the German ``case`` for a place or a direction."""
        preposition = self.zipfian(SPATIAL)
        landmark = self.noun_phrase(preposition.tags, 0, "the")
        return PrepositionalPhrase(replace(preposition, case=case), replace(landmark, plural=False))

    def place(self, tags: Tags = PLACE, towards: bool = False) -> PrepositionalPhrase:
        """Return a place to be at or to go to: a town, or a noun with its own prepositions."""
        if "town" in tags and (tags == {"town"} or self.chance(0.25)):
            return PrepositionalPhrase(_TO_TOWN if towards else _IN_TOWN, self.zipfian(TOWNS))
        noun = self.new_noun(PLACE)
        preposition = PLACES[noun.english].to if towards else PLACES[noun.english].at
        indefinite = preposition.french != "à" and self.chance(0.22)  # "à" is for places that one knows
        phrase = NounPhrase(noun, False, "a" if indefinite else "the")
        if self.chance(0.2):
            phrase = replace(phrase, adjectives=self._attributes(noun))
        if self.chance(0.05):
            phrase = replace(phrase, relative=self.relative(phrase))
        return PrepositionalPhrase(preposition, phrase)

    # --- verb phrases ---

    def tense(self) -> Tense:
        return self.weighted({"present": 45, "past": 42, "future": 13})

    def verb_phrase(
        self,
        verb: Verb,
        subject: Nominal,
        size: int,
        tense: Tense | None = None,
        extent: Extent = "plain",
    ) -> VerbPhrase:
        """Return a verb phrase; a ``full`` one may have times and the perfect, a ``bare`` one is verb and arguments."""
        if "stative" in verb.traits:
            if tense in ("past", "future"):
                raise Rejected
            tense = "present"
        tense = tense or self.tense()
        may_be_negated = subject.definite and extent in ("plain", "full")
        negated = may_be_negated and self.chance(0.13)
        negated = negated and verb.frame != "content" and verb.english.infinitive != "hope"
        phrase = VerbPhrase(verb, tense, negated=negated)
        phrase = self._with_arguments(phrase, verb, subject, size)
        if extent == "bare":
            return unambiguous(phrase, subject)
        phrase = self._with_auxiliary(phrase, verb, perfect=extent == "full")
        if not negated:
            phrase = self._with_adjuncts(phrase, verb)
        if extent == "full":
            phrase = self._with_time(phrase, verb)
        return phrase if extent == "asked" else unambiguous(phrase, subject)

    # --- arguments ---

    def _with_arguments(self, phrase: VerbPhrase, verb: Verb, subject: Nominal, size: int) -> VerbPhrase:
        if verb.frame in ("motion", "dwelling", "journey"):
            if verb.german.infinitive in ("laufen", "kommen") and self.chance(0.2):
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
                return self.new_name()
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
        return self.new_name() if kind == "name" else self.noun_phrase(PERSON, 0, "definite")

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
        """Perhaps add a manner, a tool or a place."""
        if verb.manners and not phrase.likes and self.chance(0.22):
            return replace(phrase, manner=self.zipfian(adverbs_of("manner", verb.manners)))
        if "cutting" in verb.traits and self.chance(0.4):
            noun = self.new_noun(frozenset({"blade"}))
            tool = NounPhrase(noun, determiner="the" if self.chance(0.5) else "a")
            return replace(phrase, adjunct=PrepositionalPhrase(_WITH_TOOL, tool))
        object_is_place = isinstance(phrase.object, NounPhrase) and phrase.object.noun.kind == "place"
        placeable = (
            verb.frame in ("transitive", "intransitive", "music", "sport")
            and not verb.english_preposition
            and not verb.traits & {"stative", "placeless"}
            and not (phrase.likes and phrase.object)
            and not object_is_place
        )
        return replace(phrase, adjunct=self.place(ANYWHERE)) if placeable and self.chance(0.17) else phrase

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
