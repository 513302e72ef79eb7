"""Text that users write freely: names, licences, citations, sentences, paths.  It is one line that commands take."""

import unicodedata
from typing import Annotated

from pydantic import AfterValidator, Field

from transformer.common.errors import UserError


def fault_of(text: str) -> str:
    """Return why ``text`` is not one line of characters, or an option of a command; empty if it is neither."""
    for character in text:
        # Control characters, halves of characters, and line breaks.
        if unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp"):
            return f"the character U+{ord(character):04X} cannot be part of one line; remove it"
    return f"{text!r} begins with '-', as an option does; put something before it" * text.startswith("-")


def check_text(text: str, where: str) -> None:
    """Raise UserError, which begins with ``where``, when a text has a :func:`fault_of` it."""
    if fault := fault_of(text):
        raise UserError(f"{where}: {fault}")


def _without_fault(text: str) -> str:
    if fault := fault_of(text):
        raise ValueError(fault)
    return text


def _one_line(text: str) -> str:
    return _without_fault(" ".join(text.split()))


# A name or a path, and a text whose line breaks and other white space count as one blank.
Argument = Annotated[str, Field(min_length=1), AfterValidator(_without_fault)]
Line = Annotated[str, Field(min_length=1, max_length=10_000), AfterValidator(_one_line)]
