"""Which pairs of a corpus are kept, and what is odd in them."""

import re
import unicodedata
from dataclasses import dataclass
from typing import NamedTuple

from transformer.common.lines import INVALID
from transformer.common.words import count_words
from transformer.corpus.pairs import Pair
from transformer.corpus.text import Found, PairBlock


@dataclass(frozen=True)
class CleaningRules:
    """Which pairs to drop.  A limit of None drops none.  Words are counted by :func:`count_words`.

    Limits of 175 words and a ratio of 1.5 reduce the 40.8M EN-FR pairs to the paper's 36M; docs/protocol.md says why
    EN-DE has another ratio.
    """

    max_length: int | None = None  # words of either side
    max_ratio: float | None = None  # words of the longer side to words of the shorter
    deduplicate: bool = False  # keep the first of equal pairs; each takes about 100 bytes of memory
    max_pairs: int | None = None  # keep the first so many pairs, and do not read what follows


REASONS = ("empty", "invalid", "too_long", "ratio", "duplicate")  # in the order in which they are tested
NoBlanks = tuple[bool, bool]  # whether each side is written without blanks between words
LONG = 4096  # characters; a line of a development or test set that has more is hardly a sentence

# Lines that are not sentences as people write them, but show a format, or a program that prepared them.  Nothing else
# would say so: a model learns such text, and BLEU counts its pieces as words.  Each kind has a text that all such lines
# have, by which most others are passed over, and a pattern.
ODD = {
    "divided": ("@@", re.compile(r"\S@@( |$)")),
    "pieces": ("▁", re.compile(r"(^| )▁\S")),
    "quoted": ('"', re.compile(r'^"([^"]|"")*"$')),
    "doubled": ('""', re.compile(r'^"[^"]*""([^"]|"")*"$')),
    "tabs": ("\t", re.compile(r"\S\t\s*\S")),
    "entities": ("&", re.compile(r"&(amp|apos|quot|lt|gt|#\d+|#x[\da-fA-F]+);")),
    "tags": ("<", re.compile(r"^</?[A-Za-z]+( [^<>]*)?>$")),
}
NO_TEXT = {"nan", "null", "none", "n/a"}


class Cleaned(NamedTuple):
    """The stripped pairs of a block, each with the reason for which it is dropped, or None; and what was found."""

    first: int
    pairs: list[Pair]
    reasons: list[str | None]
    found: Found


def why_dropped(rules: CleaningRules, pair: Pair, no_blanks: NoBlanks = (False, False)) -> str | None:
    """Return why a stripped pair is dropped, one of ``REASONS`` except the last, or None when it is kept."""
    if _is_empty(pair[0]) or _is_empty(pair[1]):
        return "empty"
    if is_invalid(pair[0]) or is_invalid(pair[1]):
        return "invalid"
    shorter, longer = sorted(map(count_words, pair, no_blanks))
    if rules.max_length is not None and longer > rules.max_length:
        return "too_long"
    if rules.max_ratio is not None and longer > rules.max_ratio * shorter:
        return "ratio"
    return None


def is_invalid(line: str) -> bool:
    """Return whether a line has a character that is no part of a text, see ``INVALID``."""
    # Most lines are printable, which takes less time to find out.
    return not (line.isprintable() and "\ufffd" not in line) and INVALID.search(line) is not None


def clean_block(rules: CleaningRules | None, no_blanks: NoBlanks, block: PairBlock) -> Cleaned:
    """Return the pairs of a block; without ``rules`` none is dropped, and what is empty or invalid is only counted."""
    sources, targets = ([line.strip() for line in side] for side in (block.sources, block.targets))
    pairs = list(zip(sources, targets, strict=True))
    found = block.found
    for side, lines in (("source", sources), ("target", targets)):
        look(lines, block.first, side, found)
        if rules is None:
            for kind, is_wrong in (("empty", _is_empty), ("invalid", is_invalid), ("long", _is_long)):
                found.add(kind, side, [n for n, line in enumerate(lines, block.first) if is_wrong(line)])
    same = [n for n, (source, target) in enumerate(pairs, block.first) if source == target != ""]
    found.add("same", "both", same)
    reasons = [why_dropped(rules, pair, no_blanks) if rules else None for pair in pairs]
    return Cleaned(block.first, pairs, reasons, found)


def look(lines: list[str], first: int, side: str, found: Found) -> None:
    """Count the odd lines among stripped ones, of which the first has the number ``first``."""
    text = "\n".join(lines)
    for kind, (part, pattern) in ODD.items():
        if part in text:
            odd = [n for n, line in enumerate(lines, first) if part in line and pattern.search(line)]
            found.add(kind, side, odd)
    found.add(
        "no_text",
        side,
        [n for n, line in enumerate(lines, first) if len(line) < 5 and line.lower() in NO_TEXT],
    )


def _is_empty(line: str) -> bool:
    """Return whether nothing of a stripped line can be seen."""
    return not line or not (
        line.isprintable() or any(unicodedata.category(one)[0] not in "CZ" for one in line)
    )


def _is_long(line: str) -> bool:
    return len(line) > LONG
