"""Random noun phrases: determiners, adjectives, possessors, pronouns, and the places that prepositions name."""

from dataclasses import replace

from demo_grammar.choices import Chooser, Rejected, adjectives_of, verbs_of
from demo_grammar.derivation import (
    Clause,
    Coordination,
    NamePhrase,
    Nominal,
    NounPhrase,
    PrepositionalPhrase,
    Pronoun,
    Relative,
    Tense,
    TownPhrase,
    VerbPhrase,
)
from demo_grammar.lexicon import AT_PLACE, SPATIAL, TO_PLACE, TOWNS, Adjective, Noun, Preposition
from demo_grammar.word_tables import Tags

PERSON = frozenset({"person"})
PLACE = frozenset({"place"})

_IN_TOWN = Preposition("in", "in", "à")
_TO_TOWN = Preposition("to", "nach", "à")
_FROM_TOWN = Preposition("from", "aus", "de")
_WEARING = Preposition("with", "mit", "à")
_ABOUT = Preposition("about", "über", "sur", "accusative")

_OWNED = {"kin", "fellow", "pet", "thing", "clothing", "text", "vehicle", "instrument", "furniture"}
_OWNED_PLACES = {"room", "house", "garden"}
_QUANTITIES = {"many": 8, "several": 6, "two": 9, "three": 6, "four": 3}


def ownable(noun: Noun) -> bool:
    """Return whether "my" or "Anna's" fits a noun: it fits relatives, pets, things and rooms, not kings or stations."""
    if noun.kind == "place":
        return noun.matches(_OWNED_PLACES)
    return noun.matches(_OWNED) and "public" not in noun.tags


class NounPhraseGenerator(Chooser):
    """Generates noun phrases and prepositional phrases.

    The ``size`` of a noun phrase: 0 is plain, 1 may have adjectives and a possessor, 2 also phrases and clauses.
    """

    def relative(self, head: NounPhrase) -> Relative:
        """Return a relative clause.  Clauses contain noun phrases, so a subclass generates them."""
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
            return replace(phrase, determiner="possessed", possessor=NamePhrase(self.new_name()))
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
                return NamePhrase(self.new_name())
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
            case NamePhrase(name):
                return Pronoun(3, False, "f" if name.pronoun == "she" else "m")
            case Pronoun():
                return antecedent
        return None

    def pronoun(self) -> Pronoun:
        kind = self.weighted({"he": 26, "she": 26, "they": 20, "I": 16, "we": 12})
        person, plural = (1 if kind in ("I", "we") else 3), kind in ("they", "we")
        return Pronoun(person, plural, "f" if kind == "she" else "m")

    def _plain_person(self) -> NounPhrase | NamePhrase:
        return NamePhrase(self.new_name()) if self.chance(0.4) else self.noun_phrase(PERSON, 0, "definite")

    def person_or_pronoun(self) -> Nominal:
        """Return the subject of a relative clause."""
        return self.pronoun() if self.chance(0.3) else self._plain_person()

    # --- prepositional phrases ---

    def _origin(self) -> PrepositionalPhrase:
        """Return e.g. "from Berlin"."""
        return PrepositionalPhrase(_FROM_TOWN, TownPhrase(self.zipfian(TOWNS)))

    def _dress(self) -> PrepositionalPhrase:
        """Return e.g. "with the red hat"."""
        noun = self.new_noun(frozenset({"clothing"}))
        clothing = NounPhrase(noun, "pair" in noun.tags, adjectives=self._attributes(noun))
        return PrepositionalPhrase(_WEARING, clothing)

    def _topic(self) -> PrepositionalPhrase:
        """Return e.g. "about Berlin" or "about the king"."""
        if self.chance(0.5):
            return PrepositionalPhrase(_ABOUT, TownPhrase(self.zipfian(TOWNS)))
        return PrepositionalPhrase(_ABOUT, self.noun_phrase(frozenset({"person", "animal"}), 0, "definite"))

    def beside(self, case: str) -> PrepositionalPhrase:
        """Return e.g. "on the table" or "behind the door", with the German ``case`` for a place or a direction."""
        preposition = self.zipfian(SPATIAL)
        landmark = self.noun_phrase(preposition.tags, 0, "the")
        return PrepositionalPhrase(replace(preposition, case=case), replace(landmark, plural=False))

    def place(self, tags: Tags = PLACE, towards: bool = False) -> PrepositionalPhrase:
        """Return a place to be at or to go to: a town, or a noun with its own prepositions."""
        if "town" in tags and (tags == {"town"} or self.chance(0.25)):
            town = TownPhrase(self.zipfian(TOWNS))
            return PrepositionalPhrase(_TO_TOWN if towards else _IN_TOWN, town, towards)
        noun = self.new_noun(PLACE)
        preposition = (TO_PLACE if towards else AT_PLACE)[noun.english]
        indefinite = preposition.french != "à" and self.chance(0.22)  # "à" is for places that one knows
        phrase = NounPhrase(noun, False, "a" if indefinite else "the")
        if self.chance(0.2):
            phrase = replace(phrase, adjectives=self._attributes(noun))
        if self.chance(0.05):
            phrase = replace(phrase, relative=self.place_relative(noun))
        return PrepositionalPhrase(preposition, phrase, towards)

    def place_relative(self, noun: Noun) -> Relative:
        """Return e.g. "in which she lives"."""
        verb = self.new_verb([v for v in verbs_of("dwelling", "intransitive") if "located" in v.traits])
        subject = self.person_or_pronoun()
        tense: Tense = "past" if "stative" not in verb.traits and self.chance(0.5) else "present"
        return Relative("place", Clause(subject, VerbPhrase(verb, tense)), AT_PLACE[noun.english])
