"""Lines that are not sentences as people write them, but show a format, or a program that prepared them.

Nothing else would say so: a model learns such text, and BLEU counts its pieces as words.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator

# What an odd line has; the share of such lines that is said, one in so many; and what is said.
ODDITIES = (
    (re.compile(r"\S@@( |$)"), 5, "are divided into subwords; put these together: sed -E 's/@@( |$)//g'"),
    (re.compile(r"(^| )▁\S"), 5, "are divided into subwords; put these together: sed 's/ //g; s/▁/ /g'"),
    (
        re.compile(r'^"[^"]*"\s*$'),
        2,
        "are in quotes, as spreadsheets write them; write the text without quoting",
    ),
    (re.compile(r"\S\t\s*\S"), 5, "have a tab; if the file has columns, name it as `tsv`"),
    (
        re.compile(r"&(amp|apos|quot|lt|gt|#\d+|#x[\da-fA-F]+);"),
        20,
        "have entities, as in &apos;; write characters",
    ),
    (re.compile(r"^\s*</?[A-Za-z]+( [^<>]*)?>\s*$"), 20, "are a tag; take them out of both languages"),
    (re.compile(r"^(nan|null|none|n/a)\s*$", re.I), 20, "are what programs write where there is no text"),
)


class Oddities:
    """The odd lines of a text, counted by what they have."""

    def __init__(self, lines: Iterable[str] = ()) -> None:
        self.size, self.counts = 0, Counter[str]()
        for line in lines:
            self.count(line)

    def count(self, line: str) -> None:
        self.size += 1
        self.counts.update(said for pattern, _, said in ODDITIES if pattern.search(line))

    def notes(self) -> Iterator[str]:
        """Yield what many of the lines have, as in ``812 of 1,000 lines are …``."""
        for _, share, said in ODDITIES:
            if share * self.counts[said] > self.size:
                yield f"{self.counts[said]:,} of {self.size:,} lines {said}"
