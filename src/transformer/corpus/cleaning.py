"""Cleaning a parallel corpus: pairs that would teach nothing, or the wrong thing, are dropped and counted."""

import hashlib
import re
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from transformer.corpus.pairs import read_pairs
from transformer.errors import UserError
from transformer.files import atomic_writer

# Control characters but for tab and U+0085 (a line break inside a sentence, like U+2028), the replacement character
# that stands where a text was decoded wrongly once, and what is no character at all.
_INVALID = re.compile("[\x00-\x08\x0a-\x1f\x7f-\x84\x86-\x9f\ufffd\ufffe\uffff]")


@dataclass
class CleaningRules:
    """Which pairs to drop; a limit of None drops none.  Words are what white space separates.

    The paper's EN-FR corpus of 36M pairs is what at most 175 words and a ratio of 1.5 leave of 40.8M.
    """

    max_length: int | None = None  # words, of either side
    max_ratio: float | None = None  # words of the longer side to words of the shorter
    deduplicate: bool = False  # keep the first of equal pairs; needs about 100 bytes of memory a pair

    def __post_init__(self) -> None:
        if self.max_length is not None and self.max_length < 1:
            raise UserError(f"max_length: {self.max_length} words would drop everything; give at least 1")
        if self.max_ratio is not None and not self.max_ratio >= 1:
            raise UserError(f"max_ratio: {self.max_ratio} is below 1; it is the longer side to the shorter")


REASONS = ("empty", "invalid", "too_long", "ratio", "duplicate")  # in the order in which they are tried


@dataclass
class CleaningReport:
    """How many pairs there were, were kept, and were dropped for each reason (the first that holds)."""

    pairs: int = 0
    kept: int = 0
    dropped: dict[str, int] = field(default_factory=lambda: dict.fromkeys(REASONS, 0))


class Cleaner:
    """Applies :class:`CleaningRules` to one pair after the other."""

    def __init__(self, rules: CleaningRules) -> None:
        self._rules = rules
        self._seen: set[bytes] = set()

    def reason(self, source: str, target: str) -> str | None:
        """Why a stripped pair is dropped, one of ``REASONS``, or None when it is kept."""
        if not source or not target:
            return "empty"
        if _INVALID.search(source) or _INVALID.search(target):
            return "invalid"
        shorter, longer = sorted((len(source.split()), len(target.split())))
        if self._rules.max_length is not None and longer > self._rules.max_length:
            return "too_long"
        if self._rules.max_ratio is not None and longer > self._rules.max_ratio * shorter:
            return "ratio"
        if self._rules.deduplicate and self._is_repeated(source, target):
            return "duplicate"
        return None

    def _is_repeated(self, source: str, target: str) -> bool:
        # "\n" is in neither, so no two pairs give the same text; 16 bytes collide with probability 1e-23 in 36M pairs.
        digest = hashlib.blake2b(f"{source}\n{target}".encode(), digest_size=16).digest()
        if digest in self._seen:
            return True
        self._seen.add(digest)
        return False


def clean_corpus(
    sources: tuple[Path, Path], outputs: tuple[Path, Path], rules: CleaningRules | None
) -> CleaningReport:
    """Write the pairs of ``sources`` that pass ``rules`` to ``outputs`` (source, target), stripped at both ends.

    With rules of None nothing is dropped (development and test sets); the files are only checked.  One pass, in
    memory that does not grow with the corpus (but for ``deduplicate``).

    Raises UserError when the files differ in their number of lines, are empty or not UTF-8, and when no pair is
    left; then no output appears.
    """
    report = CleaningReport()
    cleaner = Cleaner(rules) if rules is not None else None
    with ExitStack() as stack:
        files = [stack.enter_context(atomic_writer(path)) for path in outputs]
        for pair in _stripped_pairs(sources):
            report.pairs += 1
            reason = cleaner.reason(*pair) if cleaner else None
            if reason is not None:
                report.dropped[reason] += 1
                continue
            report.kept += 1
            for file, sentence in zip(files, pair, strict=True):
                file.write(sentence + "\n")
        if report.kept == 0:
            counts = ", ".join(f"{reason} {count}" for reason, count in report.dropped.items() if count)
            raise UserError(
                f"{sources[0]} and {sources[1]}: none of {report.pairs} pairs is left ({counts}); loosen the rules"
            )
    return report


def _stripped_pairs(sources: tuple[Path, Path]) -> Iterator[tuple[str, str]]:
    return ((source.strip(), target.strip()) for source, target in read_pairs(*sources))
