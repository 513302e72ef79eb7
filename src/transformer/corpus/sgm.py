"""Reading WMT's test sets: SGM, which is neither valid SGML nor XML, since its ``&`` stand bare."""

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

from transformer.common.errors import UserError
from transformer.common.files import read_lines

_DOCUMENT = re.compile(r"<doc\b[^>]*?\bdocid=\"([^\"]*)\"", re.IGNORECASE)
_SEGMENT = re.compile(r"<seg\b[^>]*?\bid=\"?(\d+)\"?[^>]*>(.*)", re.IGNORECASE)
_END = re.compile(r"</seg\s*>", re.IGNORECASE)
_ANY_START = re.compile(r"<seg\b", re.IGNORECASE)
# Only with its semicolon: html.unescape alone, as browsers do, makes a ® of the first letters of "&region".
_ENTITY = re.compile(r"&(?:#\d+|#[xX][0-9a-fA-F]+|[A-Za-z]\w*);")


@dataclass(frozen=True)
class Segment:
    """One sentence of a test set: where it belongs, its text, and the line of the file on which it begins."""

    document: str
    number: int
    text: str
    line: int

    @property
    def place(self) -> tuple[str, int]:
        """What is the same for a sentence and its translation."""
        return self.document, self.number


def read_sgm(path: Path | str) -> Iterator[Segment]:
    """Stream the segments of an SGM file in their order; entities become characters, line breaks spaces.

    Raises UserError with file and line when a segment is not closed, has no number, or when the numbers of a document
    do not rise (they may leave gaps: the filtered newstest2014 does not keep every segment).
    """
    document, last, began = "", 0, 0
    text: list[str] | None = None  # of the segment that is open
    for line, content in enumerate(read_lines(path), start=1):
        if text is None:
            if found := _DOCUMENT.search(content):
                document, last = found[1], 0
            if not _ANY_START.search(content):
                continue
            segment = _SEGMENT.search(content)
            if segment is None:
                raise UserError(f"{path}, line {line}: a segment without a number; the file is damaged")
            number, began, text, content = int(segment[1]), line, [], segment[2]
            if number <= last:
                raise UserError(
                    f"{path}, line {line}: segment {number} of document {document!r} follows segment {last}; "
                    "the file is out of order, so its sentences cannot be matched with their translations"
                )
            last = number
        elif _ANY_START.search(content):
            break
        *before, after = _END.split(content, maxsplit=1)
        text.append(before[0] if before else after)
        if before and _ANY_START.search(after):
            raise UserError(f"{path}, line {line}: two segments on one line; give each a line of its own")
        if before:
            yield Segment(document, last, _characters(" ".join(text)).strip(), began)
            text = None
        elif _ANY_START.search(after) or "</doc" in after:
            break
    if text is not None:
        raise UserError(f"{path}, line {began}: the segment is not closed by </seg>; the file is truncated")


def read_sgm_pairs(source: Path | str, target: Path | str) -> Iterator[tuple[str, str]]:
    """Stream the sentences of a test set with their translations.

    Raises UserError when a file has no segment, or when the two do not have the same documents and segments in the same
    order.
    """
    pairs = 0
    for ours, theirs in zip_longest(read_sgm(source), read_sgm(target)):
        if ours is None or theirs is None:
            shorter, longer = (source, target) if ours is None else (target, source)
            total = sum(1 for _ in read_sgm(longer))
            raise UserError(
                f"{shorter} has {pairs} segments but {longer} has {total}: they are not sentence-aligned; "
                "get both files from the same release"
            )
        if ours.place != theirs.place:
            raise UserError(
                f"{source}, line {ours.line}: document {ours.document!r}, segment {ours.number} stands where "
                f"{target}, line {theirs.line}, has document {theirs.document!r}, segment {theirs.number}; "
                "get both files from the same release"
            )
        pairs += 1
        yield ours.text, theirs.text
    if pairs == 0:
        raise UserError(f"{source}: no segment; a test set needs at least one pair of sentences")


def _characters(text: str) -> str:
    return _ENTITY.sub(lambda entity: html.unescape(entity[0]), text)
