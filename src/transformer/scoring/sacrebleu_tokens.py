"""The tokens of sacreBLEU, for languages that Moses has no rules for."""

import importlib.metadata
import importlib.util

from sacrebleu.metrics import BLEU

from transformer.scoring.moses import replace_unicode_punctuation

# sacreBLEU's own choice by the language of the translation, with the library that some need.
SPECIAL = {"zh": ("zh", None), "ja": ("ja-mecab", "MeCab"), "ko": ("ko-mecab", "mecab_ko")}
DEFAULT, SINGLE_CHARACTERS = "13a", "char"


def tokenizer_name(language: str) -> str:
    """Return sacreBLEU's tokenizer for a language: its own choice, or single characters if that is not installed."""
    name, library = SPECIAL.get(language, (DEFAULT, None))
    return name if library is None or importlib.util.find_spec(library) else SINGLE_CHARACTERS


class SacrebleuTokenizer:
    """``replace-unicode-punctuation.perl``, as before Moses' tokenizer, and then sacreBLEU's for the language."""

    def __init__(self, language: str) -> None:
        name = tokenizer_name(language)
        self._tokenizer = BLEU(tokenize=name).tokenizer
        self.signature = f"tok:{name}|sacrebleu:{importlib.metadata.version('sacrebleu')}"

    def __call__(self, text: str) -> str:
        """Return the tokens of one sentence, joined by single spaces."""
        tokens: str = self._tokenizer(replace_unicode_punctuation(text))
        return tokens
