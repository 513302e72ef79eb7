"""Which pairs of a corpus are kept, what is odd in them, and whether their two sides belong together."""

import unicodedata
from dataclasses import dataclass, field

from transformer.common.lines import INVALID
from transformer.common.words import count_words, has_no_blanks
from transformer.corpus.pairs import Pair, digest
from transformer.corpus.text import Odd


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
WRONG = {"empty", "invalid", "long"}  # kinds of lines that are no sentences to learn from
LONG = 4096  # characters; a line of a development or test set that has more is hardly a sentence
SAMPLE = 1 << 13  # pairs at the beginning of a corpus that show whether a side has blanks between words


@dataclass
class Cleaner:
    """Decides which pairs are dropped."""

    rules: CleaningRules
    _seen: set[bytes] = field(default_factory=set)
    _sample: list[Pair] = field(default_factory=list)
    _no_blanks: tuple[bool, ...] = ()  # for each side, by the pairs until now

    def why_dropped(self, pair: Pair) -> str | None:
        """Return why a stripped pair is dropped, one of ``REASONS``, or None when it is kept."""
        rules = self.rules
        self._learn_writing(pair)
        if is_empty(pair[0]) or is_empty(pair[1]):
            return "empty"
        if is_invalid(pair[0]) or is_invalid(pair[1]):
            return "invalid"
        shorter, longer = sorted(map(count_words, pair, self._no_blanks))
        if rules.max_length is not None and longer > rules.max_length:
            return "too_long"
        if rules.max_ratio is not None and longer > rules.max_ratio * shorter:
            return "ratio"
        if rules.deduplicate:
            if (key := digest(pair)) in self._seen:
                return "duplicate"
            self._seen.add(key)
        return None

    def _learn_writing(self, pair: Pair) -> None:
        """Judge how each side is written, again when there are twice as many pairs as the last time."""
        if len(self._sample) < SAMPLE:
            self._sample.append(pair)
            if len(self._sample).bit_count() == 1:
                self._no_blanks = tuple(map(has_no_blanks, zip(*self._sample, strict=True)))


def is_invalid(line: str) -> bool:
    """Return whether a line has a character that is no part of a text, see ``INVALID``."""
    # Most lines are printable, which takes less time to find out.
    return not (line.isprintable() and "\ufffd" not in line) and INVALID.search(line) is not None


def is_empty(line: str) -> bool:
    """Return whether nothing of a stripped line can be seen."""
    return not line or not (
        line.isprintable() or any(unicodedata.category(one)[0] not in "CZ" for one in line)
    )


def look(pair: Pair, number: int, odd: Odd, is_set: bool) -> None:
    """Count what is odd in a stripped pair; a training text drops what a set only counts."""
    for side, line in zip(("source", "target"), pair, strict=True):
        if is_set or not line.isprintable():  # most lines are, which takes less time to find out
            for kind in odd_kinds(line, is_set):
                odd.add(kind, side, number)
    if pair[0] == pair[1] != "":
        odd.add("same", "both", number)


def odd_kinds(line: str, is_set: bool) -> list[str]:
    """Return in which ways a stripped line is odd, as in a training text or in a set."""
    kinds = ["tabs"] if "\t" in line else []
    if is_set:
        of_set = {"empty": is_empty(line), "invalid": is_invalid(line), "long": len(line) > LONG}
        kinds += [kind for kind, is_so in of_set.items() if is_so]
    return kinds


BLOCK, LEAST = 500, 100  # pairs of a block, and of one at the end of a text, that is judged
VARIED = 0.25  # standard deviation of the lengths over their mean; below, a correlation means nothing
UNRELATED = 0.4  # a correlation below


@dataclass
class Lengths:
    """Whether the two sides of a text belong together: the correlation of their lengths, in blocks.

    In blocks of 500 it is at least 0.84 in Multi30k, newstest, Europarl and shuffled Tatoeba, and at most 0.30 when one
    side is shifted by a line (0.45 in blocks of 100).  Of short sentences that are all alike, or that are sorted by
    length, nothing can be said.
    """

    odd: Odd
    _lengths: list[tuple[int, int]] = field(default_factory=list)
    _first: int = 0  # the line of the first pair of the block

    def add(self, pair: Pair, number: int) -> None:
        """Take the pair of a line, unless a side is empty."""
        if all(pair):
            self._first = self._first if self._lengths else number
            self._lengths.append((len(pair[0]), len(pair[1])))
            if len(self._lengths) == BLOCK:
                self.judge()

    def judge(self) -> None:
        """Count the pairs since the last block as unrelated if they are."""
        lengths, self._lengths = self._lengths, []
        if len(lengths) >= LEAST and are_unrelated(lengths):
            self.odd.add("unrelated", "both", self._first, len(lengths))


def are_unrelated(lengths: list[tuple[int, int]]) -> bool:
    """Return whether the two lengths of many pairs vary, but not together."""
    means = [sum(side) / len(lengths) for side in zip(*lengths, strict=True)]
    differences = [(one - means[0], other - means[1]) for one, other in lengths]
    variances = [sum(one * one for one in side) / len(lengths) for side in zip(*differences, strict=True)]
    if any(variance <= (VARIED * mean) ** 2 for variance, mean in zip(variances, means, strict=True)):
        return False
    covariance = sum(one * other for one, other in differences) / len(lengths)
    return bool(covariance < UNRELATED * (variances[0] * variances[1]) ** 0.5)
