"""The gate for text of other people: what is read here are lines of plain text, and what was odd in them is counted.

Corpora come in by `gather.py`, which reads pairs of lines; a treebank, raw English, and what is to be translated or
parsed by :func:`read_text`.  Behind the gate, where the pipeline reads what it has written, a line is a line.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import chain, islice, zip_longest
from pathlib import Path
from typing import IO, NamedTuple

from transformer.common.errors import UserError
from transformer.common.lines import MARKS, without_marks
from transformer.common.notes import say
from transformer.corpus.file_formats import HEAD, STANDARD_INPUT, Tell, guarded, open_text
from transformer.corpus.segments import Segment, check_matching, has_segments, read_segments

BLOCK = 10_000  # lines that are read together
_NOT_UTF8 = re.compile("[\udc80-\udcff]")
_RETURNS = 20  # one line in so many with a carriage return inside says that these end lines
FIRST = 3  # lines of each kind whose numbers are kept


class Found(dict[tuple[str, str], tuple[int, list[int]]]):
    """What was found: a kind and a side → the number of lines, and the numbers of the first of them, from 1."""

    def add(self, kind: str, side: str, numbers: Sequence[int], count: int | None = None) -> None:
        """Count the lines with these ``numbers``; there are ``count`` if only the first are given."""
        if numbers:
            before, first = self.get((kind, side), (0, []))
            total = before + (len(numbers) if count is None else count)
            self[kind, side] = total, [*first, *numbers][:FIRST]

    def merge(self, other: "Found") -> None:
        """Count what was found in later lines, too."""
        for (kind, side), (count, numbers) in other.items():
            self.add(kind, side, numbers, count)


class Block(NamedTuple):
    """Lines that follow one another, without marks, and what was found in them; ``first`` is the first one's number."""

    first: int
    lines: list[str]
    found: Found


@dataclass(frozen=True)
class Part:
    """Two aligned texts, each a file or ``ARCHIVE/MEMBER``; or two columns, from 1, of one."""

    source: Path
    target: Path
    columns: tuple[int, int] | None = None


class PairBlock(NamedTuple):
    """Pairs that follow one another, and what was found in them."""

    first: int
    sources: list[str]
    targets: list[str]
    found: Found


def read_text(
    path: Path | str | None, size: int = BLOCK, tell: Tell = say, found: Found | None = None
) -> Iterator[str]:
    """Yield the lines of one text, or the segments of a test set with tags; None is standard input.

    ``size`` lines are read together; what was changed or is odd in them is counted in ``found``.  Raises UserError with
    file and line when the text cannot be read.
    """
    with ExitStack() as stack:
        for block in Lines(path, stack, "both", tell, size):
            if found is not None:
                found.merge(block.found)
            yield from block.lines


class Lines:
    """The lines of one text in blocks, while ``stack`` is open.  ``segments`` are those of a test set with tags."""

    def __init__(self, path: Path | str | None, stack: ExitStack, side: str, tell: Tell, size: int = BLOCK):
        self._stream = stack.enter_context(open_text(path, tell))
        self._name, self._side, self._size = path or STANDARD_INPUT, side, size
        self.segments: list[Segment] | None = None
        head = self._stream.buffer.peek(HEAD).decode(self._stream.encoding, "replace")  # type: ignore[attr-defined]
        if has_segments(without_marks(head), self._name):
            blocks = list(_plain_blocks(self._stream, self._name, side, size))
            text = "\n".join(chain.from_iterable(block.lines for block in blocks))
            self.segments = read_segments(text, self._name, tell)
            self._marks = [block.found for block in blocks]

    def __iter__(self) -> Iterator[Block]:
        if self.segments is None:
            yield from _plain_blocks(self._stream, self._name, self._side, self._size)
            return
        found = Found()
        for other in self._marks:
            found.merge(other)
        yield Block(1, [segment.text for segment in self.segments], found)


def _plain_blocks(stream: IO[str], name: Path | str, side: str, size: int) -> Iterator[Block]:
    """Yield the lines of an open text.  Raises UserError when one is not UTF-8, and when lines end by CR."""
    first, total, has_others = 1, Found(), False

    def read() -> list[str]:
        with guarded(name):
            return list(islice(stream, size))

    while lines := read():
        text = "".join(lines)
        found = Found()
        if not text.isascii():
            if not _is_utf8(text):
                with guarded(name):
                    raise UserError(_say_not_utf8(name, lines, stream, first, has_others))
            has_others = True
        if "\r" in text:
            text = text.replace("\r\n", "\n").removesuffix("\r")
        if "\r" in text:
            inside = [n for n, line in enumerate(text.split("\n"), first) if "\r" in line]
            found.add("returns", side, inside)
            total.merge(found)
        plain = text.removesuffix("\n").split("\n")
        if "\ufeff" in text or "\0" in text:
            found.add("marks", side, [n for n, line in enumerate(plain, first) if MARKS.search(line)])
            plain = list(map(without_marks, plain))
        yield Block(first, plain, found)
        first += len(lines)
    count, numbers = total.get(("returns", side), (0, []))
    if _RETURNS * count >= first:
        raise UserError(
            f"{name}, line {numbers[0]}: a carriage return (CR) inside the line, as in {count:,} of {first - 1:,} "
            "lines; end all lines in one way, by LF"
        )


def _is_utf8(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _say_not_utf8(
    name: Path | str, lines: list[str], rest: Iterable[str], first: int, has_others: bool
) -> str:
    """Say which lines are not UTF-8.

    Only a text that has no others, apart from ASCII, may be converted as a whole.
    """
    bad: list[tuple[int, re.Match[str]]] = []
    count, good, number = 0, 0, first
    for number, line in enumerate(chain(lines, rest), first):
        if not line.isascii():
            found = _NOT_UTF8.search(line)
            count, good = count + bool(found), good + (not found)
            if found and len(bad) < FIRST:
                bad.append((number, found))
    at, byte = bad[0]
    code = ord(byte[0]) - 0xDC00
    where = f"{name}, line {at}: invalid UTF-8 (byte 0x{code:02x} at column {byte.start() + 1})"
    if good or has_others:
        listed = ", ".join(f"{one:,}" for one, _ in bad) + (" …" if count > FIRST else "")
        return (
            f"{where}, as in {count:,} of {number:,} lines ({listed}); others are UTF-8, so correct these lines only, "
            "or take them out of both languages: converting the whole file would spoil the others"
        )
    letter = bytes([code]).decode("windows-1252", "replace")
    return f"{where}, in Latin-1 {letter}; convert the file to UTF-8, e.g. iconv -f WINDOWS-1252 -t UTF-8"


def read_pair_blocks(part: Part, tell: Tell = say) -> Iterator[PairBlock]:
    """Yield the pairs of a part.

    Raises UserError with file and line when a line is not UTF-8 or lacks a column, when the sides differ in kind or in
    their number of lines, and when a file is empty, damaged or missing.
    """
    if part.columns is not None:
        yield from _column_blocks(part.source, part.columns, tell)
        return
    counts = [0, 0]
    with ExitStack() as stack:
        paths = (part.source, part.target)
        sides = [
            Lines(path, stack, side, tell) for path, side in zip(paths, ("source", "target"), strict=True)
        ]
        segments = [side.segments for side in sides]
        if (segments[0] is None) != (segments[1] is None):
            raise UserError(
                f"{paths[0]} and {paths[1]}: only one of them has tags; name two files of one kind"
            )
        if segments[0] is not None and segments[1] is not None:
            check_matching(segments[0], segments[1], paths)
        for one, other in zip_longest(*sides):
            counts = [
                count + (len(block.lines) if block else 0)
                for count, block in zip(counts, (one, other), strict=True)
            ]
            if counts[0] == counts[1]:
                one.found.merge(other.found)
                yield PairBlock(one.first, one.lines, other.lines, one.found)
    for path, count in zip(paths, counts, strict=True):
        if count == 0:
            raise UserError(f"{path}: the file is empty; it needs at least one sentence")
    if counts[0] != counts[1]:
        raise UserError(
            f"{paths[0]} has {counts[0]} lines but {paths[1]} has {counts[1]}: they are not sentence-aligned; line n "
            "of one file must be the translation of line n of the other"
        )


def _column_blocks(path: Path, columns: tuple[int, int], tell: Tell) -> Iterator[PairBlock]:
    usual = 0
    with ExitStack() as stack:
        lines = Lines(path, stack, "both", tell)
        if lines.segments is not None:
            raise UserError(f"{path}: it is a test set with tags; name a file for each language")
        for first, texts, found in lines:
            rows = [text.split("\t") for text in texts]
            usual = usual or len(rows[0])
            for number, row in enumerate(rows, first):
                if len(row) < max(columns):
                    raise UserError(
                        f"{path}, line {number}: it has {len(row)} tab-separated columns, but column {max(columns)} is "
                        "asked for; correct the line or `columns`"
                    )
            found.add("columns", "both", [n for n, row in enumerate(rows, first) if len(row) != usual])
            sources, targets = ([row[column - 1] for row in rows] for column in columns)
            yield PairBlock(first, sources, targets, found)
    if usual == 0:
        raise UserError(f"{path}: the file is empty; it needs at least one sentence")
