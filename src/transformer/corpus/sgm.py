"""Reading WMT's test sets, whose SGM is neither valid SGML nor XML: an ``&`` is not always written as an entity."""

import html
import re
from dataclasses import dataclass
from pathlib import Path

from transformer.common.errors import UserError
from transformer.common.files import read_lines

_TAG = re.compile(
    r'<doc\b[^>]*?\bdocid="(?P<document>[^"]*)"|<seg\b(?P<segment>[^>]*)>|</(seg|doc)\b[^>]*>', re.I
)
_NUMBER = re.compile(r'\bid="?(\d+)"?', re.I)
# The semicolon is required: html.unescape alone would, like a browser, turn "&region" into "®ion".
_ENTITY = re.compile(r"&(?:#\d+|#[xX][0-9a-fA-F]+|[A-Za-z]\w*);")


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


def read_sgm(path: Path | str) -> list[Segment]:
    """Return the segments of an SGM file in their order, with entities as characters and line breaks as spaces.

    Raises UserError with file and line when a segment is not closed or has no number, or when the numbers of a
    document do not increase.  They may have gaps: the filtered newstest2014 does not keep every segment.
    """
    text = "\n".join(read_lines(path))
    segments: list[Segment] = []
    document, last, line, position = "", 0, 1, 0
    start = None  # where the text of the open segment begins
    for tag in _TAG.finditer(text):
        if start is not None:
            if tag[3] is None or tag[3].lower() != "seg":
                break
            content = text[start : tag.start()].replace("\n", " ")
            segments.append(Segment(document, last, _unescape(content).strip(), line))
            start = None
            continue
        line += text.count("\n", position, tag.start())
        position = tag.start()
        if tag["document"] is not None:
            document, last = tag["document"], 0
        elif tag["segment"] is not None:
            number = _NUMBER.search(tag["segment"])
            if number is None:
                raise UserError(f"{path}, line {line}: a segment without a number; the file is damaged")
            if int(number[1]) <= last:
                raise UserError(
                    f"{path}, line {line}: segment {number[1]} of document {document!r} follows segment {last}; "
                    "the file is out of order, so its sentences cannot be matched with their translations"
                )
            last, start = int(number[1]), tag.end()
    if start is not None:
        raise UserError(f"{path}, line {line}: the segment is not closed by </seg>; the file is truncated")
    return segments


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


def _unescape(text: str) -> str:
    return _ENTITY.sub(lambda entity: html.unescape(entity[0]), text)
