"""The gate for text of other people: what is read here are lines of plain text, and what was odd in them is counted.

Corpora come in by `gather.py`, which reads pairs of lines; a treebank, raw English, and what is to be translated or
parsed by :func:`read_text`.  Behind the gate, where the pipeline reads what it has written, a line is a line.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice, zip_longest
from pathlib import Path
from typing import IO, NamedTuple

from transformer.common.errors import UserError
from transformer.common.lines import MARKS, without_marks
from transformer.common.notes import say
from transformer.corpus.file_formats import HEAD, STANDARD_INPUT, Tell, open_text
from transformer.corpus.segments import Segment, check_matching, has_segments, read_segments

BLOCK = 10_000  # lines that are read together
_NOT_UTF8 = re.compile("[\udc80-\udcff]")
FIRST = 3  # lines of each kind whose numbers are kept


class Found(dict[tuple[str, str], tuple[int, list[int]]]):
    """What was found: a kind and a side → the number of lines, and the numbers of the first of them, from 1."""

    def add(self, kind: str, side: str, numbers: Sequence[int], count: int | None = None) -> None:
        """Count the lines with these ``numbers``; there are ``count`` if only the first are given."""
        if numbers:
            before, first = self.get((kind, side), (0, []))
            total = before + (len(numbers) if count is None else count)
            self[kind, side] = total, [*first, *numbers][:FIRST]

    def count(self, kind: str, side: str) -> int:
        """Return the number of lines of a kind."""
        return self.get((kind, side), (0, []))[0]

    def merge(self, other: "Found") -> None:
        """Count what was found in later lines, too."""
        for (kind, side), (count, numbers) in other.items():
            self.add(kind, side, numbers, count)


class Block(NamedTuple):
    """Lines that follow one another, without marks, and what was found in them; ``first`` is the first one's number."""

    first: int
    lines: list[str]
    found: Found
    segments: list[Segment] | None = None  # of a test set with tags


_NOTHING = Block(0, [], Found())


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
    for block in _blocks(path, "both", tell, size):
        if found is not None:
            found.merge(block.found)
        yield from block.lines


def _blocks(path: Path | str | None, side: str, tell: Tell, size: int = BLOCK) -> Iterator[Block]:
    """Yield one text in blocks.  A test set with tags is one block, which has the ``segments``, too."""
    with open_text(path, tell) as stream:
        name = path or STANDARD_INPUT
        head = stream.buffer.peek(HEAD).decode(stream.encoding, "replace")  # type: ignore[attr-defined]
        plain = _plain_blocks(stream, name, side, size)
        if not has_segments(without_marks(head), name):
            yield from plain
            return
        lines, found = list[str](), Found()
        for block in plain:
            lines += block.lines
            found.merge(block.found)
        segments = read_segments("\n".join(lines), name, tell)
        yield Block(1, [segment.text for segment in segments], found, segments)


def _plain_blocks(stream: IO[str], name: Path | str, side: str, size: int) -> Iterator[Block]:
    """Yield the lines of an open text.  Raises UserError when one is not UTF-8, or when they end by CR."""
    first, has_others = 1, False
    while lines := list(islice(stream, size)):
        text = "".join(lines)
        if not text.isascii():
            try:
                text.encode()
            except UnicodeEncodeError:
                raise UserError(_say_not_utf8(name, chain(lines, stream), first, has_others)) from None
            has_others = True
        text = text.replace("\r\n", "\n").removesuffix("\r")
        if text.count("\r") >= len(lines):
            raise UserError(f"{name}: its lines end by carriage returns (CR), as on old Macs; end them by LF")
        plain, found = text.removesuffix("\n").split("\n"), Found()
        for kind, characters in (("returns", "\r"), ("marks", MARKS)):
            if any(map(text.__contains__, characters)):
                odd = [n for n, line in enumerate(plain, first) if any(map(line.__contains__, characters))]
                found.add(kind, side, odd)
        if found:
            plain = list(map(without_marks, plain))
        yield Block(first, plain, found)
        first += len(lines)


def _say_not_utf8(name: Path | str, lines: Iterable[str], first: int, has_others: bool) -> str:
    """Say which of these and the following lines are not UTF-8; ``has_others``: some before them are, and not ASCII.

    Only a text that has no others may be converted as a whole.
    """
    bad, where, total = Found(), "", first
    for total, line in enumerate(lines, first):
        found = _NOT_UTF8.search(line)
        has_others = has_others or not (found or line.isascii())
        if found:
            bad.add("not UTF-8", "both", [total])
        if found and not where:
            byte = bytes([ord(found[0]) - 0xDC00])
            letter = byte.decode("windows-1252", "replace")
            where = f"{name}, line {total}: invalid UTF-8 (byte 0x{byte.hex()} at column {found.start() + 1}"
    if not has_others:
        return (
            f"{where}, in Latin-1 {letter}); convert the file to UTF-8, e.g. iconv -f WINDOWS-1252 -t UTF-8"
        )
    count, numbers = bad["not UTF-8", "both"]
    listed = ", ".join(f"{one:,}" for one in numbers) + (" …" if count > FIRST else "")
    return (
        f"{where}), as in {count:,} of {total:,} lines ({listed}); others are UTF-8, so correct these lines only, "
        "or take them out of both languages: converting the whole file would spoil the others"
    )


def read_pair_blocks(part: Part, tell: Tell = say) -> Iterator[PairBlock]:
    """Yield the pairs of a part.

    Raises UserError with file and line when a line is not UTF-8 or lacks a column, when the sides differ in kind or in
    their number of lines, and when a file is empty, damaged or missing.
    """
    if part.columns is not None:
        yield from _column_blocks(part.source, part.columns, tell)
        return
    paths, counts = (part.source, part.target), (0, 0)
    sides = (_blocks(part.source, "source", tell), _blocks(part.target, "target", tell))
    for one, other in zip_longest(*sides, fillvalue=_NOTHING):
        if one.segments is not None and other.segments is not None:
            check_matching(one.segments, other.segments, paths)
        elif one.segments is not other.segments:
            raise UserError(
                f"{paths[0]} and {paths[1]}: only one of them has tags; name two files of one kind"
            )
        counts = (counts[0] + len(one.lines), counts[1] + len(other.lines))
        if counts[0] == counts[1]:
            found = Found(one.found)
            found.merge(other.found)
            yield PairBlock(one.first, one.lines, other.lines, found)
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
    for first, texts, found, segments in _blocks(path, "both", tell):
        if segments is not None:
            raise UserError(f"{path}: it is a test set with tags; name a file for each language")
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
