"""The word-for-word dictionary."""

from itertools import islice

import pytest
from sacrebleu.metrics import BLEU

from demo_grammar import generate
from demo_grammar.dictionary import dictionary, word_for_word
from demo_grammar.plain_text import split_english


@pytest.mark.parametrize(("language", "field"), [("de", "german"), ("fr", "french")])
def test_neither_copying_nor_a_dictionary_translates(language: str, field: str) -> None:
    examples = list(islice(generate(seed=7), 400))
    references = [[getattr(example, field) for example in examples]]
    sources = [example.english for example in examples]
    looked_up = [word_for_word(source, language) for source in sources]
    assert BLEU().corpus_score(sources, references).score < 2
    assert 5 < BLEU().corpus_score(looked_up, references).score < 40


def test_the_dictionary_knows_every_word() -> None:
    """It lacks grammar and names, but no other word."""
    sentences = (example.english for example in islice(generate(seed=7), 4000))
    words = {token for sentence in sentences for token in split_english(sentence) if token[0].islower()}
    assert sorted(words - dictionary().keys()) == []
