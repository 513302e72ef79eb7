"""Reading WMT's test sets, whose SGM is neither valid SGML nor XML: an ``&`` is not always written as an entity."""

import html
import re
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

from transformer.common.errors import UserError
from transformer.common.lines import BYTE_ORDER_MARK
from transformer.corpus.pairs import Pair, read_side

# The beginning of a document, or a segment, which ends at `</seg>`; without that, at the next segment.
_PART = re.compile(r"<doc\b([^<>]*)>|<seg\b([^<>]*)>(.*?)(</seg\b|(?=<seg\b)|\Z)", re.S | re.I)
_NAME = re.compile(r'\bdocid="([^"]*)"', re.I)
_NUMBER = re.compile(r'\bid="?([0-9]{1,9})\b"?', re.I)
# The semicolon is required: html.unescape alone would, like a browser, turn "&region" into "®ion".
_ENTITY = re.compile(r"&(?:#[0-9]{1,9}|#[xX][0-9a-fA-F]{1,9}|[A-Za-z]\w*);")


class Segment(NamedTuple):
    """One sentence of a test set: its document, its number there, and its text."""

    document: str
    number: int
    text: str


def is_sgm(source: Path, target: Path) -> bool:
    """Return whether both sides of a part are SGM, by the ends of their names.

    Raises UserError when only one is: its lines are no sentences.
    """
    found = [path.name.lower().endswith((".sgm", ".sgm.gz")) for path in (source, target)]
    if found[0] != found[1]:
        sgm, other = (source, target) if found[0] else (target, source)
        raise UserError(f"{sgm} is SGM but {other} is not; name two files of one kind")
    return found[0]


def read_sgm(path: Path) -> list[Segment]:
    """Return the segments of an SGM file in their order, with entities as characters and line breaks as spaces.

    The file is decompressed if its name ends in ``.gz``.  A byte order mark at the beginning of the file is returned at
    the beginning of the first segment, where cleaning takes it off and counts it.

    Raises UserError when there is no segment, when one is not closed or has no number, or when a tag is damaged.
    """
    content = "\n".join(read_side(path))
    text = content.removeprefix(BYTE_ORDER_MARK)
    document = ""
    segments: list[Segment] = []
    for part in _PART.finditer(text):
        beginning, attributes, sentence, end = part.groups()
        if beginning is not None:
            name = _NAME.search(beginning)
            document = name[1] if name else ""
            continue
        number = _NUMBER.search(attributes)
        if number is None or not end:
            line = 1 + text.count("\n", 0, part.start())
            what = "is not closed by </seg>" if number else "has no number"
            raise UserError(f"{path}, line {line}: the segment {what}; the file is damaged or truncated")
        segments.append(Segment(document, int(number[1]), _sentence(sentence)))
    opened, closed = (len(re.findall(rf"<{slash}\s*seg\b", text, re.I)) for slash in ("", "/"))
    if not len(segments) == opened == closed > 0:
        raise UserError(
            f"{path}: {opened} times <seg and {closed} times </seg, but {len(segments)} whole segments; the file is "
            "damaged, truncated or empty"
        )
    if text is not content:
        segments[0] = segments[0]._replace(text=BYTE_ORDER_MARK + segments[0].text)
    return segments


def read_sgm_pairs(source: Path, target: Path) -> list[Pair]:
    """Return the sentences of a test set with their translations.

    Raises UserError when the two files do not have the same documents and segments in the same order.
    """
    pairs = []
    for one, other in zip_longest(read_sgm(source), read_sgm(target)):
        if one is None or other is None or one[:2] != other[:2]:
            names = [
                f"document {part[0]!r}, segment {part[1]}" if part else "its end" for part in (one, other)
            ]
            raise UserError(
                f"{source} and {target}: where one has {names[0]}, the other has {names[1]}; get both files from the "
                "same release"
            )
        pairs.append((one.text, other.text))
    return pairs


def _sentence(text: str) -> str:
    """Return the text of a segment as one line; an entity can be a line break too."""
    return _ENTITY.sub(lambda entity: html.unescape(entity[0]), text).replace("\n", " ").strip()
