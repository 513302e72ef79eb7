"""Reading WMT's test sets, whose SGM is neither valid SGML nor XML: an ``&`` is not always written as an entity."""

import html
import re
from dataclasses import dataclass
from pathlib import Path

from transformer.common.errors import UserError
from transformer.common.lines import BYTE_ORDER_MARK
from transformer.corpus.pairs import read_side

# What follows `<seg`: attributes, the text, and what stands before the next segment.
_SEGMENT = re.compile(r"([^<>]*)>(.*?)</seg\b[^<>]*>(.*)", re.S | re.I)
_BETWEEN = re.compile(
    r"<!--.*?-->|<doc\b(?P<document>[^<>]*)>|(?P<closing></seg\b[^<>]*>)|<[^<>]*>|\s+|(?P<text>[^<]+|<)",
    re.S | re.I,
)
_NAME = re.compile(r'\bdocid="([^"]*)"', re.I)
_NUMBER = re.compile(r'\bid="?([0-9]{1,9})\b"?', re.I)
# The semicolon is required: html.unescape alone would, like a browser, turn "&region" into "®ion".
_ENTITY = re.compile(r"&(?:#[0-9]{1,9}|#[xX][0-9a-fA-F]{1,9}|[A-Za-z]\w*);")


@dataclass
class Segment:
    """One sentence of a test set: its document, its number there, its text, and the line on which it begins."""

    document: str
    number: int
    text: str
    line: int


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

    The file is decompressed if its name ends in ``.gz``.  A byte order mark at the beginning of the file is returned at
    the beginning of the first segment, where cleaning takes it off and counts it.

    Raises UserError with file and line when a segment is not closed or has no number, when a text is in no segment, or
    when the numbers of a document do not increase.  They may have gaps: the filtered newstest2014 does not keep every
    segment.
    """
    content = "\n".join(read_side(path))
    text = content.removeprefix(BYTE_ORDER_MARK)
    head, *pieces = re.split(r"<seg\b", text, flags=re.I)
    document, last = _document(head, path, 1) or "", 0
    line = 1 + head.count("\n")
    segments: list[Segment] = []
    for piece in pieces:
        where = f"{path}, line {line}"
        parts = _SEGMENT.fullmatch(piece)
        if parts is None:
            raise UserError(f"{where}: the segment is not closed by </seg>; the file is truncated")
        attributes, sentence, rest = parts.groups()
        last = _number(where, attributes, document, last)
        segments.append(Segment(document, last, _sentence(sentence), line))
        line += piece.count("\n")
        name = _document(rest, path, line - rest.count("\n"))
        if name is not None:
            document, last = name, 0
    if segments and text is not content:
        segments[0].text = BYTE_ORDER_MARK + segments[0].text
    return segments


def _document(text: str, path: Path | str, line: int) -> str | None:
    """Return the name of the last document that begins in the text between two segments, which begins on ``line``.

    Raises UserError when there are words, or the end of a segment: the tag of one is damaged.
    """
    document = None
    for part in _BETWEEN.finditer(text):
        if part["closing"] or part["text"]:
            number = line + text.count("\n", 0, part.start())
            what = "closes no segment" if part["closing"] else "is in no segment"
            raise UserError(
                f"{path}, line {number}: {part[0][:40]!r} {what}; the file is damaged or truncated"
            )
        if part["document"] is not None:
            name = _NAME.search(part["document"])
            document = name[1] if name else ""
    return document


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
        if (one.document, one.number) != (other.document, other.number):
            raise UserError(
                f"{source}, line {one.line} has document {one.document!r}, segment {one.number}, but {target}, "
                f"line {other.line} has document {other.document!r}, segment {other.number}; "
                "get both files from the same release"
            )
    return [(one.text, other.text) for one, other in zip(ours, theirs, strict=True)]


def _sentence(text: str) -> str:
    """Return the text of a segment as one line; an entity can be a line break too."""
    return _ENTITY.sub(lambda entity: html.unescape(entity[0]), text).replace("\n", " ").strip()
