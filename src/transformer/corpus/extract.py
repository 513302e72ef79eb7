"""Join the parts of a split into its two sides, one sentence per line; each part is checked separately.

A part is text, tab-separated columns, or one of WMT's test sets, whose SGM is neither valid SGML nor XML: an ``&`` is
not always written as an entity.
"""

import html
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

from transformer.common.arguments import argument_parser
from transformer.common.errors import UserError, run_script
from transformer.common.lines import BYTE_ORDER_MARK
from transformer.corpus.pairs import Pair, pair_writer, read_pairs, read_side
from transformer.corpus.registry import verify

# The beginning of a document, or a segment, which ends at `</seg>`; without that, at the next segment.
_PART = re.compile(r"<doc\b([^<>]*)>|<seg\b([^<>]*)>(.*?)(</seg\b|(?=<seg\b)|\Z)", re.S | re.I)
_NAME = re.compile(r'\bdocid="([^"]*)"', re.I)
_NUMBER = re.compile(r'\bid="?([0-9]{1,9})\b"?', re.I)
# The semicolon is required: html.unescape alone would, like a browser, turn "&region" into "®ion".
_ENTITY = re.compile(r"&(?:#[0-9]{1,9}|#[xX][0-9a-fA-F]{1,9}|[A-Za-z]\w*);")


@dataclass(frozen=True)
class Part:
    """Two aligned files, text or ``.sgm``, or two tab-separated columns, from 1, of one file; each may be ``.gz``."""

    source: Path
    target: Path
    columns: tuple[int, int] | None = None


def main() -> None:
    parser = argument_parser(__doc__)
    about = "the files of the source side: text or .sgm, plain or .gz"
    parser.add_argument("--source", nargs="+", type=Path, required=True, help=about)
    parser.add_argument("--target", nargs="+", type=Path, required=True, help="likewise for the target side")
    about = "for each file, 0 or the column to read, from 1; both sides are then columns of one file"
    parser.add_argument("--source-columns", nargs="+", type=int, help=about)
    parser.add_argument("--target-columns", nargs="+", type=int, help="likewise for the target side")
    parser.add_argument("--output-source", type=Path, required=True)
    parser.add_argument("--output-target", type=Path, required=True)
    parser.add_argument("--downloads", type=Path, help="folder whose files are checked against the registry")
    arguments = parser.parse_args()
    files = (arguments.source, arguments.target)
    columns = [given or [0] * len(files[0]) for given in (arguments.source_columns, arguments.target_columns)]
    if len({len(values) for values in (*files, *columns)}) > 1:
        parser.error("--source, --target and both --…-columns need the same number of values")
    verify([*arguments.source, *arguments.target], arguments.downloads)
    parts = [
        Part(source, target, (first, second) if first else None)
        for source, target, first, second in zip(*files, *columns, strict=True)
    ]
    counts = extract(parts, (arguments.output_source, arguments.output_target))
    for part, count in zip(parts, counts, strict=True):
        print(f"{part.source}: {count:,} pairs", file=sys.stderr)


def extract(parts: Sequence[Part], outputs: tuple[Path, Path]) -> list[int]:
    """Write the pairs of all ``parts``, in their order, to ``outputs`` (source, target); return the count of each part.

    Each sentence is one line.  A byte order mark at the beginning of a part stays, for cleaning to take off and count.
    Memory does not grow with the corpus.

    Raises UserError, and writes no output, when a part cannot be read (see :func:`read_part`).
    """
    counts = []
    with pair_writer(*outputs) as write:
        for part in parts:
            counts.append(0)
            for pair in read_part(part):
                write(pair)
                counts[-1] += 1
    return counts


def read_part(part: Part) -> Iterator[Pair]:
    """Return the pairs of a part.

    Raises UserError with file and line when a line is not UTF-8 or lacks a column, when the sides differ in kind or in
    their number of lines, and when a file is empty, damaged or missing.
    """
    if part.columns is not None:
        return _read_columns(part.source, part.columns)
    paths = (part.source, part.target)
    is_sgm = [path.name.lower().endswith((".sgm", ".sgm.gz")) for path in paths]
    if is_sgm[0] != is_sgm[1]:
        raise UserError(f"{paths[0]} and {paths[1]}: only one of them is SGM; name two files of one kind")
    return iter(read_sgm_pairs(*paths)) if is_sgm[0] else read_pairs(*paths)


def _read_columns(path: Path, columns: tuple[int, int]) -> Iterator[Pair]:
    number = 0
    for number, line in enumerate(read_side(path), start=1):
        cells = line.split("\t")
        if len(cells) < max(columns):
            raise UserError(
                f"{path}, line {number}: it has {len(cells)} tab-separated columns, but column {max(columns)} is asked "
                "for; correct the line or `columns`"
            )
        yield cells[columns[0] - 1], cells[columns[1] - 1]
    if number == 0:
        raise UserError(f"{path}: the file is empty; it needs at least one sentence")


class Segment(NamedTuple):
    """One sentence of a test set: its document, its number there, and its text."""

    document: str
    number: int
    text: str


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


if __name__ == "__main__":
    run_script(main)
