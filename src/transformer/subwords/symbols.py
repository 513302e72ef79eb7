"""The symbols of linearised trees as text.

This module does not load NLTK, so that a translation model can be trained without it.
"""

import re

WORD = "XX"  # the symbol of any word, without tags


def is_word(symbol: str) -> bool:
    """Return whether a symbol is a word rather than the opening or closing of a constituent."""
    return not symbol.startswith(("(", ")"))


def split(line: str) -> list[str]:
    """Split a line as EVALB does: at ASCII white space only."""
    return re.findall(r"\S+", line, re.ASCII)
