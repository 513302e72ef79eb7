"""Realise a derivation in German: verb-second and verb-final clauses, the order of the middle field, agreement."""

from typing import assert_never

from demo_grammar.derivation import (
    Clause,
    Conjunction,
    Coordination,
    Existential,
    Nominal,
    NounPhrase,
    PrepositionalPhrase,
    Pronoun,
    Question,
    Relative,
    Sentence,
    Subordination,
    VerbPhrase,
    person_of,
)
from demo_grammar.lexicon import (
    CASES,
    DETERMINERS,
    FUNCTION_WORDS,
    GERMAN_VERBS,
    Case,
    GermanVerb,
    Name,
    Noun,
    Town,
    pronoun_forms,
)

_CONTRACTIONS = {
    "in dem": "im",
    "an dem": "am",
    "zu dem": "zum",
    "zu der": "zur",
    "in das": "ins",
    "an das": "ans",
    "von dem": "vom",
}

# For each gender and the plural ("p"), in the order of CASES.
_RELATIVE_PRONOUNS = {
    "m": "der den dem dessen",
    "f": "die die der deren",
    "n": "das das dem dessen",
    "p": "die die denen deren",
}
_ADJECTIVE_ENDINGS = {
    "strong": {"m": "er en em en", "f": "e e er er", "n": "es es em en", "p": "e e en er"},
    "weak": {"m": "e en en en", "f": "e e en en", "n": "e e en en", "p": "en en en en"},
    "mixed": {"m": "er en en en", "f": "e e en en", "n": "es es en en", "p": "en en en en"},
}


def words(derivation: Sentence) -> list[str]:
    """Return the words and punctuation marks of a sentence."""
    match derivation:
        case Clause():
            return _finished(_main(derivation))
        case Conjunction(first, conjunction, second):
            return _finished([*_main(first), ",", FUNCTION_WORDS[conjunction].german, *_main(second)])
        case Subordination(main, conjunction, subordinate, first):
            one_event = conjunction == "when" and subordinate.predicate.tense == "past"
            word = "als" if one_event else FUNCTION_WORDS[conjunction].german
            inner = [word, *_subordinate(subordinate)]
            if first:
                return _finished([*inner, ",", *_verb_first(main)])
            return _finished([*_main(main), ",", *inner])
        case Existential(place, nominal, tense):
            gibt = "gab" if tense == "past" else "gibt"
            return _finished([*_prepositional(place), gibt, "es", *_nominal(nominal, "accusative")])
        case Question(clause, adverb):
            # As a question, "when" is another word than the conjunction.
            asked = ["wann"] if adverb == "when" else [FUNCTION_WORDS[adverb].german] if adverb else []
            return _finished([*asked, *_verb_first(clause)], "?")
        case _:
            assert_never(derivation)


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
    # "sich" precedes a noun phrase.
    if clause.predicate.verb.reflexive and not isinstance(clause.subject, Pronoun):
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
    """Return a verb-final clause: the middle field, the infinite verbs, the finite verb; ``gap`` omits the subject."""
    phrase, subject = clause.predicate, clause.subject
    finite, particle, infinite = _verb_words(phrase, subject)
    verbs = [*infinite, particle + finite]
    first = [] if gap else _nominal(subject, "nominative")
    return [*first, *_middle_field(phrase, subject), *verbs, *_extraposed(phrase, subject)]


def _predicate(phrase: VerbPhrase, subject: Nominal) -> tuple[str, list[str], list[str]]:
    """Return the finite verb, the middle field, and the right bracket with what is extraposed."""
    finite, particle, infinite = _verb_words(phrase, subject)
    end = [*infinite, *([particle] if particle else []), *_extraposed(phrase, subject)]
    return finite, _middle_field(phrase, subject), end


def _verb_words(phrase: VerbPhrase, subject: Nominal) -> tuple[str, str, list[str]]:
    """Return the finite verb, its separable particle or "", and the infinite verbs."""
    verb, past = phrase.verb.german, phrase.tense == "past"
    if phrase.modal:
        return _finite(phrase.modal.german, subject, past), "", [verb.infinitive]
    if phrase.tense == "future":
        return _finite(GERMAN_VERBS["werden"], subject), "", [verb.infinitive]
    if past and not verb.preterite:
        return _finite(GERMAN_VERBS[verb.auxiliary], subject), "", [verb.past_participle]
    return _finite(verb, subject, past), verb.separable, []


def _finite(verb: GermanVerb, subject: Nominal, preterite: bool = False) -> str:
    if preterite and verb.preterite:
        return verb.preterite[subject.plural]
    return verb.present[2 if subject.plural else person_of(subject) // 2]


def _extraposed(phrase: VerbPhrase, subject: Nominal) -> list[str]:
    """Return the infinitive with zu or the that-clause, between commas."""
    if phrase.infinitive:
        return [",", *_zu_phrase(phrase.infinitive, subject), ","]
    if phrase.content:
        return [",", "dass", *_subordinate(phrase.content), ","]
    return []


def _zu_phrase(phrase: VerbPhrase, subject: Nominal) -> list[str]:
    """Return an infinitive; its reflexive pronoun agrees with ``subject``, which is omitted."""
    return [*_middle_field(phrase, subject), *phrase.verb.german.zu_infinitive.split()]


def _middle_field(phrase: VerbPhrase, subject: Nominal) -> list[str]:
    """Return the middle field.

    Its order: pronouns, time, definite objects, frequency, manner, place, indefinite object, "nicht", complement.
    """
    object_, recipient = phrase.object, phrase.recipient
    negated_object = phrase.negated and _takes_kein(phrase)
    field: list[str] = []
    if phrase.verb.reflexive:
        field.append(pronoun_forms(person_of(subject), subject.plural, "n").german_reflexive)
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
    if phrase.adjunct:
        field += _prepositional(phrase.adjunct)
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
    return bool(phrase.verb.german_preposition) or phrase.verb.incorporating


def _takes_kein(phrase: VerbPhrase) -> bool:
    """Return whether "kein" negates the object: it does if the object is indefinite and direct."""
    indefinite = isinstance(phrase.object, NounPhrase) and phrase.object.determiner in ("a", "bare")
    return indefinite and not _is_governed(phrase)


def _object(phrase: VerbPhrase, negated: bool) -> list[str]:
    if phrase.object is None:
        return []
    if phrase.verb.incorporating and isinstance(phrase.object, NounPhrase):
        return [phrase.object.noun.german]
    preposition = phrase.verb.german_preposition
    if preposition and isinstance(phrase.object, Pronoun) and phrase.object.is_thing:
        return [f"da{'r' if preposition[0] in 'aeiouäöü' else ''}{preposition}"]  # "darüber", "davon"
    realised = _nominal(phrase.object, phrase.verb.case, negated)
    return _contracted(preposition, realised, phrase.object) if preposition else realised


def _predicates(phrase: VerbPhrase) -> list[str]:
    return [word for adjective in phrase.predicates for word in ("und", adjective.german)][1:]


# --- noun phrases -----------------------------------------------------------------------------------------


def _nominal(nominal: Nominal, case: Case, negated: bool = False) -> list[str]:
    match nominal:
        case Pronoun():
            gender = nominal.antecedent.german_gender if nominal.antecedent else nominal.gender
            return [pronoun_forms(nominal.person, nominal.plural, gender).german[CASES.index(case)]]
        case Name():
            return [nominal.text + ("s" if case == "genitive" else "")]
        case Coordination(first, second):
            return [*_nominal(first, case), "und", *_nominal(second, case)]
        case NounPhrase():
            return _noun_phrase(nominal, case, negated)


def _noun_phrase(phrase: NounPhrase, case: Case, negated: bool) -> list[str]:
    determiner = "no" if negated else phrase.determiner
    if determiner == "possessed" and isinstance(phrase.possessor, NounPhrase):
        determiner = "the"  # "the king's dog" is "der Hund des Königs"; only a name precedes: "Annas Hund"
    parts = [*_before_noun(phrase, determiner, case), _noun(phrase.noun, case, phrase.plural)]
    if phrase.possessor and determiner != "possessed":
        parts += _nominal(phrase.possessor, "genitive")
    if phrase.phrase:
        parts += _prepositional(phrase.phrase)
    if phrase.relative:
        parts += [",", *_relative(phrase.relative, _agreement(phrase)), ","]
    return parts


def _agreement(phrase: NounPhrase) -> str:
    """Return the gender of a noun phrase, or ``p`` for a plural."""
    return "p" if phrase.plural else phrase.noun.german_gender


def _noun(noun: Noun, case: Case, plural: bool) -> str:
    if plural:
        return noun.german_dative_plural if case == "dative" else noun.german_plural
    if case == "nominative":
        return noun.german
    return noun.german_genitive if case == "genitive" else noun.german_accusative


def _before_noun(phrase: NounPhrase, name: str, case: Case) -> list[str]:
    """Return the determiner of this name and the adjectives."""
    agreement, place = _agreement(phrase), CASES.index(case)
    determiner = DETERMINERS.get(name)
    words = []
    if determiner:
        words = [getattr(determiner, f"german_{agreement}")[place]]
    elif name == "possessed" and phrase.possessor:
        words = _nominal(phrase.possessor, "genitive")
    endings = _ADJECTIVE_ENDINGS[determiner.german_adjectives if determiner else "strong"]
    ending = endings[agreement].split()[place]
    return [*words, *(adjective.german_stem + ending for adjective in phrase.adjectives)]


def _prepositional(phrase: PrepositionalPhrase) -> list[str]:
    preposition = phrase.preposition
    if isinstance(phrase.nominal, Town):
        return [preposition.german, phrase.nominal.german]
    return _contracted(preposition.german, _nominal(phrase.nominal, preposition.case), phrase.nominal)


def _contracted(preposition: str, realised: list[str], nominal: Nominal) -> list[str]:
    """Put a preposition before a noun phrase; without a relative clause, it contracts with the article ("im")."""
    contraction = _CONTRACTIONS.get(f"{preposition} {realised[0]}")
    article = isinstance(nominal, NounPhrase) and nominal.determiner == "the" and not nominal.relative
    return [contraction, *realised[1:]] if contraction and article else [preposition, *realised]


def _relative(relative: Relative, agreement: str) -> list[str]:
    clause = relative.clause
    nominative, accusative, dative, genitive = _RELATIVE_PRONOUNS[agreement].split()
    match relative.role:
        case "subject":
            return [nominative, *_subordinate(clause, gap=True)]
        case "possessor":
            return [genitive, *_nominal(clause.subject, "nominative"), *_subordinate(clause, gap=True)]
        case "place":
            assert relative.preposition
            return [relative.preposition.german, dative, *_subordinate(clause)]
        case "object":
            verb = clause.predicate.verb
            preposition = [verb.german_preposition] if verb.german_preposition else []
            pronoun = accusative if verb.case == "accusative" else dative
            return [*preposition, pronoun, *_subordinate(clause)]
