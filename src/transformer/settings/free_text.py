"""Text that users write freely: names, licences, citations, sentences, paths.  It is one line that commands take."""

import re
import unicodedata
from collections.abc import Mapping
from typing import Any

from transformer.common.errors import UserError

SCALE_NAME = re.compile(r"\w[\w. +-]*")  # also that of folders, which Snakemake's patterns contain
# Folders in results/ and data/ beside those of scales.
TAKEN = {"curves", "figures", "downloads", "own", "unpacked"}

LONGEST_SENTENCE = 100  # words in a figure of attention, where each is at least one subword

OF_SCALES = ("corpus", "licence", "citation")


def check_scale_name(name: str, where: str) -> None:
    """Raise UserError when a scale cannot have its name, which ``where`` gives."""
    if not SCALE_NAME.fullmatch(name):
        raise UserError(
            f"{where}: a scale cannot be called {name!r}: use letters, digits, blanks, '.', '_', '+', '-', and begin "
            "with a letter or a digit"
        )
    if name in TAKEN:
        raise UserError(f"{where}: a scale cannot be called {name!r}, since another folder has that name")


def one_line(text: str, where: str) -> str:
    """Return ``text`` with every white space, line breaks as well, as one blank.

    Raises UserError when it has other control characters, or begins with ``-``, which commands take for an option.
    ``where`` says, for the message, where the text is.
    """
    text = " ".join(text.split())
    check_text(text, where)
    return text


def check_text(text: str, where: str) -> None:
    """Raise UserError when ``text`` is not one line of characters, or begins with ``-``."""
    for character in text:
        # Control characters, halves of characters, and line breaks.
        if unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp"):
            raise UserError(
                f"{where}: the character U+{ord(character):04X} cannot be part of one line; remove it"
            )
    if text.startswith("-"):
        raise UserError(f"{where}: {text!r} begins with '-', as an option does; put something before it")


def with_plain_names(scale: dict[str, Any], file: str) -> dict[str, Any]:
    """Return the content of a scale's ``file`` with its names for readers on one line each.  Raises UserError."""
    scale = scale | {key: one_line(scale[key], f"{file}: {key}") for key in OF_SCALES if key in scale}
    if "parsing" in scale:
        name = one_line(scale["parsing"]["treebank"], f"{file}: parsing.treebank")
        scale["parsing"] = scale["parsing"] | {"treebank": name}
    return scale


def check_marked_words(shown: Mapping[str, Any], where: str) -> None:
    """Raise UserError when a sentence of the figures of attention lacks a word that is to be marked, or is too long.

    ``shown`` has `sentence`, `word` and perhaps `antecedent`; a sentence given by its line is read only by the figures.
    The vocabulary decides what a word is, so this finds only what no vocabulary allows.
    """
    if "sentence" not in shown:
        return
    sentence = " ".join(shown["sentence"].split())
    if (count := len(sentence.split())) > LONGEST_SENTENCE:
        raise UserError(
            f"{where}: the sentence has {count:,} words; a figure has room for {LONGEST_SENTENCE} subwords"
        )
    for key in ("word", "antecedent"):
        if key in shown and shown[key] not in sentence:
            raise UserError(
                f"{where}: {key}: {shown[key]!r} is not in the sentence; name one of its words: {sentence}"
            )


def check_values(values: Mapping[str, Any], where: str) -> None:
    """Raise UserError when a text of config/config.yaml or the command line, ``where``, is not one plain line.

    The name of a scale has rules of its own.
    """
    for key, value in values.items():
        if isinstance(value, str) and key != "scale":
            check_text(value, f"{where}: {key}")
