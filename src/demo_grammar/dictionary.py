"""A word-for-word dictionary of the demo corpus: a baseline that knows every word but no grammar."""

from collections.abc import Iterator
from functools import cache

from nltk.tree import Tree

from demo_grammar import morphology_english as english
from demo_grammar import morphology_french as french
from demo_grammar import morphology_german as german
from demo_grammar.lexicon import ADJECTIVES, ADVERBS, MODALS, NOUNS, TOWNS, VERBS
from demo_grammar.plain_text import join_words, split_english
from demo_grammar.word_tables import read_table

Entry = tuple[str, str, str]  # English, German, French; a word with an empty translation is dropped


@cache
def dictionary() -> dict[str, tuple[str, str]]:
    """For each English word of the corpus, return the commonest form of its German and French translations.

    If several lemmas have the same English word, the first is used.
    """
    translations: dict[str, tuple[str, str]] = {}
    for word, german_word, french_word in _entries():
        translations.setdefault(word, (german_word, french_word))
    return translations


def _entries() -> Iterator[Entry]:
    for row in read_table("function_words"):  # a hyphen says that the language has no such word
        yield row["english"], row["german"].strip("-"), row["french"].strip("-")
    for modal in MODALS:
        present = german.present(modal.german, 3, False), french.present(modal.french, 3, False)
        yield modal.english, *present
        yield english.third_person(modal.english), *present
        if modal.past:
            yield modal.past, german.preterite(modal.german, False), french.imperfect(modal.french, 3, False)
    for noun in NOUNS:
        yield noun.english, noun.german, noun.french
        if not noun.mass:
            yield noun.english_plural, noun.german_plural, noun.french_plural
    for adjective in ADJECTIVES:
        attributive = german.adjective_form(adjective.german_stem, "the", "m", "nominative")
        yield adjective.english, attributive, adjective.french
    for adverb in ADVERBS:
        yield " ".join(Tree.fromstring(adverb.english).leaves()), adverb.german, adverb.french
    for town in TOWNS:
        yield town.english, town.german, town.french
    for verb in VERBS:
        finite = german.present(verb.german, 3, False), french.present(verb.french, 3, False)
        participle = german.past_participle(verb.german, verb.separable), french.past_participle(verb.french)
        yield english.past(verb.english), *participle
        yield english.past_participle(verb.english), *participle
        yield english.third_person(verb.english), *finite
        yield english.gerund(verb.english), *finite
        yield verb.english, verb.separable + verb.german, verb.french
        if verb.particle:
            yield verb.particle, "", ""


def word_for_word(text: str, language: str) -> str:
    """Translate an English sentence word by word into ``de`` or ``fr``; names and punctuation stay as they are."""
    side = ("de", "fr").index(language)
    words = []
    for token in split_english(text):
        translation = dictionary().get(token) or dictionary().get(token[0].lower() + token[1:])
        words.append(translation[side] if translation else token)
    return join_words([word for word in words if word])
