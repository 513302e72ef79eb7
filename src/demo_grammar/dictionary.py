"""A word-for-word dictionary of the demo corpus: a baseline that knows every word but no grammar."""

from collections.abc import Iterator
from functools import cache

from nltk.tree import Tree

from demo_grammar.lexicon import (
    ADJECTIVES,
    ADVERBS,
    ENGLISH_VERBS,
    FUNCTION_WORDS,
    MODALS,
    NOUNS,
    TOWNS,
    VERBS,
)
from demo_grammar.plain_text import join_words, split_english

LANGUAGES = ("de", "fr")  # of the translations
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
    er = il = 1  # the third person in the forms of the present
    for word in FUNCTION_WORDS.values():
        yield word.english, word.german.strip("-"), word.french.strip("-")
    for modal in MODALS:
        yield modal.english, modal.german.present[er], modal.french.present[il]
        if modal.to:
            yield (
                ENGLISH_VERBS[modal.english].third_person,
                modal.german.present[er],
                modal.french.present[il],
            )
        if modal.past and modal.german.preterite:
            yield modal.past, modal.german.preterite[0], modal.french.imperfect[il]
    for noun in NOUNS:
        yield noun.english, noun.german, noun.french
        if not noun.mass:
            yield noun.english_plural, noun.german_plural, noun.french_plural
    for adjective in ADJECTIVES:
        yield adjective.english, f"{adjective.german_stem}e", adjective.french[0]
    for adverb in ADVERBS:
        yield " ".join(Tree.fromstring(adverb.english).leaves()), adverb.german, adverb.french
    for town in TOWNS:
        yield town.english, town.german, town.french
    for verb in VERBS:
        english, german, french = verb.english, verb.german, verb.french
        yield english.past, german.past_participle, french.past_participle[0]
        yield english.past_participle, german.past_participle, french.past_participle[0]
        yield english.third_person, german.present[er], french.present[il]
        yield english.gerund, german.present[er], french.present[il]
        yield english.infinitive, german.infinitive, french.infinitive
        if verb.particle:
            yield verb.particle, "", ""


def word_for_word(text: str, language: str) -> str:
    """Translate an English sentence word by word into ``de`` or ``fr``; names and punctuation stay as they are."""
    side = LANGUAGES.index(language)
    words = []
    for token in split_english(text):
        translation = dictionary().get(token) or dictionary().get(token[0].lower() + token[1:])
        words.append(translation[side] if translation else token)
    return join_words([word for word in words if word])
