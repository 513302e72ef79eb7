"""Text with tags: test sets of WMT (.sgm) and IWSLT (.xml) are read, and every other is refused by its name.

WMT's SGM is neither valid SGML nor XML: an ``&`` is not always written as an entity, so no parser of either reads it.
"""

import html
import re
from collections.abc import Iterator
from html.entities import html5
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

from transformer.common.errors import UserError
from transformer.common.file_kinds import head_of
from transformer.common.files import read_lines
from transformer.common.lines import BYTE_ORDER_MARK, root_of
from transformer.corpus.pairs import Pair

# The beginning of a document; or a segment, which is empty if its tag ends in `/`, and else ends at `</seg>` or,
# without that, at the next segment.
_PART = re.compile(
    r"<\s*doc\b([^<>]*)>|<\s*seg\b([^<>]*)(?:(?<=/)>|>(.*?)(</\s*seg\b|(?=<\s*seg\b)|\Z))", re.S | re.I
)
_SEG = re.compile(r"<\s*seg\b", re.I)
_CDATA = re.compile(r"<!\[CDATA\[(.*)\]\]>", re.S)
# A name counts only whole: html.unescape alone would, like a browser, turn "&region" and "&region;" into "®ion".
_ENTITY = re.compile(r"&(?:#[0-9]{1,9}|#[xX][0-9a-fA-F]{1,9}|[A-Za-z]\w*);")

_TAGGED_LINE = re.compile(r"\s*</?[a-z][^<>]*>(.*>)?\s*", re.I)
# IWSLT's texts for training have such lines between the sentences.
_IWSLT_LINE = re.compile(r"^[ \t]*<(url|talkid|keywords|description)>.*</\1>\s*$", re.M)
_SPLIT = "write the sentences of each language to a file, one a line"
_OTHERS = {
    "tmx": f"a translation memory (TMX); {_SPLIT}",
    "xliff": f"XLIFF; {_SPLIT}",
    "dataset": f"WMT's XML, which has source and translations in one file; {_SPLIT}, or give a set of `sacrebleu`",
}


class Segment(NamedTuple):
    """One sentence of a test set: its document, its number there, and its text."""

    document: str
    number: str
    text: str


def has_segments(path: Path) -> bool:
    """Return whether a file is a test set with tags, for :func:`read_sgm`, and not plain text; its name says nothing.

    Raises UserError when it has tags of another kind.
    """
    head = head_of(path).decode("utf-8", "replace").removeprefix(BYTE_ORDER_MARK)
    name = root_of(head)
    lines = [line for line in head.splitlines() if line.strip()]
    # Symbols of a corpus, like <unk>, have no end.
    tagged = sum(_TAGGED_LINE.fullmatch(line) is not None for line in lines) if "</" in head else 0
    talk = _IWSLT_LINE.search(head)
    if name is None and not talk and 2 * tagged <= len(lines):
        return False
    if name in _OTHERS:
        raise UserError(f"{path}: {_OTHERS[name]}")
    if _SEG.search(head):
        return True
    if talk:
        raise UserError(
            f"{path}, line {1 + head.count(chr(10), 0, talk.start(1))}: IWSLT's text for training, with lines of tags "
            "between the sentences; take them out of both languages: grep -v '^ *<' FILE"
        )
    raise UserError(f"{path}: text with tags, but without <seg>; {_SPLIT}")


def read_plain(path: Path) -> Iterator[str]:
    """Yield the lines of a file of plain text.  Raises UserError when it has tags."""
    if has_segments(path):
        raise UserError(f"{path}: a test set with tags; {_SPLIT}")
    yield from read_lines(path)


def read_sgm(path: Path) -> list[Segment]:
    """Return the segments of a test set in their order, with entities as characters and line breaks as spaces.

    A byte order mark at the beginning of the file is returned at the beginning of the first segment, where cleaning
    takes it off and counts it.

    Raises UserError when there is no segment, when one is not closed, or when a tag is damaged.
    """
    content = "\n".join(read_lines(path))
    text = _without_comments(content.removeprefix(BYTE_ORDER_MARK))
    document = ""
    segments: list[Segment] = []
    for part in _PART.finditer(text):
        beginning, attributes, sentence, end = part.groups()
        if beginning is not None:
            document = _attribute("docid", beginning) or _attribute("id", beginning)
            continue
        if not (end or attributes.endswith("/")):
            line = 1 + text.count("\n", 0, part.start())
            raise UserError(
                f"{path}, line {line}: the segment is not closed by </seg>; the file is damaged or truncated"
            )
        number = _attribute("id", attributes.removesuffix("/"))
        # "07" and "7" are one number.
        segments.append(Segment(document, number.lstrip("0") or number, _sentence(sentence or "")))
    opened, closed = (
        len(re.findall(tag, text, re.I)) for tag in (r"<\s*seg\b", r"</\s*seg\b|<\s*seg\b[^<>]*/>")
    )
    if not len(segments) == opened == closed > 0:
        raise UserError(
            f"{path}: {opened} times <seg and {closed} times </seg, but {len(segments)} whole segments; the file is "
            "damaged, truncated or empty"
        )
    if content.startswith(BYTE_ORDER_MARK):
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
                f"document {part.document!r}, segment {part.number!r}" if part else "its end"
                for part in (one, other)
            ]
            raise UserError(
                f"{source} and {target}: where one has {names[0]}, the other has {names[1]}; get both files from the "
                "same release"
            )
        pairs.append((one.text, other.text))
    return pairs


def _attribute(name: str, tag: str) -> str:
    """Return the value of an attribute, quoted in either way or not at all; an empty text if there is none."""
    value = re.search(rf"""(?<![\w:.-]){name}\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'<>]+))""", tag, re.I)
    return "".join(filter(None, value.groups())).strip() if value else ""


def _without_comments(text: str) -> str:
    """Take out comments, which may have segments in them, but not their line ends, so that lines keep their numbers."""
    first, *others = text.split("<!--")
    parts = [first]
    for other in others:
        comment, end, rest = other.partition("-->")
        parts.append("\n" * comment.count("\n") + rest if end else f"<!--{other}")
    return "".join(parts)


def _character(entity: re.Match[str]) -> str:
    """Return what an entity stands for; one of an unknown name stands for itself."""
    is_known = entity[0].startswith("&#") or entity[0][1:] in html5
    return html.unescape(entity[0]) if is_known else entity[0]


def _sentence(text: str) -> str:
    """Return the text of a segment as one line; an entity can be a line break too."""
    if literal := _CDATA.fullmatch(text.strip()):
        text = literal[1]
    else:
        text = _ENTITY.sub(_character, text)
    return text.replace("\n", " ").strip()
