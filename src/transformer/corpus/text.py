"""The gate for text of other people: a file comes in, its lines go out, and what is odd in them is counted.

A path names a file or, in an archive, ``ARCHIVE/MEMBER``.  What a file is, its first bytes say, not its name: lines in
UTF-8, or a test set with tags as WMT and IWSLT ship them, compressed or not (`packed.py`).  Anything else is refused in
one line.  Behind the gate, where the pipeline reads what it has written, a line is a line.
"""

import codecs
import html
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from html.entities import html5
from pathlib import Path
from typing import IO

from transformer.common.errors import UserError, reading
from transformer.common.lines import without_marks
from transformer.common.notes import say
from transformer.corpus.packed import AGAIN, DAMAGES, HEAD, archive_of, codec_of, is_tar, member_of, unpacked
from transformer.corpus.pairs import Pair, aligned

STANDARD_INPUT = "standard input"
FIRST = 3  # lines of each kind whose numbers are kept
Tell = Callable[[str], None]

_MEMBER = "name a text in it, as ARCHIVE/MEMBER, or unpack it"
_PLAIN = "write the sentences of each language to a file, one a line"
# How files begin that are no lines of text but could pass for them, what they are, and what to do.
_REFUSED = (
    (rb"\x28\xb5\x2f\xfd", "compressed by zstd; unpack it with zstd -d"),
    (rb"PK\x03\x04", f"a zip archive, as office documents are; {_MEMBER}"),
    (rb"\xff\xfe|\xfe\xff", "text in UTF-16; convert it: iconv -f UTF-16 -t UTF-8"),
    (rb"%PDF-|\{\\rtf|PAR1|Rar!", f"PDF, RTF, Parquet or rar; {_PLAIN}"),
    (rb'\s*+(\[\s*+)?\{\s*+"[^"\n]*+"\s*+:.*([\]}{\[,]\s*+(\n|\Z)|.{60000})', f"JSON; {_PLAIN}"),
    (rb"(?i:\s*+(<!doctype html\b|<html[^>]*+>\s*+<))", "a web page (HTML); get the file itself"),
    (rb"version https://git-lfs\.", "a pointer of Git LFS, not the file; run git lfs pull"),
    # Segments of one language have been looked for before.
    (
        rb"(?i:\s*+(?:<!--.*?-->\s*+)*+<(\?xml\b|!doctype\b|(url|talkid)>[^<\n]*</"
        rb"|(mteval|srcset|refset|tstset|doc|tmx|dataset|xliff)\b[^<>]*>\s*?[\n<]))",
        f"text with tags, and no test set of one language; {_PLAIN}",
    ),
)
_TEST_SET = re.compile(
    rb"(?i:\s*+(?:<!--.*?-->\s*+)*+(?=<(\?xml|!doctype|mteval|srcset|refset|tstset|doc|seg)\b).*?<seg\b)",
    re.S,
)
_SEGMENT = re.compile(r"<seg\b[^<>]*>([^<]*(?:<(?!/?seg\b)[^<]*)*)</seg\s*>", re.I)
_DOCUMENT = re.compile(r"<doc\b[^<>]*\bdocid\s*=\s*([^\s<>]+)", re.I)
_ENTITY = re.compile(r"&(?:#\d{1,9}|#[xX][0-9a-fA-F]{1,9}|[A-Za-z]\w*);")
_CONTROLS = bytes([*range(9), *range(14, 27), *range(28, 32)])  # bytes that are in hardly any text


class Odd(Counter[tuple[str, str]]):
    """How many lines are odd, by kind and side; ``first`` has the numbers of the first three of each, from 1."""

    def __init__(self) -> None:
        super().__init__()
        self.first: dict[tuple[str, str], list[int]] = {}

    def add(self, kind: str, side: str, line: int, count: int = 1) -> None:
        """Count a line, or ``count`` lines of which ``line`` is the first."""
        self[kind, side] += count
        first = self.first.setdefault((kind, side), [])
        if len(first) < FIRST:
            first.append(line)


@dataclass(frozen=True)
class Part:
    """Two aligned texts, each a file or ``ARCHIVE/MEMBER``; or two columns, from 1, of one."""

    source: Path
    target: Path
    columns: tuple[int, int] | None = None


def read_pairs_of(part: Part, odd: Odd, tell: Tell = say) -> Iterator[Pair]:
    """Yield the pairs of a part; what is odd in the lines that were taken is counted in ``odd``.

    Raises UserError with file and line as :func:`read_text` does, when a line lacks a column, and when the sides differ
    in their number of lines or have none.
    """
    if part.columns is None:
        sides = (read_text(part.source, odd, "source", tell), read_text(part.target, odd, "target", tell))
        yield from aligned(*sides, part.source, part.target)
        return
    usual = number = 0
    for number, line in enumerate(read_text(part.source, odd, tell=tell), start=1):
        row = line.split("\t")
        usual = usual or len(row)
        if len(row) < max(part.columns):
            raise UserError(
                f"{part.source}, line {number}: it has {len(row)} tab-separated columns, but column "
                f"{max(part.columns)} is asked for; correct the line or `columns`"
            )
        if len(row) != usual:
            odd.add("columns", "both", number)
        yield row[part.columns[0] - 1], row[part.columns[1] - 1]
    if number == 0:
        raise UserError(f"{part.source}: the file is empty; it needs at least one sentence")


def read_text(
    path: Path | str | None, odd: Odd | None = None, side: str = "both", tell: Tell = say
) -> Iterator[str]:
    """Yield the lines of one text, or the segments of a test set; None is standard input.

    What was changed in a line is counted in ``odd`` when the line is yielded.  Raises UserError with file and line when
    the text cannot be read.
    """
    odd = Odd() if odd is None else odd
    file, member = archive_of(path) if path else (Path(STANDARD_INPUT), "")
    with reading(file, AGAIN, raises=DAMAGES):
        if path is None:
            # Unbuffered, so that a line is read when it has been typed.
            yield from _lines(getattr(sys.stdin.buffer, "raw", sys.stdin.buffer), file, odd, side, tell)
            return
        with open(file, "rb", buffering=0) as opened:
            contents = member_of(opened, file, member, tell) if member else [opened]
            for content in contents:
                yield from _lines(content, path, odd, side, tell)


def _lines(content: IO[bytes], name: Path | str, odd: Odd, side: str, tell: Tell) -> Iterator[str]:
    stream = unpacked(content, name, tell)
    head = stream.peek(HEAD).removeprefix(codecs.BOM_UTF8)
    is_test_set = _TEST_SET.match(head) and not re.search(rb"(?i:<(tmx|dataset)\b)", head)
    if not is_test_set and (what := _what_else(head)):
        raise UserError(f"{name}: it is {what}")
    lines = _plain_lines(stream, name, odd, side)
    yield from _segments("\n".join(lines), name) if is_test_set else lines


def _what_else(head: bytes) -> str | None:
    """Return what a file is that begins with ``head``, and what to do, if it is no text."""
    if is_tar(head):
        return f"a tar archive; {_MEMBER}"
    if codec_of(head):
        return "compressed twice; decompress it once"
    if (what := next((what for magic, what in _REFUSED if re.match(magic, head, re.S)), None)) is not None:
        return what
    if head.count(b"\r") > 1 + 10 * head.count(b"\n"):
        return r"text whose lines end by carriage returns (CR), as on old Macs; end them by LF: tr '\r' '\n'"
    return f"binary data ({head[:8]!r} …); name a text file in UTF-8" if _is_binary(head) else None


def _is_binary(head: bytes) -> bool:
    """Return whether a file begins as no text does.  Text in UTF-8 may have a few NULs, which are taken out."""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)  # which may end within a character
    except UnicodeDecodeError:
        return 50 * (len(head) - len(head.translate(None, _CONTROLS))) > len(head)
    return 5 * head.count(0) > len(head)


def _plain_lines(stream: IO[bytes], name: Path | str, odd: Odd, side: str) -> Iterator[str]:
    """Yield lines without their ends and without marks.  Raises UserError when one is not UTF-8."""
    for number, raw in enumerate(stream, start=1):
        try:
            line = raw.decode().removesuffix("\n").removesuffix("\r")
        except UnicodeDecodeError as error:
            raise UserError(
                f"{name}, line {number}: not UTF-8 (0x{raw[error.start]:02x} at byte {error.start + 1}); "
                "`grep -naxv '.*' FILE` lists all such lines: correct these only, or take them out of both languages, "
                "since converting a whole file spoils the lines that are UTF-8"
            ) from None
        if "\r" in line:
            odd.add("returns", side, number)
        if "\ufeff" in line or "\0" in line:
            odd.add("marks", side, number)
            line = without_marks(line)
        yield line


def _segments(text: str, name: Path | str) -> list[str]:
    """Return the segments of a test set, each as one line.

    WMT's SGM is neither valid SGML nor XML: an ``&`` is not always written as an entity, so no parser of either reads
    it.
    """
    segments = _SEGMENT.findall(text)
    opened, closed = (len(re.findall(tag, text, re.I)) for tag in (r"<seg\b", r"</seg\b"))
    if not len(segments) == opened == closed:
        raise UserError(
            f"{name}: it has <seg {opened} times and </seg {closed} times, but {len(segments)} whole segments; it is "
            "damaged or truncated"
        )
    documents = _DOCUMENT.findall(text)
    if len(set(documents)) < len(documents) or len(re.findall(r"<refset\b", text, re.I)) > 1:
        raise UserError(
            f"{name}: it has several references or systems, {len(segments)} segments in all; keep those of one"
        )
    return [_ENTITY.sub(_character, segment).replace("\n", " ").strip() for segment in segments]


def _character(entity: re.Match[str]) -> str:
    """Return what an entity stands for.

    A name counts only whole: html.unescape alone would, like a browser, turn "&region;" into "®ion;".
    """
    is_known = entity[0].startswith("&#") or entity[0][1:] in html5
    return html.unescape(entity[0]) if is_known else entity[0]
