"""Reading WMT's test sets, whose SGM is neither valid SGML nor XML: an ``&`` is not always written as an entity."""

import html
import re
from bisect import bisect
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import Path

from transformer.common.errors import UserError
from transformer.common.lines import BYTE_ORDER_MARK
from transformer.corpus.pairs import read_side

# Attributes hold no `<`, so that a tag without `>` is not searched to the end of the file.
_TAG = re.compile(
    r"<doc\b(?P<document>[^<>]*)>|<seg\b(?P<segment>[^<>]*)>|</(?P<closing>seg|doc)\b[^<>]*>", re.I
)
_NAME = re.compile(r'\bdocid="([^"]*)"', re.I)
_NUMBER = re.compile(r'\bid="?([0-9]{1,9})\b"?', re.I)
_OUTSIDE = re.compile(
    r"<!--.*?-->|<[^<>]*>|\s+|(?P<text>[^<]+|<)", re.S
)  # what may be between segments, and text
# The semicolon is required: html.unescape alone would, like a browser, turn "&region" into "®ion".
_ENTITY = re.compile(r"&(?:#[0-9]{1,9}|#[xX][0-9a-fA-F]{1,9}|[A-Za-z]\w*);")


@dataclass(frozen=True)
class Segment:
    """One sentence of a test set: its document, its number there, its text, and the line on which it begins."""

    document: str
    number: int
    text: str
    line: int

    @property
    def place(self) -> tuple[str, int]:
        """Return document and number, which a sentence and its translation share."""
        return self.document, self.number


def is_sgm(source: Path | str, target: Path | str) -> bool:
    """Return whether both sides of a part are SGM, by the ends of their names.

    Raises UserError when only one is: its lines are no sentences.
    """
    found = [str(path).lower().endswith((".sgm", ".sgm.gz")) for path in (source, target)]
    if found[0] != found[1]:
        sgm, other = (source, target) if found[0] else (target, source)
        raise UserError(f"{sgm} is SGM but {other} is not; name two files of one kind")
    return found[0]


def read_sgm(path: Path | str) -> list[Segment]:
    """Return the segments of an SGM file in their order, with entities as characters and line breaks as spaces.

    The file is decompressed if its name ends in ``.gz``.

    A byte order mark at the beginning of the file is returned at the beginning of the first segment, where cleaning
    takes it off and counts it.

    Raises UserError with file and line when a segment is not closed or has no number, when a text is in no segment, or
    when the numbers of a document do not increase.  They may have gaps: the filtered newstest2014 does not keep every
    segment.
    """
    lines = list(read_side(path))
    mark = BYTE_ORDER_MARK if lines and lines[0].startswith(BYTE_ORDER_MARK) else ""
    lines[:1] = [line.removeprefix(mark) for line in lines[:1]]
    text = "\n".join(lines)
    starts = list(accumulate((len(line) + 1 for line in lines), initial=0))

    def place(offset: int) -> str:
        return f"{path}, line {bisect(starts, offset)}"

    segments: list[Segment] = []
    document, last = "", 0
    end = 0  # of the last tag
    open_at = None  # where the open segment's tag begins
    for tag in _TAG.finditer(text):
        closing = (tag["closing"] or "").lower()
        if open_at is not None:
            if closing != "seg":
                break
            segments.append(
                Segment(document, last, _sentence(text[end : tag.start()]), bisect(starts, open_at))
            )
            open_at = None
        else:
            _check_between(text, end, tag.start(), place)
            if closing == "seg":
                raise UserError(f"{place(tag.start())}: {tag[0][:20]} closes no segment; the file is damaged")
            if tag["document"] is not None:
                name = _NAME.search(tag["document"])
                document, last = name[1] if name else "", 0
            elif tag["segment"] is not None:
                last = _number(place(tag.start()), tag["segment"], document, last)
                open_at = tag.start()
        end = tag.end()
    if open_at is not None:
        raise UserError(f"{place(open_at)}: the segment is not closed by </seg>; the file is truncated")
    _check_between(text, end, len(text), place)
    segments[:1] = [replace(first, text=mark + first.text) for first in segments[:1]]
    return segments


def _check_between(text: str, start: int, end: int, place: Callable[[int], str]) -> None:
    """Raise UserError when there are words between two segments: the tag of one is damaged."""
    for part in _OUTSIDE.finditer(text, start, end):
        if part["text"]:
            raise UserError(
                f"{place(part.start())}: {part[0][:40]!r} is in no segment; the file is damaged or truncated"
            )


def _number(where: str, attributes: str, document: str, last: int) -> int:
    """Return the number of a segment after segment ``last``."""
    number = _NUMBER.search(attributes)
    if number is None:
        raise UserError(f"{where}: a segment without a number; the file is damaged")
    if int(number[1]) <= last:
        raise UserError(
            f"{where}: segment {number[1]} of document {document!r} follows segment {last}; "
            "the file is out of order, so its sentences cannot be matched with their translations"
        )
    return int(number[1])


def read_sgm_pairs(source: Path | str, target: Path | str) -> list[tuple[str, str]]:
    """Return the sentences of a test set with their translations.

    Raises UserError when a file has no segment, or when the two files do not have the same documents and segments in
    the same order.
    """
    ours, theirs = read_sgm(source), read_sgm(target)
    for path, segments in ((source, ours), (target, theirs)):
        if not segments:
            raise UserError(f"{path}: no segment; a test set needs at least one pair of sentences")
    if len(ours) != len(theirs):
        raise UserError(
            f"{source} has {len(ours)} segments but {target} has {len(theirs)}: they are not sentence-aligned; "
            "get both files from the same release"
        )
    for one, other in zip(ours, theirs, strict=True):
        if one.place != other.place:
            raise UserError(
                f"{source}, line {one.line} has document {one.document!r}, segment {one.number}, but {target}, "
                f"line {other.line} has document {other.document!r}, segment {other.number}; "
                "get both files from the same release"
            )
    return [(one.text, other.text) for one, other in zip(ours, theirs, strict=True)]


def _sentence(text: str) -> str:
    """Return the text of a segment as one line; an entity can be a line break too."""
    return _ENTITY.sub(lambda entity: html.unescape(entity[0]), text).replace("\n", " ").strip()
