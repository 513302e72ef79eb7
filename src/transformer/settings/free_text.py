"""Text that users write freely: names, licences, citations, sentences, paths.  It is one line that commands take."""

import unicodedata
from collections.abc import Mapping
from typing import Any

from transformer.common.errors import UserError


def one_line(text: str, where: str) -> str:
    """Return ``text`` with every white space, line breaks as well, as one blank.

    Raises UserError as :func:`check_text` does; ``where`` says, for the message, where the text is.
    """
    text = " ".join(text.split())
    check_text(text, where)
    return text


def check_text(text: str, where: str) -> None:
    """Raise UserError when ``text`` is not one line of characters, or begins with ``-``, as an option does."""
    for character in text:
        # Control characters, halves of characters, and line breaks.
        if unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp"):
            raise UserError(
                f"{where}: the character U+{ord(character):04X} cannot be part of one line; remove it"
            )
    if text.startswith("-"):
        raise UserError(f"{where}: {text!r} begins with '-', as an option does; put something before it")


def check_marked_words(shown: Mapping[str, Any], where: str) -> None:
    """Raise UserError when a sentence of the figures of attention lacks a word that is to be marked.

    ``shown`` has `sentence`, `word` and perhaps `antecedent`; a sentence given by its line is read only by the figures.
    The vocabulary decides what a word is, so this finds only what no vocabulary allows.
    """
    if "sentence" not in shown:
        return
    sentence = " ".join(shown["sentence"].split())
    for key in ("word", "antecedent"):
        if key in shown and shown[key] not in sentence:
            raise UserError(
                f"{where}: {key}: {shown[key]!r} is not in the sentence; name one of its words: {sentence}"
            )
