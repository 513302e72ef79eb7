"""Realise a derivation in French: clitics, two-part negation, agreement of adjectives and participles, elision."""

from dataclasses import replace

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
    BE,
    DETERMINERS,
    FRENCH_VERBS,
    FUNCTION_WORDS,
    Name,
    PersonalPronoun,
    Town,
    pronoun_forms,
)

_BEFORE_VOWEL = {"ce": "cet", "ma": "mon", "sa": "son", "beau": "bel", "vieux": "vieil", "nouveau": "nouvel"}
_ELIDING = {"le", "la", "de", "que", "ne", "je", "me", "se"}
_CONTRACTIONS = {"de le": "du", "de les": "des", "à le": "au", "à les": "aux"}
_WHICH = ("le quel", "la quelle", "les quels", "les quelles")
_VOWELS = "aeiouyàâéèêëîïôöûùœæ"
_ASPIRATED = ("hérisson", "hibou", "haut", "handball")  # an h that blocks elision and liaison


def words(derivation: Sentence) -> list[str]:
    """Return the words and punctuation marks of a sentence."""
    match derivation:
        case Clause():
            parts = _clause(derivation)
        case Conjunction(first, conjunction, second):
            comma = [","] if conjunction == "but" else []
            parts = [*_clause(first), *comma, FUNCTION_WORDS[conjunction].french, *_clause(second)]
        case Subordination(main, conjunction, subordinate, first):
            inner = [FUNCTION_WORDS[conjunction].french, *_clause(subordinate)]
            parts = [*inner, ",", *_clause(main)] if first else [*_clause(main), *inner]
        case Existential(place, nominal, tense):
            verb = "avait" if tense == "past" else "a"
            parts = [*_prepositional(place), ",", "il", "y", verb, *_nominal(nominal)]
        case Question(clause, adverb):
            asked = [FUNCTION_WORDS[adverb].french] if adverb else []
            # In French, a space precedes the question mark.
            return _elided([*asked, "est-ce que", *_clause(clause), " ?"])
    return _elided([*parts, "."])


# --- clauses ----------------------------------------------------------------------------------------------


def _clause(clause: Clause) -> list[str]:
    parts = [*clause.fronted.french.split(), ","] if clause.fronted else []
    parts += [*_subject(clause.subject), *_verb_phrase(clause.predicate, clause.subject)]
    if clause.second:
        parts += ["et", *_verb_phrase(clause.second, clause.subject)]
    return parts


def _subject(nominal: Nominal) -> list[str]:
    if isinstance(nominal, Pronoun):
        return [_forms(nominal).french]
    return _nominal(nominal)


def _verb_phrase(phrase: VerbPhrase, subject: Nominal, moved: int = 0) -> list[str]:
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


def _verb_words(phrase: VerbPhrase, subject: Nominal, moved: int) -> tuple[str, list[str]]:
    """Return the finite verb, and its participle or infinitive."""
    verb, past, someone = phrase.verb.french, phrase.tense == "past", _person(subject)
    if phrase.modal or phrase.likes:
        governor = phrase.modal.french if phrase.modal else FRENCH_VERBS["aimer"]
        return (governor.imperfect if past else governor.present)[someone], [verb.infinitive]
    if phrase.tense == "future":
        return verb.future[someone], []
    if past and (phrase.verb is BE or phrase.aspect == "progressive"):
        return verb.imperfect[someone], []
    if past:
        auxiliary = FRENCH_VERBS[_auxiliary(phrase)]
        participle = verb.past_participle[_participle_agreement(phrase, subject, moved)]
        return auxiliary.present[someone], [participle]
    return verb.present[someone], []


def _person(subject: Nominal) -> int:
    """Return the index of a subject's form in a tense: je, il, nous, ils."""
    return 2 * subject.plural + (person_of(subject) == 3)


def _auxiliary(phrase: VerbPhrase) -> str:
    return "être" if phrase.verb.french_reflexive else phrase.verb.french.auxiliary


def _participle_agreement(phrase: VerbPhrase, subject: Nominal, moved: int) -> int:
    """Return the participle's agreement: after être with the subject, after avoir with a preceding direct object."""
    if _auxiliary(phrase) == "être":
        return agreement(subject)
    if isinstance(phrase.object, Pronoun) and not phrase.verb.french_preposition:
        return agreement(phrase.object)
    return moved


def _clitics(phrase: VerbPhrase, subject: Nominal) -> list[str]:
    """Return the reflexive pronoun, direct object or dative; derivations have at most one of them."""
    verb, object_ = phrase.verb, phrase.object
    clitics = []
    if verb.french_reflexive:
        clitics.append(pronoun_forms(person_of(subject), subject.plural, "m").french_reflexive)
    if isinstance(object_, Pronoun) and (not verb.french_preposition or verb.french_clitic):
        clitics.append(_forms(object_).french_dative if verb.french_clitic else _forms(object_).french_object)
    if _takes_en(phrase):
        clitics.append("en")
    if isinstance(phrase.recipient, Pronoun):
        clitics.append(_forms(phrase.recipient).french_dative)
    return clitics


def _takes_en(phrase: VerbPhrase) -> bool:
    """Return whether the object is "en", which replaces "de" and the pronoun of a thing: "elle en parle"."""
    thing = isinstance(phrase.object, Pronoun) and phrase.object.is_thing
    return thing and phrase.verb.french_preposition == "de"


def _complements(phrase: VerbPhrase, subject: Nominal, negated: bool) -> list[str]:
    """Return what follows the verbs: manner, object, recipient, complement, adjunct, time."""
    verb = phrase.verb
    parts = verb.light_noun.split()
    if phrase.manner and not phrase.manner.french_before:
        parts.append(phrase.manner.french)
    parts += _object(phrase, negated)
    if phrase.recipient and not isinstance(phrase.recipient, Pronoun):
        parts += _contracted("à", _nominal(phrase.recipient))
    parts += _predicates(phrase, subject)
    for dependent in (phrase.complement, phrase.adjunct):
        if dependent:
            parts += _prepositional(dependent)
    if phrase.time:
        parts += phrase.time.french.split()
    if phrase.infinitive:
        introduced = [verb.french_preposition] if verb.french_preposition else []
        parts += [*introduced, *_infinitive(phrase.infinitive, subject)]
    if phrase.content:
        parts += ["que", *_clause(phrase.content)]
    return parts


def _infinitive(phrase: VerbPhrase, subject: Nominal) -> list[str]:
    verb = phrase.verb.french.infinitive
    return [*_clitics(phrase, subject), verb, *_complements(phrase, subject, negated=False)]


def _object(phrase: VerbPhrase, negated: bool) -> list[str]:
    verb = phrase.verb
    if phrase.object is None:
        return []
    if isinstance(phrase.object, Pronoun):
        if not verb.french_preposition or verb.french_clitic or _takes_en(phrase):
            return []  # a clitic
        return [verb.french_preposition, _forms(phrase.object).french_stressed]
    object_ = phrase.object
    takes_article = "generic" in verb.traits or verb.incorporating
    if takes_article and isinstance(object_, NounPhrase) and object_.determiner == "bare":
        object_ = replace(object_, determiner="the")
    if verb.french_preposition:
        return _governed(verb.french_preposition, object_)
    return _nominal(object_, bare_de=negated and "generic" not in verb.traits)


def _predicates(phrase: VerbPhrase, subject: Nominal) -> list[str]:
    adjectives = [adjective.french[agreement(subject)] for adjective in phrase.predicates]
    return [word for adjective in adjectives for word in ("et", adjective)][1:]


# --- noun phrases -----------------------------------------------------------------------------------------


def agreement(nominal: Nominal) -> int:
    """Return the index of the form that agrees with a noun phrase: masculine, feminine, and their plurals."""
    return 2 * nominal.plural + (_gender(nominal) == "f")


def _gender(nominal: Nominal) -> str:
    """Return the gender of a noun phrase; a coordination is feminine if both parts are."""
    match nominal:
        case NounPhrase(noun):
            return noun.french_gender
        case Name():
            return "f" if nominal.pronoun == "she" else "m"
        case Coordination(first, second):
            return "f" if _gender(first) == _gender(second) == "f" else "m"
        case Pronoun():
            return nominal.antecedent.french_gender if nominal.antecedent else nominal.gender


def _forms(pronoun: Pronoun) -> PersonalPronoun:
    return pronoun_forms(pronoun.person, pronoun.plural, _gender(pronoun))


def _nominal(nominal: Nominal, bare_de: bool = False) -> list[str]:
    match nominal:
        case Name():
            return [nominal.text]
        case Coordination(first, second):
            return [*_nominal(first), "et", *_nominal(second)]
        case NounPhrase():
            return _noun_phrase(nominal, bare_de)
        case Pronoun():
            return [_forms(nominal).french_stressed]


def _noun_phrase(phrase: NounPhrase, bare_de: bool) -> list[str]:
    core = _core(phrase)
    article = _article(phrase, core, bare_de)
    if len(article) == 1:
        article = [_before(article[0], core[0])]
    parts = [*article, *core]
    if phrase.possessor:
        parts += _governed("de", phrase.possessor)
    if phrase.phrase:
        parts += _prepositional(phrase.phrase)
    if phrase.relative:
        parts += _relative(phrase.relative, phrase)
    return parts


def _core(phrase: NounPhrase) -> list[str]:
    """Return the noun with its adjectives; short common adjectives precede it, the others follow."""
    noun = phrase.noun.french_plural if phrase.plural else phrase.noun.french
    feature = agreement(phrase)
    before = [a.french[feature] for a in phrase.adjectives if a.french_before]
    after = [a.french[feature] for a in phrase.adjectives if not a.french_before]
    if before and not phrase.plural:  # the plural "vieux" has no other form
        before[-1] = _before(before[-1], noun)
    return [*before, noun, *after]


def _article(phrase: NounPhrase, core: list[str], bare_de: bool) -> list[str]:
    """Return the determiner; "bare" is partitive or "des", which is "de" before an adjective or after a negation."""
    if bare_de and phrase.determiner in ("a", "bare"):
        return ["de"]
    if phrase.determiner != "bare":
        row = DETERMINERS["the" if phrase.determiner == "possessed" else phrase.determiner]
        return [row.french_p if phrase.plural else row.french_f if _gender(phrase) == "f" else row.french_m]
    if phrase.noun.mass:
        return _partitive(_gender(phrase), core[0])
    return ["de"] if core[0] != phrase.noun.french_plural and phrase.adjectives[0].french_before else ["des"]


def _partitive(gender: str, next_word: str) -> list[str]:
    """Return the article of a mass noun: "du pain", "de la viande", "de l'eau"."""
    if _starts_with_vowel(next_word):
        return ["de", "le"]
    return ["du"] if gender == "m" else ["de", "la"]


def _governed(preposition: str, nominal: Nominal) -> list[str]:
    """Put a preposition before a noun phrase; it contracts with each article, and "de" replaces "des" and "du"."""
    if isinstance(nominal, Coordination) and preposition in ("de", "à"):
        return [*_governed(preposition, nominal.first), "et", *_governed(preposition, nominal.second)]
    if preposition == "de" and isinstance(nominal, NounPhrase) and nominal.determiner == "bare":
        return _nominal(nominal, bare_de=True)
    return _contracted(preposition, _nominal(nominal))


def _prepositional(phrase: PrepositionalPhrase) -> list[str]:
    if isinstance(phrase.nominal, Town):
        town = phrase.nominal
        french = phrase.preposition.french
        special = {"à": town.french_in, "de": town.french_from}.get(french)
        if special:
            return [special, town.french]
        return [french, *town.french_article.split(), town.french]  # "sur le Japon", "sur Paris"
    return _governed(phrase.preposition.french, phrase.nominal)


def _relative(relative: Relative, head: NounPhrase) -> list[str]:
    clause = relative.clause
    match relative.role:
        case "subject":
            return ["qui", *_verb_phrase(clause.predicate, clause.subject)]
        case "possessor":
            return ["dont", *_clause(clause)]
        case "place":
            assert relative.preposition
            preposition = relative.preposition.french
            pronoun = ["où"] if preposition == "à" else _which(preposition, head)
            return [*pronoun, *_clause(clause)]
        case "object":
            preposition = clause.predicate.verb.french_preposition
            moved = 0 if preposition else agreement(head)
            predicate = _verb_phrase(clause.predicate, clause.subject, moved)
            return [*_which(preposition, head), *_subject(clause.subject), *predicate]


def _which(preposition: str, head: NounPhrase) -> list[str]:
    """Return the relative pronoun: que, dont, à qui, avec qui, auquel, dans laquelle."""
    if not preposition:
        return ["que"]
    if preposition == "de":
        return ["dont"]
    if head.noun.kind == "person":
        return [preposition, "qui"]
    article, quel = _WHICH[agreement(head)].split()
    *words, article, quel = _contracted(preposition, [article, quel])
    return [*words, article + quel]


# --- spelling ---------------------------------------------------------------------------------------------


def _starts_with_vowel(word: str) -> bool:
    """Return whether a word begins with a vowel or a mute h, and so elides the word before it."""
    word = word.lower()
    return word[0] in _VOWELS or (word[0] == "h" and not word.startswith(_ASPIRATED))


def _before(word: str, next_word: str) -> str:
    """Return the form of a word before the next one: "cet homme", "mon école", "bel arbre", "vieil homme"."""
    return _BEFORE_VOWEL.get(word, word) if _starts_with_vowel(next_word) else word


def _elided(words: list[str]) -> list[str]:
    """Elide the last vowel of a word and join it to the next one: "l'homme", "qu'elle", "s'il", "parce qu'on"."""
    joined: list[str] = []
    for word in words:
        previous = joined[-1] if joined else ""
        last = previous.rpartition(" ")[2].lower()
        if (last in _ELIDING and _starts_with_vowel(word)) or (last == "si" and word in ("il", "ils")):
            joined[-1] = f"{previous[:-1]}'{word}"
        else:
            joined.append(word)
    return joined


def _contracted(preposition: str, phrase: list[str]) -> list[str]:
    """Put a preposition before a noun phrase: "de" and "à" contract with "le" and "les" to "du", "des", "au", "aux".

    Call it for articles only: the pronouns "le" and "les" do not contract.  Before a vowel, "le" elides instead.
    """
    *before, last = preposition.split()
    merged = _CONTRACTIONS.get(f"{last} {phrase[0]}")
    if merged and (phrase[0] == "les" or not _starts_with_vowel(phrase[1])):
        return [*before, merged, *phrase[1:]]
    return [*before, last, *phrase]
