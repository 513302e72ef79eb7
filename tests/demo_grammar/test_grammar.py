"""Laws that every generated sentence keeps, and what the corpus as a whole must be."""

import hashlib
import re
from itertools import islice

import pytest
from grammar_cases import adjective, parts, sample
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics import BLEU

from demo_grammar import LONGEST, generate, german, splits
from demo_grammar import morphology_german as morphology
from demo_grammar.derivation import (
    Clause,
    NounPhrase,
    Pronoun,
    Relative,
    Subordination,
    VerbPhrase,
)
from demo_grammar.dictionary import dictionary, word_for_word
from demo_grammar.english_trees import bracketed, leaves, parsed, tokens
from demo_grammar.lexicon import ADJECTIVES, NOUNS, VERBS, Verb

LABELS = set(
    "S SBAR SBARQ SQ NP VP PP ADJP ADVP PRT WHNP WHPP WHADVP NN NNS NNP PRP PRP$ POS DT CD JJ RB RP IN TO CC MD EX "
    "VB VBZ VBP VBD VBN VBG WP WP$ WDT WRB . ,".split()
)
VOWEL_NOUNS = {noun.french[0] for noun in NOUNS if noun.french[0][0] in "aeiouéèêâîôœ"}
INFINITIVES = {verb.french for verb in VERBS}
RELATIVE_PRONOUNS = {  # gender or plural: nominative, accusative, dative, genitive
    "m": ("der", "den", "dem", "dessen"),
    "f": ("die", "die", "der", "deren"),
    "n": ("das", "das", "dem", "dessen"),
    "p": ("die", "die", "denen", "deren"),
}
CORPUS_SHA256 = "2cef85f82028af25522e09e0a1c37e767ee822018c663e70ac792e4c8d27c09e"  # 200 examples of seed 1
SAFE_COPULA = VerbPhrase("be", predicates=(adjective("tired"),))


@settings(max_examples=25, deadline=None)
@given(st.integers(min_value=0, max_value=2**63))
def test_a_tree_is_its_sentence(seed: int) -> None:
    for example in islice(generate(seed), 3):
        tree = parsed(example.tree)
        assert leaves(tree) == tokens(example.english)
        assert bracketed(tree) == example.tree
        assert set(re.findall(r"\((\S+)", example.tree)) <= LABELS


@pytest.mark.parametrize("broken", ["(S (NP a)", "(S (NP a)))", "S", "(S)", ""])
def test_unbalanced_brackets_are_no_tree(broken: str) -> None:
    with pytest.raises(ValueError, match="balance"):
        parsed(broken)


def test_sentences_are_written_as_text_is() -> None:
    for _, example in sample():
        for text in (example.english, example.german, example.french):
            assert text[0].isupper()
            assert text[-1] in ".?"
            assert not re.search(r"  | [.,]|,[.,?]|\n", text), text
        assert not re.search(r"\S\?", example.french), "French sets a space before the question mark"


def test_german_relative_pronouns_agree() -> None:
    """Gender and number come from the noun, the case from the pronoun's part in its own clause."""
    checked = 0
    for derivation, _ in sample():
        for phrase in parts(derivation, NounPhrase):
            if phrase.relative is None or phrase.phrase or phrase.possessor:
                continue
            words = german.words(Clause(phrase, SAFE_COPULA))
            after_comma = words[words.index(",") + 1 :]
            preposition, case = expected_relative(phrase.relative)
            pronoun = RELATIVE_PRONOUNS["p" if phrase.plural else phrase.noun.gender][case]
            expected = [preposition, pronoun] if preposition else [pronoun]
            assert after_comma[: len(expected)] == expected, " ".join(words)
            checked += 1
    assert checked > 300


def expected_relative(relative: Relative) -> tuple[str, int]:
    """The preposition of a relative pronoun, and the place of its case in the table."""
    if relative.role in ("subject", "possessor"):
        return "", 0 if relative.role == "subject" else 3
    if relative.role == "place":
        assert relative.preposition
        return relative.preposition.german, 2
    verb = relative.clause.predicate.verb
    assert isinstance(verb, Verb)
    return verb.german_preposition, 1 if verb.case == "accusative" else 2


def finite_forms(clause: Clause, final: bool) -> set[str]:
    """The one word that may be the finite verb of a clause: it agrees with the head of the subject, however far."""
    phrase, subject = clause.predicate, clause.subject
    person, many = (subject.person if isinstance(subject, Pronoun) else 3), subject.plural
    past = phrase.tense == "past"
    if phrase.tense == "future":
        return {morphology.present("werden", person, many)}
    if phrase.verb == "be":
        return {morphology.preterite("sein", many) if past else morphology.present("sein", person, many)}
    if phrase.modal:
        modal = phrase.modal.german
        return {morphology.preterite(modal, many) if past else morphology.present(modal, person, many)}
    assert isinstance(phrase.verb, Verb)
    if past:
        return {morphology.present(auxiliary, person, many) for auxiliary in ("haben", "sein")}
    finite = morphology.present(phrase.verb.german, person, many)
    return {phrase.verb.separable + finite if final else finite}


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


def test_french_contracts_and_elides() -> None:
    for _, example in sample():
        text = example.french
        for following in re.findall(r"\b(?:de|à) les? (\w+)", text, re.IGNORECASE):
            assert following in INFINITIVES, f"an article after de or à contracts: {text}"
        assert not re.search(r"\b(le|la|de|que|ne|je|me|se) [aeiouyéèêâîôœ]", text), text
        for word, following in re.findall(r"\b(beau|nouveau|vieux|ce|ma|sa) (\w+)", text):
            assert following not in VOWEL_NOUNS, f"{word} has another form before a vowel: {text}"
        assert not re.search(r"\b(le|la|de|que|je|ma|sa|ce) (hom|hôt|hôp|his|heu|hon)", text), text
        assert not re.search(r"\bdes (grand|petit|vieux|vieil|jeune|nouv|beaux|belles|bon)", text), text


def test_the_corpus_has_the_letters_of_its_languages() -> None:
    texts = {"german": "äöüßÄÖ", "french": "éèêçàâîôûœÀ"}
    for language, letters in texts.items():
        text = "".join(getattr(example, language) for _, example in sample())
        assert [letter for letter in letters if letter not in text] == []


def test_every_lemma_is_used() -> None:
    used_nouns = {noun for d, _ in sample() for phrase in parts(d, NounPhrase) for noun in [phrase.noun]}
    used_adjectives = {a for d, _ in sample() for phrase in parts(d, NounPhrase) for a in phrase.adjectives}
    used_adjectives |= {a for d, _ in sample() for phrase in parts(d, VerbPhrase) for a in phrase.predicates}
    used_verbs = {phrase.verb for d, _ in sample() for phrase in parts(d, VerbPhrase)}
    assert [noun.english for noun in NOUNS if noun not in used_nouns] == []
    assert [verb.english for verb in VERBS if verb not in used_verbs] == []
    assert [adjective.english for adjective in ADJECTIVES if adjective not in used_adjectives] == []


def test_splits_share_no_sentence_and_depend_on_the_seed_only() -> None:
    sizes = {"train": 700, "dev": 50, "test": 50}
    corpus = splits(3, sizes)
    assert {name: len(examples) for name, examples in corpus.items()} == sizes
    assert len({example.english for examples in corpus.values() for example in examples}) == 800
    assert all(len(tokens(example.english)) <= LONGEST for example in corpus["train"])
    assert corpus == splits(3, sizes)
    assert corpus["test"] != splits(4, sizes)["test"]


def test_the_corpus_is_the_same_everywhere() -> None:
    """Any change of the grammar changes this sum, and every score that was measured on the corpus with it."""
    examples = islice(generate(seed=1), 200)
    text = "\n".join("\t".join((e.english, e.german, e.french, e.tree)) for e in examples)
    assert hashlib.sha256(text.encode()).hexdigest() == CORPUS_SHA256


@pytest.mark.parametrize(("language", "field"), [("de", "german"), ("fr", "french")])
def test_neither_copying_nor_a_dictionary_translates(language: str, field: str) -> None:
    examples = [example for _, example in sample()[:400]]
    references = [[getattr(example, field) for example in examples]]
    sources = [example.english for example in examples]
    looked_up = [word_for_word(source, language) for source in sources]
    assert BLEU().corpus_score(sources, references).score < 2
    assert 5 < BLEU().corpus_score(looked_up, references).score < 40


def test_the_dictionary_knows_every_word() -> None:
    """All but names: what it lacks is grammar."""
    words = {token for _, example in sample() for token in tokens(example.english) if token[0].islower()}
    assert sorted(words - dictionary().keys()) == []
