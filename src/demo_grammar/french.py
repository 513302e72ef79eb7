"""Realise a derivation in French: clitics, two-part negation, agreement of adjectives and participles, elision."""

from dataclasses import replace

from demo_grammar import morphology_french as morphology
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
from demo_grammar.lexicon import Adjective, Verb

_CONJUNCTIONS = {
    "and": "et",
    "but": "mais",
    "because": "parce que",
    "when": "quand",
    "if": "si",
    "while": "pendant que",
}
_ADVERBS = {"why": "pourquoi", "when": "quand", "where": "où"}
_BE_TENSES = {"present": morphology.present, "past": morphology.imperfect, "future": morphology.future}
Agreement = tuple[str, bool]  # gender, plural


def words(derivation: Sentence) -> list[str]:
    """Return the words and punctuation marks of a sentence."""
    match derivation:
        case Clause():
            parts = _clause(derivation)
        case Conjunction(first, conjunction, second):
            comma = [","] if conjunction == "but" else []
            parts = [*_clause(first), *comma, _CONJUNCTIONS[conjunction], *_clause(second)]
        case Subordination(main, conjunction, subordinate, first):
            inner = [_CONJUNCTIONS[conjunction], *_clause(subordinate)]
            parts = [*inner, ",", *_clause(main)] if first else [*_clause(main), *inner]
        case Existential(place, nominal, tense):
            verb = "avait" if tense == "past" else "a"
            parts = [*_prepositional(place), ",", "il", "y", verb, *_nominal(nominal)]
        case Question(clause, adverb):
            asked = [_ADVERBS[adverb]] if adverb else []
            # In French, a space precedes the question mark.
            return morphology.elided([*asked, "est-ce que", *_clause(clause), " ?"])
    return morphology.elided([*parts, "."])


# --- clauses ----------------------------------------------------------------------------------------------


def _clause(clause: Clause) -> list[str]:
    parts = [*clause.fronted.french.split(), ","] if clause.fronted else []
    parts += [*_subject(clause.subject), *_verb_phrase(clause.predicate, clause.subject)]
    if clause.second:
        parts += ["et", *_verb_phrase(clause.second, clause.subject)]
    return parts


def _subject(nominal: Nominal) -> list[str]:
    if isinstance(nominal, Pronoun):
        return [morphology.subject_pronoun(nominal.person, *agreement(nominal))]
    return _nominal(nominal)


def _verb_phrase(phrase: VerbPhrase, subject: Nominal, moved: Agreement | None = None) -> list[str]:
    """Return a finite verb phrase.

    ``moved`` is the agreement of a direct object that precedes the verb because it is a relative pronoun.
    """
    finite, infinite = _verb_words(phrase, subject, moved)
    clitics = _clitics(phrase, subject)
    with_infinitive = phrase.modal is not None or phrase.likes
    negation = "jamais" if _never(phrase) else "pas" if phrase.negated else ""
    parts = [] if with_infinitive else [*clitics]
    parts = [*(["ne"] if negation else []), *parts, finite, *([negation] if negation else [])]
    if phrase.frequency and not _never(phrase):
        parts.append(phrase.frequency.french)
    if phrase.manner and phrase.manner.french_before:
        parts.append(phrase.manner.french)
    parts += [*clitics, *infinite] if with_infinitive else infinite
    return [*parts, *_complements(phrase, subject, bool(negation))]


def _never(phrase: VerbPhrase) -> bool:
    return phrase.frequency is not None and phrase.frequency.french == "jamais"


def _verb_words(phrase: VerbPhrase, subject: Nominal, moved: Agreement | None) -> tuple[str, list[str]]:
    """Return the finite verb, and its participle or infinitive."""
    person, many = person_of(subject), subject.plural
    if phrase.verb == "be":
        return _BE_TENSES[phrase.tense]("être", person, many), []
    verb = phrase.verb
    if phrase.modal or phrase.likes:
        governor = phrase.modal.french if phrase.modal else "aimer"
        form = morphology.imperfect if phrase.tense == "past" else morphology.present
        return form(governor, person, many), [verb.french]
    if phrase.tense == "future":
        return morphology.future(verb.french, person, many), []
    if phrase.tense == "past" and phrase.aspect == "progressive":
        return morphology.imperfect(verb.french, person, many), []
    if phrase.tense == "past":
        auxiliary = morphology.auxiliary_of(verb.french, verb.french_reflexive)
        participle = morphology.past_participle(verb.french, *_participle_agreement(phrase, subject, moved))
        return morphology.present(auxiliary, person, many), [participle]
    return morphology.present(verb.french, person, many), []


def _participle_agreement(phrase: VerbPhrase, subject: Nominal, moved: Agreement | None) -> Agreement:
    """Return the participle's agreement: after être with the subject, after avoir with a preceding direct object."""
    verb = phrase.verb
    assert isinstance(verb, Verb)
    if morphology.auxiliary_of(verb.french, verb.french_reflexive) == "être":
        return agreement(subject)
    if isinstance(phrase.object, Pronoun) and not verb.french_preposition:
        return agreement(phrase.object)
    return moved or ("m", False)


def _clitics(phrase: VerbPhrase, subject: Nominal) -> list[str]:
    """Return the reflexive pronoun, direct object or dative; derivations have at most one of them."""
    verb = phrase.verb
    if verb == "be":
        return []
    clitics = []
    if verb.french_reflexive:
        clitics.append(morphology.reflexive_pronoun(person_of(subject), subject.plural))
    if isinstance(phrase.object, Pronoun) and (not verb.french_preposition or verb.french_clitic):
        clitics.append(_clitic(phrase.object, dative=verb.french_clitic))
    if isinstance(phrase.recipient, Pronoun):
        clitics.append(_clitic(phrase.recipient, dative=True))
    return clitics


def _clitic(pronoun: Pronoun, dative: bool) -> str:
    return morphology.object_pronoun(pronoun.person, *agreement(pronoun), dative=dative)


def _complements(phrase: VerbPhrase, subject: Nominal, negated: bool) -> list[str]:
    """Return what follows the verbs: manner, object, recipient, complement, instrument, place, time."""
    verb = phrase.verb
    parts = verb.light_noun.split() if isinstance(verb, Verb) else []
    if phrase.manner and not phrase.manner.french_before:
        parts.append(phrase.manner.french)
    parts += _object(phrase, negated)
    if phrase.recipient and not isinstance(phrase.recipient, Pronoun):
        parts += morphology.contracted("à", _nominal(phrase.recipient))
    parts += _predicates(phrase, subject)
    for dependent in (phrase.complement, phrase.instrument, phrase.place):
        if dependent:
            parts += _prepositional(dependent)
    if phrase.time:
        parts += phrase.time.french.split()
    if phrase.infinitive:
        introduced = [verb.french_preposition] if isinstance(verb, Verb) and verb.french_preposition else []
        parts += [*introduced, *_infinitive(phrase.infinitive, subject)]
    if phrase.content:
        parts += ["que", *_clause(phrase.content)]
    return parts


def _infinitive(phrase: VerbPhrase, subject: Nominal) -> list[str]:
    assert isinstance(phrase.verb, Verb)
    return [*_clitics(phrase, subject), phrase.verb.french, *_complements(phrase, subject, negated=False)]


def _object(phrase: VerbPhrase, negated: bool) -> list[str]:
    verb = phrase.verb
    if phrase.object is None or verb == "be":
        return []
    if isinstance(phrase.object, Pronoun):
        if not verb.french_preposition or verb.french_clitic:
            return []  # a clitic
        stressed = morphology.stressed_pronoun(phrase.object.person, *agreement(phrase.object))
        return [verb.french_preposition, stressed]
    object_ = phrase.object
    takes_article = "generic" in verb.traits or verb.incorporating
    if takes_article and isinstance(object_, NounPhrase) and object_.determiner == "bare":
        object_ = replace(object_, determiner="the")
    if verb.french_preposition:
        return _governed(verb.french_preposition, object_)
    return _nominal(object_, bare_de=negated and "generic" not in verb.traits)


def _predicates(phrase: VerbPhrase, subject: Nominal) -> list[str]:
    adjectives = [_adjective(adjective, agreement(subject)) for adjective in phrase.predicates]
    return [word for adjective in adjectives for word in ("et", adjective)][1:]


# --- noun phrases -----------------------------------------------------------------------------------------


def agreement(nominal: Nominal) -> Agreement:
    """Return the gender and number of a noun phrase; a coordination is feminine if both parts are."""
    match nominal:
        case NounPhrase(noun):
            return noun.french_gender, nominal.plural
        case NamePhrase(name):
            return ("f" if name.pronoun == "she" else "m"), False
        case Coordination(first, second):
            return ("f" if agreement(first)[0] == agreement(second)[0] == "f" else "m"), True
        case Pronoun():
            if nominal.antecedent:
                return nominal.antecedent.french_gender, nominal.plural
            return ("f" if nominal.gender == "f" else "m"), nominal.plural


def _nominal(nominal: Nominal, bare_de: bool = False) -> list[str]:
    match nominal:
        case NamePhrase(name):
            return [name.text]
        case Coordination(first, second):
            return [*_nominal(first), "et", *_nominal(second)]
        case NounPhrase():
            return _noun_phrase(nominal, bare_de)
        case Pronoun():
            return [morphology.stressed_pronoun(nominal.person, *agreement(nominal))]


def _noun_phrase(phrase: NounPhrase, bare_de: bool) -> list[str]:
    core = _core(phrase)
    article = _article(phrase, core, bare_de)
    if len(article) == 1:
        article = [morphology.before(article[0], core[0])]
    parts = [*article, *core]
    if phrase.possessor:
        parts += _governed("de", phrase.possessor)
    if phrase.phrase:
        parts += _prepositional(phrase.phrase)
    if phrase.relative:
        parts += _relative(phrase.relative, phrase)
    return parts


def _adjective(adjective: Adjective, agreement: Agreement) -> str:
    return morphology.agreeing(adjective.french, adjective.french_feminine, *agreement)


def _core(phrase: NounPhrase) -> list[str]:
    """Return the noun with its adjectives; short common adjectives precede it, the others follow."""
    noun = phrase.noun.french_plural if phrase.plural else phrase.noun.french
    feature = agreement(phrase)
    before = [_adjective(a, feature) for a in phrase.adjectives if a.french_before]
    after = [_adjective(a, feature) for a in phrase.adjectives if not a.french_before]
    if before:
        before[-1] = morphology.before(before[-1], noun)
    return [*before, noun, *after]


def _article(phrase: NounPhrase, core: list[str], bare_de: bool) -> list[str]:
    """Return the determiner; "bare" is partitive or "des", which is "de" before an adjective or after a negation."""
    name, many = phrase.determiner, phrase.plural
    if bare_de and name in ("a", "bare"):
        return ["de"]
    if name == "possessed":
        name = "the"
    if name != "bare":
        return [morphology.determiner(name, phrase.noun.french_gender, many)]
    if phrase.noun.mass:
        return morphology.partitive(phrase.noun.french_gender, core[0])
    return ["de"] if core[0] != phrase.noun.french_plural and phrase.adjectives[0].french_before else ["des"]


def _governed(preposition: str, nominal: Nominal) -> list[str]:
    """Put a preposition before a noun phrase; it contracts with each article, and "de" replaces "des" and "du"."""
    if isinstance(nominal, Coordination) and preposition in ("de", "à"):
        return [*_governed(preposition, nominal.first), "et", *_governed(preposition, nominal.second)]
    if preposition == "de" and isinstance(nominal, NounPhrase) and nominal.determiner == "bare":
        return _nominal(nominal, bare_de=True)
    return morphology.contracted(preposition, _nominal(nominal))


def _prepositional(phrase: PrepositionalPhrase) -> list[str]:
    if isinstance(phrase.nominal, TownPhrase):
        town = phrase.nominal.town
        french = phrase.preposition.french
        return [{"à": town.french_in, "de": town.french_from}.get(french, french), town.french]
    return _governed(phrase.preposition.french, phrase.nominal)


def _relative(relative: Relative, head: NounPhrase) -> list[str]:
    clause = relative.clause
    feature = agreement(head)
    match relative.role:
        case "subject":
            return ["qui", *_verb_phrase(clause.predicate, clause.subject)]
        case "possessor":
            return ["dont", *_clause(clause)]
        case "place":
            assert relative.preposition
            preposition = relative.preposition.french
            pronoun = ["où"] if preposition == "à" else _which(preposition, head)
        case "object":
            verb = clause.predicate.verb
            assert isinstance(verb, Verb)
            pronoun = _which(verb.french_preposition, head)
            moved = None if verb.french_preposition else feature
            predicate = _verb_phrase(clause.predicate, clause.subject, moved)
            return [*pronoun, *_subject(clause.subject), *predicate]
    return [*pronoun, *_clause(clause)]


def _which(preposition: str, head: NounPhrase) -> list[str]:
    """Return the relative pronoun: que, dont, à qui, avec qui, auquel, dans laquelle."""
    if not preposition:
        return ["que"]
    if preposition == "de":
        return ["dont"]
    if head.noun.kind == "person":
        return [preposition, "qui"]
    gender, many = agreement(head)
    quel = morphology.agreeing("quel", "quelle", gender, many)
    article = "les" if many else "la" if gender == "f" else "le"
    merged = morphology.contracted(preposition, [article, "quel"])
    return [*merged[:-2], f"{merged[-2]}{quel}"]
