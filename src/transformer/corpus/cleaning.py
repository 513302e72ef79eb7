"""Which pairs of a corpus are kept, and what is odd in them."""

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, field

from transformer.common.lines import INVALID
from transformer.common.words import count_words, has_no_blanks
from transformer.corpus.pairs import Pair, digest
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
LONG = 4096  # characters; a line of a development or test set that has more is hardly a sentence


@dataclass
class Cleaner:
    """Decides which pairs are dropped; without ``rules``, what is empty, invalid or long is only counted."""

    rules: CleaningRules | None
    _no_blanks: tuple[bool, bool] | None = None  # whether each side is written without blanks between words
    _seen: set[bytes] = field(default_factory=set)

    def look_at(self, block: PairBlock) -> list[Pair]:
        """Return the stripped pairs of a block, and add what is odd in them to what was found in it."""
        # The first block shows how a text is written.
        self._no_blanks = self._no_blanks or (has_no_blanks(block.sources), has_no_blanks(block.targets))
        sides = [[line.strip() for line in side] for side in (block.sources, block.targets)]
        for side, lines in zip(("source", "target"), sides, strict=True):
            look(lines, block.first, side, block.found, is_set=self.rules is None)
        pairs = list(zip(*sides, strict=True))
        same = [n for n, (source, target) in enumerate(pairs, block.first) if source == target != ""]
        block.found.add("same", "both", same)
        return pairs

    def why_dropped(self, pair: Pair) -> str | None:
        """Return why a stripped pair is dropped, one of ``REASONS``, or None when it is kept."""
        rules = self.rules
        if rules is None:
            return None
        if is_empty(pair[0]) or is_empty(pair[1]):
            return "empty"
        if is_invalid(pair[0]) or is_invalid(pair[1]):
            return "invalid"
        shorter, longer = sorted(map(count_words, pair, self._no_blanks or (False, False)))
        if rules.max_length is not None and longer > rules.max_length:
            return "too_long"
        if rules.max_ratio is not None and longer > rules.max_ratio * shorter:
            return "ratio"
        if rules.deduplicate:
            if (key := digest(pair)) in self._seen:
                return "duplicate"
            self._seen.add(key)
        return None


def is_invalid(line: str) -> bool:
    """Return whether a line has a character that is no part of a text, see ``INVALID``."""
    # Most lines are printable, which takes less time to find out.
    return not (line.isprintable() and "\ufffd" not in line) and INVALID.search(line) is not None


def is_empty(line: str) -> bool:
    """Return whether nothing of a stripped line can be seen."""
    return not line or not (
        line.isprintable() or any(unicodedata.category(one)[0] not in "CZ" for one in line)
    )


def is_long(line: str) -> bool:
    """Return whether a line is longer than sentences are."""
    return len(line) > LONG


def is_no_text(line: str) -> bool:
    """Return whether a line is what programs write where there is no text."""
    return len(line) < 5 and line.lower() in ("nan", "null", "none", "n/a")


# Lines that are not sentences as people write them, but show a format, or a program that prepared them.  Nothing else
# would say so: a model learns such text, and BLEU counts its pieces as words.  Each kind has a text that all such lines
# have, by which most others are passed over, and what finds them.
ODD: dict[str, tuple[str, Callable[[str], object]]] = {
    "divided": ("@@", re.compile(r"\S@@( |$)").search),
    "pieces": ("▁", re.compile(r"(^| )▁\S").search),
    "quoted": ('"', re.compile(r'^"([^"]|"")*"$').search),
    "doubled": ('""', re.compile(r'^"[^"]*""([^"]|"")*"$').search),
    "tabs": ("\t", re.compile(r"\S\t\s*\S").search),
    "entities": ("&", re.compile(r"&(amp|apos|quot|lt|gt|#\d+|#x[\da-fA-F]+);").search),
    "tags": ("<", re.compile(r"^</?[A-Za-z]+( [^<>]*)?>$").search),
    "no_text": ("", is_no_text),
}
# Lines that are no sentences to learn from; a development or test set keeps them.
WRONG = {"empty": ("", is_empty), "invalid": ("", is_invalid), "long": ("", is_long)}


def is_wrong(line: str) -> bool:
    """Return whether a stripped line is empty, invalid or long."""
    return any(is_one(line) for _, is_one in WRONG.values())


def look(lines: list[str], first: int, side: str, found: Found, is_set: bool = False) -> None:
    """Count the odd lines among stripped ones, of which the first has the number ``first``."""
    text = "\n".join(lines)
    for kind, (part, is_odd) in (ODD | WRONG if is_set else ODD).items():
        if part in text:
            odd = [n for n, line in enumerate(lines, first) if part in line and is_odd(line)]
            found.add(kind, side, odd)
