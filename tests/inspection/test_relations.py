"""Subjects and antecedents are found in trees, and only where there is one."""

from collections.abc import Iterator
from itertools import islice

import pytest
from nltk.tree import Tree

from demo_grammar import derivations, english
from demo_grammar.derivation import Clause, Conjunction, Nominal, Pronoun, Sentence, Subordination
from transformer.inspection.relations import anaphora, subject
from transformer.parsing.trees import parse_tree, words_of

MEN = "(NP (NP (DT the) (NNS men)) (PP (IN in) (NP (NNP New) (NNP York))))"
BOX = "(NP (PRP$ my) (JJ old) (NN box))"


def pair(words: list[str], found: tuple[int, int] | None) -> tuple[str, str] | None:
    return found and (words[found[0]], words[found[1]])


@pytest.mark.parametrize(
    ("clause", "expected"),
    [
        (f"(S {MEN} (VP (VBP have) (VP (VBN slept))))", ("have", "men")),
        (f"(S {MEN} (VP (ADVP (RB often)) (VP (VBP sing)) (CC and) (VP (VBP dance))))", ("sing", "men")),
        (f"(S (PP (IN at) (NP (NN night))) (, ,) {MEN} (VP (VBP sing)))", ("sing", "men")),
        # A clause that comes first may be what the men said, or the first of two main clauses.
        (f"(S (S (NP (PRP it)) (VP (VBZ is))) (, ,) {MEN} (VP (VBD said)))", ("said", "men")),
        (f"(S (S {MEN} (VP (VBD said))) (CC and) (S (NP (PRP it)) (VP (VBD rained))))", ("said", "men")),
        # The owner is not the subject, and 's is not a word between.
        (
            "(S (NP (NP (NP (DT the) (NN king) (POS 's)) (NN dog)) (ADJP (JJ big) (JJ black))) (VP (MD may)))",
            ("may", "dog"),
        ),
        ("(S (NP (NP (DT the) (NN dog) (POS 's)) (NN ear)) (ADVP (RB now)) (VP (VBZ itches)))", None),
        ("(S (NP (PRP they)) (ADVP (RB very) (RB often)) (VP (VBP sing)))", None),
        ("(S (NP (NP (DT a) (NN dog)) (CC and) (NP (DT a) (JJ big) (NN cat))) (VP (VBP sing)))", None),
        (f"(S (NP (NP (CD 9) (NN %)) (PP (IN of) {MEN})) (VP (VBP sing)))", None),
        (f"(SQ (VBP do) {MEN} (VP (VB sing)))", None),
        (f"(NP {MEN} (SBAR (WHNP (WP who)) (S (VP (VBP sing)))))", None),
        (f"(S {MEN} (VP (TO to) (VP (VB sing))))", None),
    ],
)
def test_distant_subjects(clause: str, expected: tuple[str, str] | None) -> None:
    tree = parse_tree(f"(TOP {clause})")
    assert pair(words_of(tree), subject(tree)) == expected


def because(subject: str, pronoun: str) -> str:
    reason = f"(SBAR (IN because) (S (NP (PRP {pronoun})) (VP (VBD was))))"
    return f"(S {subject} (VP (VBD looked) (PP (IN at) {BOX}) {reason}))"


@pytest.mark.parametrize(
    ("clause", "expected"),
    [
        (because("(NP (DT a) (NN man))", "it"), ("it", "box")),
        (because("(NP (NNP Anna))", "she"), ("she", "Anna")),
        (because(MEN, "they"), ("they", "men")),
        (because("(NP (PRP I))", "they"), ("they", "box")),
        (because("(NP (PRP We))", "they"), None),
        (because("(NP (PRP He))", "he"), None),
        (because("(NP (NN man))", "we"), None),
        (
            f"(S (SBAR (IN if) (S (NP (NN man)) (VP (VBZ sleeps)))) (, ,) (NP (PRP he)) (VP (VBZ eats) {BOX}))",
            ("he", "man"),
        ),
        (f"(S {MEN} (VP (VP (VBD took) {BOX}) (CC and) (VP (VBD hid) (NP (PRP it)))))", ("it", "box")),
        (f"(S {MEN} (VP (VP (VBD took) {BOX}) (CC and) (VP (VBD hid) (NP (PRP him)))))", None),
        (f"(S {MEN} (VP (VP (VBD took) {BOX}) (CC and) (VP (VBD slept))))", None),
    ],
)
def test_antecedents(clause: str, expected: tuple[str, str] | None) -> None:
    tree = parse_tree(f"(TOP {clause})")
    assert pair(words_of(tree), anaphora(tree)) == expected


def pronouns(sentence: Sentence) -> Iterator[Nominal | None]:
    """The phrases of a derivation that may be the pronoun."""
    match sentence:
        case Clause(_, predicate, second):
            if second:
                yield second.object
            if predicate.content:
                yield predicate.content.subject
        case Subordination(main, _, subordinate):
            yield from (main.subject, subordinate.subject)
        case Conjunction(_, _, second):
            yield second.subject


def test_antecedents_are_those_of_the_derivation() -> None:
    """The trees of the demo corpus do not name antecedents, but the grammar that made them knows them."""
    found = 0
    for sentence in islice(derivations(seed=1), 3000):
        tree = Tree("TOP", [english.tree(sentence)])
        if places := anaphora(tree):
            word = words_of(tree)[places[1]].lower()
            nouns = [p.antecedent for p in pronouns(sentence) if isinstance(p, Pronoun)]
            # A pronoun for a name has no antecedent in the derivation.
            assert any(noun is None or word in (noun.english, noun.english_plural) for noun in nouns), tree
            found += 1
    assert found > 200
