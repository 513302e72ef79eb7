"""Text with tags: test sets of WMT (.sgm) and IWSLT (.xml) are read, and every other is refused by its name.

WMT's SGM is neither valid SGML nor XML: an ``&`` is not always written as an entity, so no parser of either reads it.
"""

import html
import re
from collections import Counter
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
    # Translation memories and WMT's newer XML have both languages in one file.
    if re.search(r"<\s*seg\b", head, re.I) and not re.search(r"<\s*(tmx|dataset)\b", head, re.I):
        return True
    tag = "".join(re.findall(r"<\s*(\w+)", head)[:1])
    advice = "take these lines out of both languages: grep -v '^ *<' FILE"
    if not talk:
        advice = "write the sentences of each language to a file, one a line"
    raise UserError(
        f"{path}: it has tags (<{tag}>) in its lines, and is no test set of one language; {advice}"
    )


def read_segments(text: str, path: Path | str, tell: Callable[[str], None] = say) -> list[Segment]:
    """Return the segments of a test set in their order, with entities as characters and line breaks as spaces.

    Of several references in one file, the first is taken, and ``tell`` is called.  Raises UserError when there is no
    segment, when one is not closed, or when a tag is damaged.
    """
    text = _without_comments(text)
    texts: dict[tuple[str, str], str] = {}
    document, number, found = "", 0, 0
    # Documents without a name are counted in each set of references and for each system.
    documents = Counter[str]()
    for part in _PART.finditer(text):
        beginning, attributes, given, sentence, end = part.groups()
        if beginning is not None:
            number = 0
            if beginning.lower() == "refset":
                document, documents = "", Counter()
                continue
            system = _attribute("sysid", attributes)
            documents[system] += 1
            document = _attribute("docid", attributes) or _attribute("id", attributes)
            document = document or f"number {documents[system]}"
            continue
        if not (end or given.endswith("/")):
            line = 1 + text.count("\n", 0, part.start())
            raise UserError(
                f"{path}, line {line}: the segment is not closed by </seg>; the file is damaged or truncated"
            )
        number, found = number + 1, found + 1
        name = _attribute("id", given.removesuffix("/")) or f"number {number}"
        # "07" and "7" are one number.
        texts.setdefault((document, name.lstrip("0") or name), _sentence(sentence or ""))
    opened, closed = (
        len(re.findall(tag, text, re.I)) for tag in (r"<\s*seg\b", r"</\s*seg\b|<\s*seg\b[^<>]*/>")
    )
    if not found == opened == closed > 0:
        raise UserError(
            f"{path}: it has <seg {opened} times and </seg {closed} times, but {found} whole segments; it is damaged, "
            "truncated or empty"
        )
    if found > len(texts):
        tell(
            f"{path}: {found:,} segments of {len(texts):,} sentences; of several references, the first is taken"
        )
    return [Segment(*key, sentence) for key, sentence in texts.items()]


def check_matching(source: list[Segment], target: list[Segment], paths: tuple[Path, Path]) -> None:
    """Raise UserError when two files do not have the same documents and segments in the same order."""
    for pair in zip_longest(source, target, fillvalue=Segment("", "", "")):
        names = [f"document {document!r}, segment {number!r}" for document, number, _ in pair]
        if names[0] != names[1]:
            where, there = (
                name if segment.number else "its end" for name, segment in zip(names, pair, strict=True)
            )
            raise UserError(
                f"{paths[0]} and {paths[1]}: where one has {where}, the other has {there}; get both files from the "
                "same release"
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
