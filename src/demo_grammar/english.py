"""Realising a derivation in English, as a constituency tree in the style of the Penn Treebank."""

from functools import cache

from demo_grammar import morphology_english as morphology
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
)
from demo_grammar.english_trees import Tree, capitalised, leaves, node, parsed
from demo_grammar.lexicon import Adverb

_PRONOUNS = {  # subject, object
    (1, False): ("I", "me"), (1, True): ("we", "us"), (3, True): ("they", "them"),
    "m": ("he", "him"), "f": ("she", "her"), "n": ("it", "it"),
}  # fmt: skip
_POSSESSIVES = ("my", "his", "her", "our", "their")
_TAGS = {"many": "JJ", "several": "JJ", "two": "CD", "three": "CD", "four": "CD"}


def tree(derivation: Sentence) -> Tree:
    """The tree of a sentence, with its capital and its final punctuation."""
    match derivation:
        case Clause():
            return capitalised(_finished(_clause(derivation)))
        case Conjunction(first, conjunction, second):
            joined = node("S", _clause(first), _comma(), Tree("CC", conjunction), _clause(second))
            return capitalised(_finished(joined))
        case Subordination(main, conjunction, subordinate, first):
            return capitalised(_finished(_subordination(main, conjunction, subordinate, first)))
        case Existential():
            return capitalised(_finished(_existential(derivation)))
        case Question(clause, adverb):
            inverted = _inverted(clause)
            if adverb:
                inverted = node("SBARQ", node("WHADVP", Tree("WRB", adverb)), inverted)
            return capitalised(_finished(inverted, "?"))


def _finished(clause: Tree, mark: str = ".") -> Tree:
    return node(clause.label, *_children(clause), Tree(".", mark))


def _children(tree: Tree) -> tuple[Tree, ...]:
    assert not isinstance(tree.children, str), "a word has no children"
    return tree.children


def _comma() -> Tree:
    return Tree(",", ",")


def _subordination(main: Clause, conjunction: str, subordinate: Clause, first: bool) -> Tree:
    inner = _clause(subordinate)
    if conjunction == "when":
        sbar = node("SBAR", node("WHADVP", Tree("WRB", "when")), inner)
    else:
        sbar = node("SBAR", Tree("IN", conjunction), inner)
    matrix = _clause(main)
    if first:
        return node("S", sbar, _comma(), *_children(matrix))
    *before, verb_phrase = _children(matrix)
    inside = node("VP", *_children(verb_phrase), sbar)
    return node("S", *before, inside)


def _existential(derivation: Existential) -> Tree:
    plural = derivation.nominal.plural
    be = ("were" if plural else "was") if derivation.tense == "past" else ("are" if plural else "is")
    verb = Tree("VBD" if derivation.tense == "past" else "VBP" if plural else "VBZ", be)
    return node(
        "S",
        _prepositional(derivation.place),
        node("NP", Tree("EX", "there")),
        node("VP", verb, _nominal(derivation.nominal)),
    )


# --- clauses ----------------------------------------------------------------------------------------------


def _agreement(subject: Nominal) -> str:
    """What the verb agrees with: "am", "is" or "are"."""
    if subject.plural:
        return "are"
    return "am" if isinstance(subject, Pronoun) and subject.person == 1 else "is"


def _clause(clause: Clause) -> Tree:
    agreement = _agreement(clause.subject)
    predicate = _verb_phrase(clause.predicate, agreement)
    if clause.second:
        predicate = node("VP", predicate, Tree("CC", "and"), _verb_phrase(clause.second, agreement))
    subject = _nominal(clause.subject, subject=True)
    if clause.fronted:
        return node("S", _adverb_tree(clause.fronted.english), _comma(), subject, predicate)
    return node("S", subject, predicate)


def _inverted(clause: Clause) -> Tree:
    """Subject and auxiliary change places; "do" stands in where there is no auxiliary."""
    auxiliaries, main = _verb_words(clause.predicate, _agreement(clause.subject), emphatic=True)
    inner = _body(clause.predicate, main) if main else None
    for auxiliary in reversed(auxiliaries[1:]):
        inner = node("VP", auxiliary, inner)
    predicate = (inner,) if inner else _complements(clause.predicate)
    return node("SQ", auxiliaries[0], _nominal(clause.subject, subject=True), *predicate)


def _verb_phrase(phrase: VerbPhrase, agreement: str) -> Tree:
    """A finite verb phrase: one VP an auxiliary, as the Penn Treebank nests them."""
    emphatic = phrase.negation == "not"
    auxiliaries, main = _verb_words(phrase, agreement, emphatic)
    negation = Tree("RB", "not") if phrase.negation else None
    frequency = node("ADVP", Tree("RB", phrase.frequency.english)) if phrase.frequency else None
    if main is None:  # the copula
        return node("VP", auxiliaries[0], negation, frequency, *_complements(phrase))
    inner = _body(phrase, main)
    if not auxiliaries:
        return node("VP", frequency, *_children(inner))
    for auxiliary in reversed(auxiliaries[1:]):
        inner = node("VP", auxiliary, inner)
    return node("VP", auxiliaries[0], negation, frequency, inner)


def _verb_words(phrase: VerbPhrase, agreement: str, emphatic: bool) -> tuple[list[Tree], Tree | None]:
    """The auxiliaries and the main verb; no main verb for the copula."""
    past, third = phrase.tense == "past", agreement == "is"
    if phrase.verb == "be":
        if phrase.tense == "future":
            return [Tree("MD", "will")], Tree("VB", "be")
        return [_be(agreement, past)], None
    verb = phrase.verb.english
    if phrase.likes or (phrase.modal and phrase.modal.to):
        finite = _finite("like" if phrase.likes else "want", past, third, emphatic)
        return finite[:-1], finite[-1]
    if phrase.modal:
        return [Tree("MD", phrase.modal.past if past else phrase.modal.present)], Tree("VB", verb)
    if phrase.tense == "future":
        return [Tree("MD", "will")], Tree("VB", verb)
    if phrase.aspect == "progressive":
        return [_be(agreement, past)], Tree("VBG", morphology.gerund(verb))
    if phrase.aspect == "perfect":
        auxiliary = Tree("VBZ", "has") if third else Tree("VBP", "have")
        return [auxiliary], Tree("VBN", morphology.past_participle(verb))
    finite = _finite(verb, past, third, emphatic)
    return finite[:-1], finite[-1]


def _finite(verb: str, past: bool, third: bool, emphatic: bool) -> list[Tree]:
    """A simple form, or with ``emphatic`` "do" and the infinitive."""
    tag = "VBD" if past else "VBZ" if third else "VBP"
    if emphatic:
        return [Tree(tag, "did" if past else "does" if third else "do"), Tree("VB", verb)]
    return [Tree(tag, morphology.past(verb) if past else morphology.third_person(verb) if third else verb)]


def _be(agreement: str, past: bool) -> Tree:
    if past:
        return Tree("VBD", "were" if agreement == "are" else "was")
    return Tree("VBZ" if agreement == "is" else "VBP", agreement)


def _body(phrase: VerbPhrase, main: Tree) -> Tree:
    """The VP of the main verb; "wants to" and "likes to" hold theirs in an infinitive."""
    if phrase.likes or (phrase.modal and phrase.modal.to):
        return node("VP", main, _infinitive(phrase))
    return node("VP", main, *_complements(phrase))


def _infinitive(phrase: VerbPhrase) -> Tree:
    verb = phrase.verb if isinstance(phrase.verb, str) else phrase.verb.english
    return node("S", node("VP", Tree("TO", "to"), node("VP", Tree("VB", verb), *_complements(phrase))))


def _complements(phrase: VerbPhrase) -> tuple[Tree | None, ...]:
    """What follows the main verb."""
    return (
        *_arguments(phrase),
        _prepositional(phrase.complement) if phrase.complement else None,
        _predicates(phrase) if phrase.predicates else None,
        _infinitive(phrase.infinitive) if phrase.infinitive else None,
        node("ADVP", Tree("RB", phrase.manner.english)) if phrase.manner else None,
        _prepositional(phrase.instrument) if phrase.instrument else None,
        _prepositional(phrase.place) if phrase.place else None,
        _adverb_tree(phrase.time.english) if phrase.time else None,
        node("SBAR", Tree("IN", "that"), _clause(phrase.content)) if phrase.content else None,
    )


def _arguments(phrase: VerbPhrase) -> list[Tree]:
    verb = phrase.verb
    if verb == "be":
        return []
    particle = [node("PRT", Tree("RP", verb.particle))] if verb.particle else []
    if phrase.object is None:
        return particle
    if verb.english_preposition:
        governed = node("PP", Tree("IN", verb.english_preposition), _nominal(phrase.object))
        return [*particle, governed]
    direct = [_nominal(phrase.object)]
    # A pronoun stands before the particle ("puts it on"), a noun phrase behind it.
    direct = direct + particle if isinstance(phrase.object, Pronoun) else particle + direct
    if phrase.recipient is None:
        return direct
    recipient = _nominal(phrase.recipient)
    return (
        [recipient, *direct] if phrase.recipient_first else [*direct, node("PP", Tree("TO", "to"), recipient)]
    )


def _predicates(phrase: VerbPhrase) -> Tree:
    words = [Tree("JJ", adjective.english) for adjective in phrase.predicates]
    return node("ADJP", words[0], *(word for other in words[1:] for word in (Tree("CC", "and"), other)))


@cache
def _adverb_tree(bracketed: str) -> Tree:
    return parsed(bracketed)


def adverb_words(adverb: Adverb) -> str:
    """The words of a time adverbial."""
    return " ".join(leaves(_adverb_tree(adverb.english)))


# --- noun phrases -----------------------------------------------------------------------------------------


def _nominal(nominal: Nominal, subject: bool = False) -> Tree:
    match nominal:
        case Pronoun():
            key = (
                nominal.gender
                if nominal.person == 3 and not nominal.plural
                else (nominal.person, nominal.plural)
            )
            return node("NP", Tree("PRP", _PRONOUNS[key][0 if subject else 1]))
        case NamePhrase(name):
            return node("NP", Tree("NNP", name.text))
        case Coordination(first, second):
            return node("NP", _nominal(first), Tree("CC", "and"), _nominal(second))
        case NounPhrase():
            return _noun_phrase(nominal)


def _noun_phrase(phrase: NounPhrase) -> Tree:
    core = node("NP", *_determiner(phrase), *_head(phrase))
    if phrase.possessor and phrase.determiner != "possessed":
        core = node("NP", core, node("PP", Tree("IN", "of"), _nominal(phrase.possessor)))
    if phrase.phrase:
        core = node("NP", core, _prepositional(phrase.phrase))
    if phrase.relative:
        core = node("NP", core, _relative(phrase.relative, phrase))
    return core


def _head(phrase: NounPhrase) -> list[Tree]:
    adjectives = [Tree("JJ", adjective.english) for adjective in phrase.adjectives]
    noun = Tree("NNS" if phrase.plural else "NN", phrase.noun.english[phrase.plural])
    return [*adjectives, noun]


def _determiner(phrase: NounPhrase) -> list[Tree]:
    name = phrase.determiner
    if name == "bare":
        return []
    if name == "possessed" and phrase.possessor:
        owner = _nominal(phrase.possessor)
        return [node("NP", *_children(owner), Tree("POS", "'s"))]
    if name == "a":
        name = morphology.indefinite_article(leaves(_head(phrase)[0])[0])
    if name == "this" and phrase.plural:
        name = "these"
    return [Tree("PRP$" if name in _POSSESSIVES else _TAGS.get(name, "DT"), name)]


def _prepositional(phrase: PrepositionalPhrase) -> Tree:
    words = phrase.preposition.english.split()
    if isinstance(phrase.nominal, TownPhrase):
        inner = node("NP", Tree("NNP", phrase.nominal.town.english))
    else:
        inner = _nominal(phrase.nominal)
    if len(words) == 3:  # "in front of"
        inner = node("NP", node("NP", Tree("NN", words[1])), node("PP", Tree("IN", words[2]), inner))
    elif len(words) == 2:  # "next to"
        return node("ADVP", Tree("JJ", words[0]), node("PP", Tree("TO", words[1]), inner))
    return node("PP", Tree("TO" if words[0] == "to" else "IN", words[0]), inner)


def _relative(relative: Relative, head: NounPhrase) -> Tree:
    person = "person" in head.noun.tags
    clause = relative.clause
    match relative.role:
        case "subject":
            pronoun = Tree("WP", "who") if person else Tree("WDT", "that")
            predicate = _verb_phrase(clause.predicate, "are" if head.plural else "is")
            return node("SBAR", node("WHNP", pronoun), node("S", predicate))
        case "possessor":
            assert isinstance(clause.subject, NounPhrase)
            owned = node("WHNP", Tree("WP$", "whose"), *_head(clause.subject))
            return node("SBAR", owned, node("S", _verb_phrase(clause.predicate, _agreement(clause.subject))))
        case _:
            return node("SBAR", _fronted_relative(relative, person), _clause(clause))


def _fronted_relative(relative: Relative, person: bool) -> Tree:
    """ "that", "whom", or with the preposition that the clause lacks "for which"."""
    verb = relative.clause.predicate.verb
    preposition = relative.preposition.english if relative.preposition else ""
    if relative.role == "object" and verb != "be":
        preposition = verb.english_preposition
    if preposition:
        governed = node("WHNP", Tree("WP", "whom") if person else Tree("WDT", "which"))
        return node("WHPP", Tree("IN", preposition), governed)
    return node("WHNP", Tree("WP", "whom") if person else Tree("WDT", "that"))
