"""The length of text in words, for languages with blanks between words and for those without.

Chinese, Japanese, Thai, Lao, Khmer, Burmese and others write a sentence without blanks, or with one after each phrase.
Which language it is need not be known: the text shows how it is written.
"""

from collections.abc import Sequence

import regex

# The scripts without blanks.  About two letters of the first make a word, and five of the second.
SYLLABLES = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Bopomofo}\p{Yi}"
LETTERS = (
    r"\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Tibetan}\p{Tai_Le}\p{New_Tai_Lue}\p{Tai_Tham}\p{Tai_Viet}"
    r"\p{Balinese}\p{Javanese}"
)
_SYLLABLE, _UNSPACED = regex.compile(f"[{SYLLABLES}]"), regex.compile(f"[{SYLLABLES}{LETTERS}]")
LONGEST_WORDS = 15  # letters of a word on average: more than in any language with blanks


def has_no_blanks(lines: Sequence[str]) -> bool:
    """Return whether a text has no blanks between words.

    A tenth of its characters are of a script without blanks, or what stands between its blanks is longer than words.

    >>> has_no_blanks(["我爱北京天安门。"]), has_no_blanks(["I love the square in the middle of 北京."])
    (True, False)
    """
    text = " ".join(lines)
    runs = text.split()
    characters = sum(map(len, runs))
    if characters > LONGEST_WORDS * len(runs):
        return True
    return not text.isascii() and 10 * len(_UNSPACED.findall(text)) > characters


def count_words(line: str, no_blanks: bool) -> int:
    """Return the number of words of a line; if its text has ``no_blanks``, from its letters, whatever blanks it has.

    >>> count_words("the dog runs", False), count_words("我爱北京天安门。", True), count_words("我 爱 北京", True)
    (3, 4, 2)
    """
    if not no_blanks:
        return len(line.split())
    characters = sum(map(len, line.split()))
    syllables = len(_SYLLABLE.findall(line))
    # A half for each syllable and a fifth for every other character, rounded up.
    return -(-(5 * syllables + 2 * (characters - syllables)) // 10)
