"""Laws of word order and agreement that every German sentence keeps."""

from grammar_cases import adjective, parts, sample

from demo_grammar import german
from demo_grammar.derivation import Clause, NounPhrase, Pronoun, Relative, Subordination, VerbPhrase
from demo_grammar.lexicon import BE, GERMAN_VERBS

RELATIVE_PRONOUNS = {  # gender or plural: nominative, accusative, dative, genitive
    "m": ("der", "den", "dem", "dessen"),
    "f": ("die", "die", "der", "deren"),
    "n": ("das", "das", "dem", "dessen"),
    "p": ("die", "die", "denen", "deren"),
}
SAFE_COPULA = VerbPhrase(BE, predicates=(adjective("tired"),))


def test_german_relative_pronouns_agree() -> None:
    """Gender and number come from the noun, the case from the pronoun's role in its own clause."""
    checked = 0
    for derivation, _ in sample():
        for phrase in parts(derivation, NounPhrase):
            if phrase.relative is None or phrase.phrase or phrase.possessor:
                continue
            words = german.words(Clause(phrase, SAFE_COPULA))
            after_comma = words[words.index(",") + 1 :]
            preposition, case = expected_relative(phrase.relative)
            pronoun = RELATIVE_PRONOUNS["p" if phrase.plural else phrase.noun.german_gender][case]
            expected = [preposition, pronoun] if preposition else [pronoun]
            assert after_comma[: len(expected)] == expected, " ".join(words)
            checked += 1
    assert checked > 300


def expected_relative(relative: Relative) -> tuple[str, int]:
    """Return the preposition of a relative pronoun, and the index of its case in the table."""
    if relative.role in ("subject", "possessor"):
        return "", 0 if relative.role == "subject" else 3
    if relative.role == "place":
        assert relative.preposition
        return relative.preposition.german, 2
    verb = relative.clause.predicate.verb
    return verb.german_preposition, 1 if verb.case == "accusative" else 2


def finite_forms(clause: Clause, final: bool) -> set[str]:
    """Return the possible finite verbs of a clause: they agree with the head of the subject, however far it is."""
    phrase, subject = clause.predicate, clause.subject
    first_person = isinstance(subject, Pronoun) and subject.person == 1
    form = 2 if subject.plural else 0 if first_person else 1
    verb = phrase.verb.german
    if phrase.tense == "future":
        return {GERMAN_VERBS["werden"].present[form]}
    finite = phrase.modal.german if phrase.modal else verb
    if phrase.tense == "past":
        if finite.preterite:
            return {finite.preterite[form == 2]}
        return {GERMAN_VERBS[auxiliary].present[form] for auxiliary in ("haben", "sein")}
    return {finite.separable + finite.present[form] if final else finite.present[form]}


def test_german_main_clauses_are_verb_second() -> None:
    fronted = 0
    for derivation, _ in sample():
        if not isinstance(derivation, Clause):
            continue
        words = german.words(derivation)
        if derivation.fronted:
            first = len(derivation.fronted.german.split())
            fronted += 1
        else:  # the subject, as it stands before a plain copula
            first = len(german.words(Clause(derivation.subject, SAFE_COPULA))) - 3
        assert words[first] in finite_forms(derivation, final=False), " ".join(words)
    assert fronted > 50


def test_german_subordinate_clauses_are_verb_final() -> None:
    checked = 0
    for derivation, _ in sample():
        if isinstance(derivation, Subordination) and not derivation.first:
            words = german.words(derivation)
            assert words[-2] in finite_forms(derivation.subordinate, final=True), " ".join(words)
            checked += 1
    assert checked > 300
