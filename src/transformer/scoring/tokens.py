"""Which of sacreBLEU's tokenizers fits a language and a text in it."""

import importlib.util
from collections.abc import Sequence

import regex

from transformer.common.words import has_no_blanks

# sacreBLEU's own tokenizer by the language of the translation, with the library that some need.
SPECIAL = {
    **dict.fromkeys(("zh", "zho", "chi", "cmn", "yue", "wuu", "lzh"), ("zh", None)),
    **dict.fromkeys(("ja", "jpn"), ("ja-mecab", "MeCab")),
    **dict.fromkeys(("ko", "kor"), ("ko-mecab", "mecab_ko")),
}
# The letters that these tokenizers know.
EAST_ASIAN = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}]")
DEFAULT, SINGLE_CHARACTERS = "13a", "char"


def tokenizer_name(language: str, references: Sequence[str]) -> str:
    """Return sacreBLEU's tokenizer for a language and a text in it.

    It is its own choice for the language, or single characters if that is not installed, as for every other text
    without blanks.
    """
    if language in SPECIAL and any(map(EAST_ASIAN.search, references)):
        name, library = SPECIAL[language]
        return name if library is None or importlib.util.find_spec(library) else SINGLE_CHARACTERS
    return SINGLE_CHARACTERS if has_no_blanks(references) else DEFAULT
