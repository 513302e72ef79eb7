"""Cleaning a parallel corpus: pairs that would teach nothing, or the wrong thing, are dropped and counted."""

import hashlib
import re
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from pathlib import Path

from transformer.common.errors import UserError
from transformer.common.files import atomic_writer
from transformer.common.parallel import blocks, ordered_map
from transformer.corpus.pairs import read_pairs

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


Pair = tuple[str, str]
BLOCK = 10_000  # pairs looked at together


def why_dropped(rules: CleaningRules, source: str, target: str) -> str | None:
    """Why a stripped pair is dropped, one of ``REASONS`` but the last, or None when it is kept."""
    if not source or not target:
        return "empty"
    if _INVALID.search(source) or _INVALID.search(target):
        return "invalid"
    shorter, longer = sorted((len(source.split()), len(target.split())))
    if rules.max_length is not None and longer > rules.max_length:
        return "too_long"
    if rules.max_ratio is not None and longer > rules.max_ratio * shorter:
        return "ratio"
    return None


def clean_block(rules: CleaningRules | None, pairs: list[Pair]) -> list[tuple[Pair, str | None]]:
    """The pairs, stripped at both ends, each with why it is dropped if it is."""
    stripped = [(source.strip(), target.strip()) for source, target in pairs]
    return [(pair, why_dropped(rules, *pair) if rules else None) for pair in stripped]


class SeenPairs:
    """Which pairs there have been: 16 bytes each, about 100 in memory."""

    def __init__(self) -> None:
        self._digests: set[bytes] = set()

    def is_repeated(self, pair: Pair) -> bool:
        """Whether the same pair was asked about before."""
        # "\n" is in neither, so no two pairs give the same text; 16 bytes collide with probability 1e-23 in 36M pairs.
        digest = hashlib.blake2b("\n".join(pair).encode(), digest_size=16).digest()
        before = len(self._digests)
        self._digests.add(digest)
        return len(self._digests) == before


def clean_corpus(
    sources: tuple[Path, Path], outputs: tuple[Path, Path], rules: CleaningRules | None, processes: int = 1
) -> CleaningReport:
    """Write the pairs of ``sources`` that pass ``rules`` to ``outputs`` (source, target), stripped at both ends.

    With rules of None nothing is dropped (development and test sets); the files are only checked.  One pass, in
    memory that does not grow with the corpus (but for ``deduplicate``); the same for any number of ``processes``.

    Raises UserError when the files differ in their number of lines, are empty or not UTF-8, and when no pair is
    left; then no output appears.
    """
    report = CleaningReport()
    seen = SeenPairs() if rules is not None and rules.deduplicate else None
    cleaned = ordered_map(partial(clean_block, rules), blocks(read_pairs(*sources), BLOCK), processes)
    with ExitStack() as stack:
        files = [stack.enter_context(atomic_writer(path)) for path in outputs]
        for pair, reason in chain.from_iterable(cleaned):
            report.pairs += 1
            if reason is None and seen is not None and seen.is_repeated(pair):
                reason = "duplicate"
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
