"""Realise a derivation in English, as a constituency tree in the style of the Penn Treebank."""

from nltk.tree import Tree

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
)
from demo_grammar.lexicon import BE, DETERMINERS, ENGLISH_VERBS, Name, Town, pronoun_forms


def tree(derivation: Sentence) -> Tree:
    """Return the tree of a sentence, with its capital and its final punctuation."""
    root = _root(derivation)
    root.append(_word(".", "?" if isinstance(derivation, Question) else "."))
    first = root.leaf_treeposition(0)
    root[first] = root[first][0].upper() + root[first][1:]
    return root


def _word(tag: str, text: str) -> Tree:
    return Tree(tag, [text])


def _node(label: str, *children: Tree | None) -> Tree:
    """Return a constituent; a child that is None is left out."""
    return Tree(label, [child for child in children if child is not None])


def _root(derivation: Sentence) -> Tree:
    match derivation:
        case Clause():
            return _clause(derivation)
        case Conjunction(first, conjunction, second):
            return _node("S", _clause(first), _word(",", ","), _word("CC", conjunction), _clause(second))
        case Subordination(main, conjunction, subordinate, first):
            return _subordination(main, conjunction, subordinate, first)
        case Existential():
            return _existential(derivation)
        case Question(clause, adverb):
            inverted = _inverted(clause)
            return _node("SBARQ", _node("WHADVP", _word("WRB", adverb)), inverted) if adverb else inverted


def _subordination(main: Clause, conjunction: str, subordinate: Clause, first: bool) -> Tree:
    inner = _clause(subordinate)
    if conjunction == "when":
        sbar = _node("SBAR", _node("WHADVP", _word("WRB", "when")), inner)
    else:
        sbar = _node("SBAR", _word("IN", conjunction), inner)
    matrix = _clause(main)
    if first:
        return _node("S", sbar, _word(",", ","), *matrix)
    *before, verb_phrase = matrix
    inside = _node("VP", *verb_phrase, sbar)
    return _node("S", *before, inside)


def _existential(derivation: Existential) -> Tree:
    verb = _be("are" if derivation.nominal.plural else "is", derivation.tense == "past")
    there = _node("NP", _word("EX", "there"))
    predicate = _node("VP", verb, _nominal(derivation.nominal))
    return _node("S", _prepositional(derivation.place), there, predicate)


# --- clauses ----------------------------------------------------------------------------------------------


def _agreement(subject: Nominal) -> str:
    """Return the form of "be" that agrees with a subject: "am", "is" or "are"."""
    if subject.plural:
        return "are"
    return "am" if isinstance(subject, Pronoun) and subject.person == 1 else "is"


def _clause(clause: Clause) -> Tree:
    agreement = _agreement(clause.subject)
    predicate = _verb_phrase(clause.predicate, agreement)
    if clause.second:
        predicate = _node("VP", predicate, _word("CC", "and"), _verb_phrase(clause.second, agreement))
    subject = _nominal(clause.subject, subject=True)
    if clause.fronted:
        return _node("S", Tree.fromstring(clause.fronted.english), _word(",", ","), subject, predicate)
    return _node("S", subject, predicate)


def _inverted(clause: Clause) -> Tree:
    """Return a question: the auxiliary, or "do", precedes the subject."""
    auxiliary, main = _verb_words(clause.predicate, _agreement(clause.subject), with_do=True)
    predicate = [_main_phrase(clause.predicate, main)] if main else _complements(clause.predicate)
    return _node("SQ", auxiliary, _nominal(clause.subject, subject=True), *predicate)


def _verb_phrase(phrase: VerbPhrase, agreement: str) -> Tree:
    """Return a finite verb phrase; an auxiliary has a VP of its own, as in the Penn Treebank."""
    auxiliary, main = _verb_words(phrase, agreement, with_do=phrase.negated)
    negation = _word("RB", "not") if phrase.negated else None
    frequency = Tree.fromstring(phrase.frequency.english) if phrase.frequency else None
    if main is None:
        return _node("VP", auxiliary, negation, frequency, *_complements(phrase))
    inner = _main_phrase(phrase, main)
    if auxiliary is None:
        return _node("VP", frequency, *inner)
    return _node("VP", auxiliary, negation, frequency, inner)


def _verb_words(phrase: VerbPhrase, agreement: str, with_do: bool) -> tuple[Tree | None, Tree | None]:
    """Return the auxiliary and the main verb; a finite "be" is an auxiliary without a main verb.

    ``with_do`` replaces a form without auxiliary by "do" and the infinitive.
    """
    past, third = phrase.tense == "past", agreement == "is"
    verb = phrase.verb.english
    if phrase.likes or (phrase.modal and phrase.modal.to):
        verb = ENGLISH_VERBS["like" if phrase.likes else "want"]
    elif phrase.modal:
        modal = phrase.modal.past if past else phrase.modal.english
        return _word("MD", modal), _word("VB", verb.infinitive)
    elif phrase.tense == "future":
        return _word("MD", "will"), _word("VB", verb.infinitive)
    elif phrase.verb is BE:
        return _be(agreement, past), None
    elif phrase.aspect == "progressive":
        return _be(agreement, past), _word("VBG", verb.gerund)
    elif phrase.aspect == "perfect":
        auxiliary = _word("VBZ", "has") if third else _word("VBP", "have")
        return auxiliary, _word("VBN", verb.past_participle)
    tag = "VBD" if past else "VBZ" if third else "VBP"
    if with_do:
        return _word(tag, "did" if past else "does" if third else "do"), _word("VB", verb.infinitive)
    form = verb.past if past else verb.third_person if third else verb.infinitive
    return None, _word(tag, form)


def _be(agreement: str, past: bool) -> Tree:
    if past:
        return _word("VBD", "were" if agreement == "are" else "was")
    return _word("VBZ" if agreement == "is" else "VBP", agreement)


def _main_phrase(phrase: VerbPhrase, main: Tree) -> Tree:
    """Return the VP of the main verb; "want to" and "like to" contain an infinitive."""
    if phrase.likes or (phrase.modal and phrase.modal.to):
        return _node("VP", main, _infinitive(phrase))
    return _node("VP", main, *_complements(phrase))


def _infinitive(phrase: VerbPhrase) -> Tree:
    verb = _word("VB", phrase.verb.english.infinitive)
    return _node("S", _node("VP", _word("TO", "to"), _node("VP", verb, *_complements(phrase))))


def _complements(phrase: VerbPhrase) -> list[Tree | None]:
    """Return what follows the main verb."""
    return [
        *_arguments(phrase),
        _prepositional(phrase.complement) if phrase.complement else None,
        _predicates(phrase) if phrase.predicates else None,
        _infinitive(phrase.infinitive) if phrase.infinitive else None,
        Tree.fromstring(phrase.manner.english) if phrase.manner else None,
        _prepositional(phrase.adjunct) if phrase.adjunct else None,
        Tree.fromstring(phrase.time.english) if phrase.time else None,
        _node("SBAR", _word("IN", "that"), _clause(phrase.content)) if phrase.content else None,
    ]


def _arguments(phrase: VerbPhrase) -> list[Tree]:
    verb = phrase.verb
    particle = [_node("PRT", _word("RP", verb.particle))] if verb.particle else []
    if phrase.object is None:
        return particle
    if verb.english_preposition:
        governed = _node("PP", _word("IN", verb.english_preposition), _nominal(phrase.object))
        return [*particle, governed]
    direct = [_nominal(phrase.object)]
    # A pronoun precedes the particle ("puts it on"), a noun phrase follows it.
    direct = direct + particle if isinstance(phrase.object, Pronoun) else particle + direct
    if phrase.recipient is None:
        return direct
    recipient = _nominal(phrase.recipient)
    if phrase.recipient_first:
        return [recipient, *direct]
    return [*direct, _node("PP", _word("TO", "to"), recipient)]


def _predicates(phrase: VerbPhrase) -> Tree:
    words = [_word("JJ", adjective.english) for adjective in phrase.predicates]
    return _node("ADJP", words[0], *(word for other in words[1:] for word in (_word("CC", "and"), other)))


# --- noun phrases -----------------------------------------------------------------------------------------


def _nominal(nominal: Nominal, subject: bool = False) -> Tree:
    match nominal:
        case Pronoun():
            forms = pronoun_forms(nominal.person, nominal.plural, nominal.gender)
            return _node("NP", _word("PRP", forms.english if subject else forms.english_object))
        case Name():
            return _node("NP", _word("NNP", nominal.text))
        case Coordination(first, second):
            return _node("NP", _nominal(first), _word("CC", "and"), _nominal(second))
        case NounPhrase():
            return _noun_phrase(nominal)


def _noun_phrase(phrase: NounPhrase) -> Tree:
    core = _node("NP", *_determiner(phrase), *_head(phrase))
    if phrase.possessor and phrase.determiner != "possessed":
        core = _node("NP", core, _node("PP", _word("IN", "of"), _nominal(phrase.possessor)))
    if phrase.phrase:
        core = _node("NP", core, _prepositional(phrase.phrase))
    if phrase.relative:
        core = _node("NP", core, _relative(phrase.relative, phrase))
    return core


def _head(phrase: NounPhrase) -> list[Tree]:
    adjectives = [_word("JJ", adjective.english) for adjective in phrase.adjectives]
    noun = phrase.noun
    if phrase.plural:
        return [*adjectives, _word("NNS", noun.english_plural)]
    return [*adjectives, _word("NN", noun.english)]


def _determiner(phrase: NounPhrase) -> list[Tree]:
    if phrase.determiner == "bare":
        return []
    if phrase.determiner == "possessed" and phrase.possessor:
        owner = _nominal(phrase.possessor)
        return [_node("NP", *owner, _word("POS", "'s"))]
    row = DETERMINERS[phrase.determiner]
    word = row.english_plural if phrase.plural else row.english
    return [_word(row.english_tag, _an(_head(phrase)[0][0]) if word == "a" else word)]


def _an(next_word: str) -> str:
    """Return "a" or "an", by the first sound of the next word."""
    vowel = next_word[0].lower() in "aeiou" and not next_word.startswith("uni")
    return "an" if vowel or next_word.startswith("honest") else "a"


def _prepositional(phrase: PrepositionalPhrase) -> Tree:
    words = phrase.preposition.english.split()
    if isinstance(phrase.nominal, Town):
        inner = _node("NP", _word("NNP", phrase.nominal.english))
    else:
        inner = _nominal(phrase.nominal)
    if len(words) == 3:  # "in front of"
        inner = _node("NP", _node("NP", _word("NN", words[1])), _node("PP", _word("IN", words[2]), inner))
    elif len(words) == 2:  # "next to"
        return _node("ADVP", _word("JJ", words[0]), _node("PP", _word("TO", words[1]), inner))
    return _node("PP", _word("TO" if words[0] == "to" else "IN", words[0]), inner)


def _relative(relative: Relative, head: NounPhrase) -> Tree:
    person = head.noun.kind == "person"
    clause = relative.clause
    match relative.role:
        case "subject":
            pronoun = _word("WP", "who") if person else _word("WDT", "that")
            predicate = _verb_phrase(clause.predicate, "are" if head.plural else "is")
            return _node("SBAR", _node("WHNP", pronoun), _node("S", predicate))
        case "possessor":
            assert isinstance(clause.subject, NounPhrase)
            owned = _node("WHNP", _word("WP$", "whose"), *_head(clause.subject))
            predicate = _verb_phrase(clause.predicate, _agreement(clause.subject))
            return _node("SBAR", owned, _node("S", predicate))
        case _:
            return _node("SBAR", _fronted_relative(relative, person), _clause(clause))


def _fronted_relative(relative: Relative, person: bool) -> Tree:
    """Return "that", "whom", or "for which" with the preposition that the clause lacks."""
    preposition = relative.preposition.english if relative.preposition else ""
    if relative.role == "object":
        preposition = relative.clause.predicate.verb.english_preposition
    if preposition:
        governed = _node("WHNP", _word("WP", "whom") if person else _word("WDT", "which"))
        return _node("WHPP", _word("IN", preposition), governed)
    return _node("WHNP", _word("WP", "whom") if person else _word("WDT", "that"))
