"""The corpus as a whole."""

import hashlib
import re
from itertools import islice

from grammar_cases import parts, sample

from demo_grammar import MAX_TOKENS, generate, splits
from demo_grammar.derivation import NounPhrase, VerbPhrase
from demo_grammar.lexicon import ADJECTIVES, NOUNS, VERBS
from demo_grammar.plain_text import split_english

CORPUS_SHA256 = "6f473e60a6e29574019325ee9a82e02b91356180544bbf6791bd1234b274170e"  # 4000 examples of seed 1


def test_sentences_are_spaced_and_punctuated() -> None:
    for _, example in sample():
        for text in (example.english, example.german, example.french):
            assert text[0].isupper()
            assert text[-1] in ".?"
            assert not re.search(r"  | [.,]|,[.,?]|\n", text), text
        assert not re.search(r"\S\?", example.french), "French sets a space before the question mark"


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
    assert [verb.english.infinitive for verb in VERBS if verb not in used_verbs] == []
    assert [adjective.english for adjective in ADJECTIVES if adjective not in used_adjectives] == []


def test_splits_share_no_sentence_and_depend_on_the_seed_only() -> None:
    sizes = {"train": 700, "dev": 50, "test": 50}
    corpus = splits(3, sizes)
    assert {name: len(examples) for name, examples in corpus.items()} == sizes
    assert len({example.english for examples in corpus.values() for example in examples}) == 800
    assert all(len(split_english(example.english)) <= MAX_TOKENS for example in corpus["train"])
    assert corpus == splits(3, sizes)
    assert corpus["test"] != splits(4, sizes)["test"]


def test_the_corpus_is_the_same_everywhere() -> None:
    """Any change of the grammar changes this checksum, and every score that was measured on the corpus."""
    examples = islice(generate(seed=1), 4000)
    text = "\n".join("\t".join((e.english, e.german, e.french, e.tree)) for e in examples)
    assert hashlib.sha256(text.encode()).hexdigest() == CORPUS_SHA256
