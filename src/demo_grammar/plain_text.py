"""Join words to plain text, and split English text into the tokens of the Penn Treebank."""

import re

from nltk.tokenize.treebank import TreebankWordTokenizer

_TOKENIZER = TreebankWordTokenizer()


def join_words(words: list[str]) -> str:
    """Return the words as a sentence: punctuation and 's attached, "can not" as one word, a capital first."""
    text = re.sub(r" ([.,?]|'s\b)", r"\1", " ".join(words)).replace("can not ", "cannot ")
    return text[0].upper() + text[1:]


def split_english(text: str) -> list[str]:
    """Return the Penn tokens of an English sentence, which are the leaves of its tree."""
    return _TOKENIZER.tokenize(text)
