"""The symbols of linearised trees, and the words of a parser's input, as text.

This module does not load NLTK, so that a translation model can be trained without it.
"""

import re

from transformer.common.errors import UserError

WORD = "XX"  # the symbol of any word, without tags
BRACKETS = str.maketrans({"(": "-LRB-", ")": "-RRB-"})  # of words, as the treebank writes them


def is_word(symbol: str) -> bool:
    """Return whether a symbol is a word rather than the opening or closing of a constituent."""
    return not symbol.startswith(("(", ")"))


def split(line: str) -> list[str]:
    """Split a line as EVALB does: at ASCII white space only."""
    return re.findall(r"\S+", line, re.ASCII)


def read_sentence(line: str, tagged: bool, where: str) -> list[str]:
    """Return the words of a line; if it is ``tagged``, each is preceded by its tag: ``DT The NN dog``.

    Raises UserError that begins with ``where`` (file and line) when the line has no word, or a word has no tag.
    """
    tokens = split(line)
    if not tokens:
        raise UserError(f"{where}: no word; a sentence without words has no tree")
    if tagged and len(tokens) % 2:
        raise UserError(f"{where}: {len(tokens)} tokens; each word must come after its tag: DT The NN dog")
    return tokens[1::2] if tagged else tokens
