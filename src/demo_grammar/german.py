"""Realise a derivation in German: verb-second and verb-final clauses, the order of the middle field, agreement."""

from typing import assert_never

from demo_grammar import morphology_german as morphology
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
    TownPhrase,
    VerbPhrase,
    person_of,
)
from demo_grammar.lexicon import Verb

_CONJUNCTIONS = {"and": "und", "but": "aber", "because": "weil", "if": "wenn", "while": "während"}
_ADVERBS = {"why": "warum", "when": "wann", "where": "wo"}


def words(derivation: Sentence) -> list[str]:
    """Return the words and punctuation marks of a sentence."""
    match derivation:
        case Clause():
            return _finished(_main(derivation))
        case Conjunction(first, conjunction, second):
            return _finished([*_main(first), ",", _CONJUNCTIONS[conjunction], *_main(second)])
        case Subordination(main, conjunction, subordinate, first):
            word = _conjunction(conjunction, subordinate)
            inner = [word, *_subordinate(subordinate)]
            if first:
                return _finished([*inner, ",", *_verb_first(main)])
            return _finished([*_main(main), ",", *inner])
        case Existential(place, nominal, tense):
            gibt = "gab" if tense == "past" else "gibt"
            return _finished([*_prepositional(place), gibt, "es", *_nominal(nominal, "accusative")])
        case Question(clause, adverb):
            return _finished([*([_ADVERBS[adverb]] if adverb else []), *_verb_first(clause)], "?")
        case _:
            assert_never(derivation)


def _conjunction(conjunction: str, clause: Clause) -> str:
    """Return the conjunction; "when" is "als" for one event of the past, else "wenn"."""
    if conjunction == "when":
        return "als" if clause.predicate.tense == "past" else "wenn"
    return _CONJUNCTIONS[conjunction]


def _finished(parts: list[str], mark: str = ".") -> list[str]:
    """Add the final mark; keep one of several adjacent commas, and none before the mark."""
    kept: list[str] = []
    for part in [*parts, mark]:
        if kept and kept[-1] == "," and part in (",", ".", "?"):
            kept.pop()
        kept.append(part)
    return kept


# --- clauses ----------------------------------------------------------------------------------------------


def _main(clause: Clause) -> list[str]:
    """Return a verb-second clause: the subject or the fronted time, the finite verb, the rest."""
    if clause.fronted:
        return [*clause.fronted.german.split(), *_verb_first(clause)]
    subject = _nominal(clause.subject, "nominative")
    finite, field, end = _predicate(clause.predicate, clause.subject)
    return [*subject, finite, *field, *end, *_second(clause, finite)]


def _verb_first(clause: Clause) -> list[str]:
    """Return the finite verb, the subject and the rest: a question, or what follows a fronted constituent."""
    subject = _nominal(clause.subject, "nominative")
    finite, field, end = _predicate(clause.predicate, clause.subject)
    reflexive = isinstance(clause.predicate.verb, Verb) and clause.predicate.verb.reflexive
    if reflexive and not isinstance(clause.subject, Pronoun):  # "sich" precedes a noun phrase
        subject, field = [field[0], *subject], field[1:]
    return [finite, *subject, *field, *end, *_second(clause, finite)]


def _second(clause: Clause, first_finite: str) -> list[str]:
    """Return the second verb phrase, without its auxiliary if the first one has the same."""
    if clause.second is None:
        return []
    finite, field, end = _predicate(clause.second, clause.subject)
    shared = finite == first_finite and clause.second.tense == "past"
    return ["und", *([] if shared else [finite]), *field, *end]


def _subordinate(clause: Clause, gap: bool = False) -> list[str]:
    """Return a verb-final clause; ``gap`` omits the subject."""
    subject = [] if gap else _nominal(clause.subject, "nominative")
    return [*subject, *verb_final(clause.predicate, clause.subject)]


def verb_final(phrase: VerbPhrase, subject: Nominal) -> list[str]:
    """Return the middle field, the infinite verbs, the finite verb, and what is extraposed."""
    finite, particle, infinite = _verb_words(phrase, subject)
    return [*_middle_field(phrase, subject), *infinite, particle + finite, *_extraposed(phrase, subject)]


def _predicate(phrase: VerbPhrase, subject: Nominal) -> tuple[str, list[str], list[str]]:
    """Return the finite verb, the middle field, and the right bracket with what is extraposed."""
    finite, particle, infinite = _verb_words(phrase, subject)
    end = [*infinite, *([particle] if particle else []), *_extraposed(phrase, subject)]
    return finite, _middle_field(phrase, subject), end


def _verb_words(phrase: VerbPhrase, subject: Nominal) -> tuple[str, str, list[str]]:
    """Return the finite verb, its separable particle or "", and the infinite verbs."""
    person, many = person_of(subject), subject.plural
    past, verb = phrase.tense == "past", phrase.verb
    if verb == "be":
        if phrase.tense == "future":
            return morphology.present("werden", person, many), "", ["sein"]
        finite = morphology.preterite("sein", many) if past else morphology.present("sein", person, many)
        return finite, "", []
    assert isinstance(verb, Verb)
    infinitive = verb.separable + verb.german
    if phrase.modal:
        modal = phrase.modal.german
        finite = morphology.preterite(modal, many) if past else morphology.present(modal, person, many)
        return finite, "", [infinitive]
    if phrase.tense == "future":
        return morphology.present("werden", person, many), "", [infinitive]
    if past:
        auxiliary = morphology.auxiliary_of(verb.german, verb.separable)
        participle = morphology.past_participle(verb.german, verb.separable)
        return morphology.present(auxiliary, person, many), "", [participle]
    return morphology.present(verb.german, person, many), verb.separable, []


def _extraposed(phrase: VerbPhrase, subject: Nominal) -> list[str]:
    """Return the infinitive with zu or the that-clause, between commas."""
    if phrase.infinitive:
        return [",", *_zu_phrase(phrase.infinitive, subject), ","]
    if phrase.content:
        return [",", "dass", *_subordinate(phrase.content), ","]
    return []


def _zu_phrase(phrase: VerbPhrase, subject: Nominal) -> list[str]:
    """Return an infinitive; its reflexive pronoun agrees with ``subject``, which is omitted."""
    assert isinstance(phrase.verb, Verb)
    infinitive = morphology.zu_infinitive(phrase.verb.german, phrase.verb.separable)
    return [*_middle_field(phrase, subject), *infinitive]


def _middle_field(phrase: VerbPhrase, subject: Nominal) -> list[str]:
    """Return the middle field.

    Its order: pronouns, time, definite objects, frequency, manner, place, indefinite object, "nicht", complement.
    """
    object_, recipient = phrase.object, phrase.recipient
    negated_object = phrase.negated and _takes_kein(phrase)
    field: list[str] = []
    if isinstance(phrase.verb, Verb) and phrase.verb.reflexive:
        field.append(morphology.reflexive_pronoun(person_of(subject), subject.plural))
    # A governed object is at the end, with the other complements: "nicht auf den Bus", "nicht Klavier".
    governed = _is_governed(phrase)
    direct = _object(phrase, negated_object)
    early = isinstance(object_, Pronoun) and not governed
    definite = object_ is not None and object_.definite and not governed
    dative = _nominal(recipient, "dative") if recipient else []
    if early:
        field += direct
    if isinstance(recipient, Pronoun):
        field += dative
    if phrase.time:
        field += phrase.time.german.split()
    if not isinstance(recipient, Pronoun):
        field += dative
    if definite and not early:
        field += direct
    if phrase.frequency:
        field.append(phrase.frequency.german)
    if phrase.likes:
        field.append("gern")
    if phrase.manner:
        field.append(phrase.manner.german)
    for adjunct in (phrase.instrument, phrase.place):
        if adjunct:
            field += _prepositional(adjunct)
    if not definite and not governed:
        field += direct
    if phrase.negated and not negated_object:
        field.append("nicht")
    if governed:
        field += direct
    if phrase.complement:
        field += _prepositional(phrase.complement)
    return field + _predicates(phrase)


def _is_governed(phrase: VerbPhrase) -> bool:
    """Return whether a preposition introduces the object, or the object is a part of the predicate."""
    verb = phrase.verb
    return isinstance(verb, Verb) and (bool(verb.german_preposition) or verb.incorporating)


def _takes_kein(phrase: VerbPhrase) -> bool:
    """Return whether "kein" negates the object: it does if the object is indefinite and direct."""
    indefinite = isinstance(phrase.object, NounPhrase) and phrase.object.determiner in ("a", "bare")
    return indefinite and not _is_governed(phrase)


def _object(phrase: VerbPhrase, negated: bool) -> list[str]:
    if phrase.object is None:
        return []
    assert isinstance(phrase.verb, Verb)
    if phrase.verb.incorporating and isinstance(phrase.object, NounPhrase):
        return [phrase.object.noun.german]
    realised = _nominal(phrase.object, phrase.verb.case, negated)
    if phrase.verb.german_preposition:
        return _contracted(phrase.verb.german_preposition, realised, phrase.object)
    return realised


def _predicates(phrase: VerbPhrase) -> list[str]:
    return [word for adjective in phrase.predicates for word in ("und", adjective.german)][1:]


# --- noun phrases -----------------------------------------------------------------------------------------


def gender(nominal: Nominal) -> str:
    """Return the gender of a noun phrase, or ``p`` for a plural."""
    if nominal.plural:
        return "p"
    match nominal:
        case NounPhrase(noun):
            return noun.german_gender
        case Pronoun():
            return nominal.antecedent.german_gender if nominal.antecedent else nominal.gender
        case NamePhrase(name):
            return "f" if name.pronoun == "she" else "m"
    raise AssertionError("a coordination is plural")


def _nominal(nominal: Nominal, case: str, negated: bool = False) -> list[str]:
    match nominal:
        case Pronoun():
            return [morphology.personal_pronoun(nominal.person, gender(nominal), case)]
        case NamePhrase(name):
            return [name.text + ("s" if case == "genitive" else "")]
        case Coordination(first, second):
            return [*_nominal(first, case), "und", *_nominal(second, case)]
        case NounPhrase():
            return _noun_phrase(nominal, case, negated)


def _noun_phrase(phrase: NounPhrase, case: str, negated: bool) -> list[str]:
    determiner = "no" if negated else phrase.determiner
    if determiner == "possessed" and isinstance(phrase.possessor, NounPhrase):
        determiner = "the"  # "the king's dog" is "der Hund des Königs"; only a name precedes: "Annas Hund"
    agreement = gender(phrase)
    parts = [*_before_noun(phrase, determiner, case)]
    noun = phrase.noun
    gender_, weak = noun.german_gender, noun.german_weak
    parts += [morphology.noun_form(noun.german, noun.german_plural, gender_, weak, case, phrase.plural)]
    if phrase.possessor and determiner != "possessed":
        parts += _nominal(phrase.possessor, "genitive")
    if phrase.phrase:
        parts += _prepositional(phrase.phrase)
    if phrase.relative:
        parts += [",", *_relative(phrase.relative, agreement), ","]
    return parts


def _before_noun(phrase: NounPhrase, determiner: str, case: str) -> list[str]:
    """Return the determiner and the adjectives."""
    agreement = gender(phrase)
    parts = [morphology.determiner(determiner, agreement, case)]
    if determiner == "possessed" and phrase.possessor:
        parts = _nominal(phrase.possessor, "genitive")
    adjectives = [
        morphology.adjective_form(adjective.german_stem, determiner, agreement, case)
        for adjective in phrase.adjectives
    ]
    return [part for part in (*parts, *adjectives) if part]


def _prepositional(phrase: PrepositionalPhrase) -> list[str]:
    preposition = phrase.preposition
    if isinstance(phrase.nominal, TownPhrase):
        return ["nach" if phrase.towards else preposition.german, phrase.nominal.town.german]
    return _contracted(preposition.german, _nominal(phrase.nominal, preposition.case), phrase.nominal)


def _contracted(preposition: str, realised: list[str], nominal: Nominal) -> list[str]:
    """Put a preposition before a noun phrase; without a relative clause, it contracts with the article ("im")."""
    contraction = morphology.CONTRACTIONS.get((preposition, realised[0]))
    article = isinstance(nominal, NounPhrase) and nominal.determiner == "the" and not nominal.relative
    return [contraction, *realised[1:]] if contraction and article else [preposition, *realised]


def _relative(relative: Relative, agreement: str) -> list[str]:
    clause = relative.clause
    match relative.role:
        case "subject":
            pronoun = [morphology.relative_pronoun(agreement, "nominative")]
            return [*pronoun, *_subordinate(clause, gap=True)]
        case "possessor":
            assert isinstance(clause.subject, NounPhrase)
            owned = _nominal(clause.subject, "nominative")
            pronoun = [morphology.relative_pronoun(agreement, "genitive")]
            return [*pronoun, *owned, *_subordinate(clause, gap=True)]
        case "place":
            assert relative.preposition
            pronoun = [relative.preposition.german, morphology.relative_pronoun(agreement, "dative")]
        case "object":
            verb = clause.predicate.verb
            assert isinstance(verb, Verb)
            pronoun = [morphology.relative_pronoun(agreement, verb.case)]
            if verb.german_preposition:
                pronoun.insert(0, verb.german_preposition)
    return [*pronoun, *_subordinate(clause)]
