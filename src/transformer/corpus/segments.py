"""Text with tags: test sets of WMT (.sgm) and IWSLT (.xml) are read, and every other is refused by its name.

WMT's SGM is neither valid SGML nor XML: an ``&`` is not always written as an entity, so no parser of either reads it.
"""

import html
import re
from collections.abc import Callable
from html.entities import html5
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

from transformer.common.errors import UserError
from transformer.common.notes import say

# How a text with tags begins, after comments.  A sentence that begins with a tag goes on in its line.
_BEGINNING = re.compile(
    r"\s*+(?:<!--.*?-->\s*+)*+"
    r"<(?:\?xml\b|!doctype\b|\s*seg\b|\s*(?:doc|mteval|srcset|refset|tstset|tmx|dataset)\b[^<>]*>\s*?(?:[\n<]|\Z))",
    re.S | re.I,
)
# The beginning of a document or of a set of references; or a segment, which is empty if its tag ends in `/`, and else
# ends at `</seg>` or, without that, at the next segment.
_PART = re.compile(
    r"<\s*(doc|refset)\b([^<>]*)>|<\s*seg\b([^<>]*)(?:(?<=/)>|>(.*?)(</\s*seg\b|(?=<\s*seg\b)|\Z))",
    re.S | re.I,
)
_CDATA = re.compile(r"<!\[CDATA\[(.*)\]\]>", re.S)
# A name counts only whole: html.unescape alone would, like a browser, turn "&region" and "&region;" into "®ion".
_ENTITY = re.compile(r"&(?:#[0-9]{1,9}|#[xX][0-9a-fA-F]{1,9}|[A-Za-z]\w*);")
_TAGGED_LINE = re.compile(r"\s*</?[a-z][^<>]*>(.*>)?\s*", re.I)
# IWSLT's texts for training have such lines between the sentences.
_IWSLT_LINE = re.compile(r"^[ \t]*<(url|talkid|keywords|description)>.*</\1>\s*$", re.M)
_SPLIT = "write the sentences of each language to a file, one a line"
_REFUSED = {
    "tmx": f"a translation memory (TMX); {_SPLIT}",
    "dataset": f"WMT's XML, which has source and translations in one file; {_SPLIT}, or give a set of `sacrebleu`",
}


class Segment(NamedTuple):
    """One sentence of a test set: its document, its number there, and its text."""

    document: str
    number: str
    text: str


def has_segments(head: str, path: Path | str) -> bool:
    """Return whether a file that begins with ``head`` is a test set with tags, for :func:`read_segments`.

    Raises UserError when it has tags of another kind.
    """
    talk = _IWSLT_LINE.search(head)
    lines = [line for line in head.split("\n") if line.strip()]
    # Symbols of a corpus, like <unk>, have no end.
    tagged = sum(_TAGGED_LINE.fullmatch(line) is not None for line in lines) if "</" in head else 0
    if not (_BEGINNING.match(head) or talk or 2 * tagged > max(len(lines), 4)):
        return False
    if refused := re.search(rf"<\s*({'|'.join(_REFUSED)})\b", head, re.I):
        raise UserError(f"{path}: it is {_REFUSED[refused[1].lower()]}")
    if re.search(r"<\s*seg\b", head, re.I):
        return True
    if talk:
        line = 1 + head.count("\n", 0, talk.start(1))
        raise UserError(
            f"{path}, line {line}: it is IWSLT's text for training, with lines of tags between the sentences; take "
            "them out of both languages: grep -v '^ *<' FILE"
        )
    raise UserError(f"{path}: it is text with tags, but without <seg>; {_SPLIT}")


def read_segments(text: str, path: Path | str, tell: Callable[[str], None] = say) -> list[Segment]:
    """Return the segments of a test set in their order, with entities as characters and line breaks as spaces.

    Of several references in one file, the first is taken, and ``tell`` is called.  Raises UserError when there is no
    segment, when one is not closed, or when a tag is damaged.
    """
    text = _without_comments(text)
    document, reference = "", (0, "")
    segments: list[Segment] = []
    references: dict[tuple[str, str], tuple[int, str]] = {}  # that each segment is first found in
    further, left_out = set(), 0
    for part in _PART.finditer(text):
        beginning, given, attributes, sentence, end = part.groups()
        if beginning is not None and beginning.lower() == "refset":
            reference = (part.start(), "")
            continue
        if beginning is not None:
            document = _attribute("docid", given) or _attribute("id", given)
            reference = (reference[0], _attribute("sysid", given))
            continue
        if not (end or attributes.endswith("/")):
            line = 1 + text.count("\n", 0, part.start())
            raise UserError(
                f"{path}, line {line}: the segment is not closed by </seg>; the file is damaged or truncated"
            )
        number = _attribute("id", attributes.removesuffix("/"))
        # "07" and "7" are one number.
        segment = Segment(document, number.lstrip("0") or number, _sentence(sentence or ""))
        if references.setdefault(segment[:2], reference) == reference:
            segments.append(segment)
        else:
            further.add(reference)
            left_out += 1
    opened, closed = (
        len(re.findall(tag, text, re.I)) for tag in (r"<\s*seg\b", r"</\s*seg\b|<\s*seg\b[^<>]*/>")
    )
    if not len(segments) + left_out == opened == closed > 0:
        raise UserError(
            f"{path}: it has <seg {opened} times and </seg {closed} times, but {len(segments) + left_out} whole "
            "segments; it is damaged, truncated or empty"
        )
    if further:
        tell(f"{path}: {1 + len(further)} references of {len(segments):,} segments; the first is taken")
    return segments


def check_matching(source: list[Segment], target: list[Segment], paths: tuple[Path, Path]) -> None:
    """Raise UserError when two files do not have the same documents and segments in the same order."""
    for one, other in zip_longest(source, target):
        if one is None or other is None or one[:2] != other[:2]:
            names = [
                f"document {part.document!r}, segment {part.number!r}" if part else "its end"
                for part in (one, other)
            ]
            raise UserError(
                f"{paths[0]} and {paths[1]}: where one has {names[0]}, the other has {names[1]}; get both files from "
                "the same release"
            )


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
