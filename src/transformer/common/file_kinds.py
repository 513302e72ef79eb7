"""Open a file as what its first bytes say it is, whatever its name says.

Text in UTF-8 is read, plain or compressed by gzip, bzip2 or xz.  What else a user may have is named, with what to do.
"""

import bz2
import codecs
import io
import lzma
import re
import tarfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import IO, Any, NamedTuple, cast

from transformer.common.errors import UserError, reading
from transformer.common.notes import say

HEAD = 1 << 16  # bytes at the beginning of a file by which it is judged
AGAIN = "remove it and download it again"
_STEP = (
    1 << 12
)  # compressed bytes taken at a time, so that a few that stand for very many do not fill the memory
_MOST_BEHIND = 1 << 10  # bytes behind compressed data that are ignored; more may be a damaged part of it


class Damaged(EOFError):
    """Compressed data is damaged or ends too early."""


class Codec(NamedTuple):
    """A compression that Python can read."""

    name: str
    magic: re.Pattern[bytes]
    new: Callable[[], Any]  # a decompressor of the standard library


CODECS = (
    Codec("gzip", re.compile(rb"\x1f\x8b"), partial(zlib.decompressobj, 31)),
    Codec("bzip2", re.compile(rb"BZh[1-9](1AY&SY|\x17rE8P\x90)"), bz2.BZ2Decompressor),
    Codec("xz", re.compile(rb"\xfd7zXZ\0"), lzma.LZMADecompressor),
    Codec("lzma", re.compile(rb"\x5d\0\0[\0-\xff]{2}([\0-\xff]{6}\0\0|\xff{8})"), lzma.LZMADecompressor),
)
BINARY = "binary data, no text; name a text file"
_CONVERT = "convert it to UTF-8: iconv -f {0} -t UTF-8"
_UNPACK = "unpack it with {0}, and name what is in it"
_ARCHIVE = "name it as `archive`, with the path of a text in it, or unpack it"
# What begins in these ways, and what to do.
_OTHERS = [
    (re.compile(magic, re.S), what, advice)
    for magic, what, advice in (
        (rb"\x28\xb5\x2f\xfd|[\x50-\x5f]\x2a\x4d\x18", "compressed by zstd", _UNPACK.format("zstd -d")),
        (rb"\x04\x22\x4d\x18|\x02\x21\x4c\x18", "compressed by lz4", _UNPACK.format("lz4 -d")),
        (rb"\x1f[\x9d\xa0]", "compressed by compress (.Z)", _UNPACK.format("gzip -d")),
        (rb"LZIP\x01", "compressed by lzip", _UNPACK.format("lzip -d")),
        (rb"\x89LZO\0", "compressed by lzop", _UNPACK.format("lzop -d")),
        (rb"\xff\x06\0\0sNaPpY", "compressed by snappy", _UNPACK.format("snzip -d")),
        (rb"7z\xbc\xaf\x27\x1c", "a 7z archive", _UNPACK.format("7z x")),
        (rb"Rar!\x1a\x07", "a rar archive", _UNPACK.format("unrar x")),
        (rb"PK\x03\x04.{26}(\[Content_Types\]|_rels/|mimetype)", "an office document", "save it as text"),
        (rb"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an office document", "save it as text"),
        (rb"PK(\x03\x04|\x05\x06|\x07\x08)", "a zip archive", _ARCHIVE),
        (rb"%PDF-", "a PDF", "save it as text"),
        (rb"\{\\rtf", "RTF", "save it as text"),
        (
            rb"(?i:\s*+(<!--.*?-->\s*+)*+(<!doctype html\b|<html[^>]*+>\s*+<))",
            "a web page (HTML)",
            "get the file itself",
        ),
        # The line ends as one of JSON does, the next one begins so, or it does not end: no sentence does.
        (
            rb'\s*+(?:\[\s*+)?\{\s*+"[^"\n]*"\s*+:([^\n]*([\]}{\[,][^\S\n]*(\n|\Z)|\n\s*+[\]},])|[^\n]{60000})',
            "JSON",
            "write each language to a file of plain text",
        ),
        (rb"/annex/objects/", "a pointer of git-annex, not the file", "run git annex get"),
        (rb"version https://git-lfs\.github", "a pointer of Git LFS, not the file", "run git lfs pull"),
        (rb"\xff\xfe\0\0|\0\0\xfe\xff", "text in UTF-32", _CONVERT.format("UTF-32")),
        (rb"\xff\xfe|\xfe\xff", "text in UTF-16", _CONVERT.format("UTF-16")),
    )
]


@contextmanager
def open_text(path: Path | str) -> Iterator[io.BufferedReader]:
    """Open a file of text in UTF-8 for reading, decompressed if it is compressed.

    Raises UserError, in the block too, when the file is missing or damaged, and when it is something else than text.
    """
    with reading(path, AGAIN), open(path, "rb") as file:
        stream = decompressed(file, path)
        if other := no_text(stream.peek(HEAD)):
            raise UserError(f"{path}: {other}")
        yield stream


def head_of(path: Path | str) -> bytes:
    """Return the beginning of a file, decompressed if it is compressed.  Raises UserError when it is damaged there."""
    with reading(path, AGAIN), open(path, "rb") as file:
        return decompressed(file, "").peek(HEAD)


def codec_of(head: bytes) -> Codec | None:
    """Return the compression of a file that begins with ``head``, if Python can read it."""
    return next((codec for codec in CODECS if codec.magic.match(head)), None)


def decompressed(file: IO[bytes], name: Path | str) -> io.BufferedReader:
    """Return the content of an open file as a stream; it may be compressed twice.

    What is ignored behind it is said if the file has a ``name``.  Reading from the stream raises :class:`Damaged`.
    """
    stream: io.BufferedReader = io.BufferedReader(cast(io.RawIOBase, file), HEAD)
    for _ in range(2):
        codec = codec_of(stream.peek(HEAD))
        if codec is None:
            break
        stream = io.BufferedReader(_Decompressed(stream, codec, name), HEAD)
    return stream


def is_tar(head: bytes) -> bool:
    """Return whether an uncompressed file that begins with ``head`` is a tar: its first header has a right sum."""
    try:
        return bool(tarfile.TarInfo.frombuf(head[:512], "utf-8", "surrogateescape"))
    except tarfile.HeaderError:
        return False


def no_text(head: bytes) -> str | None:
    """Return what an uncompressed file that begins with ``head`` is, and what to do, unless it is text in UTF-8.

    Bytes that are not UTF-8 do not count here: whoever reads them can say in which line they are.
    """
    content = head.removeprefix(codecs.BOM_UTF8)
    for magic, what, advice in _OTHERS:
        if magic.match(content):
            return f"{what}; {advice}"
    if is_tar(head):
        return f"a tar archive; {_ARCHIVE}"
    if codec := codec_of(head):
        return f"compressed by {codec.name} more than twice; decompress it"
    # A few NULs may be anywhere, and cleaning counts them.
    if b"\0" not in head or (head.count(0) * 5 < len(head) and _is_utf8(head)):
        return None
    for encoding in ("UTF-16LE", "UTF-16BE"):
        if _reads_as(encoding, head):
            return f"text in {encoding} without a mark; {_CONVERT.format(encoding)}"
    return BINARY


def _is_utf8(head: bytes) -> bool:
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)  # which may end within a character
    except UnicodeDecodeError:
        return False
    return True


def _reads_as(encoding: str, head: bytes) -> bool:
    """Return whether UTF-16 without a mark makes sense: it is known by the blanks and line ends of one byte order."""
    try:
        text = codecs.getincrementaldecoder(encoding)().decode(head)
    except UnicodeDecodeError:
        return False
    good = sum(character.isprintable() or character in "\t\r\n" for character in text)
    return good > 0.95 * len(text) and any(blank in text for blank in " \r\n")


class _Decompressed(io.RawIOBase):
    """The content of a compressed file, of all members that follow one another, to their end.

    As gzip and bunzip2 do, it ignores a few bytes behind, and says so: a transfer as text leaves a line end there.
    Python's own readers call that damage in a gzip, and keep silent in the others.
    """

    def __init__(self, file: io.BufferedReader, codec: Codec, name: Path | str) -> None:
        self._file, self._codec, self._name = file, codec, name
        self._member: Any = codec.new()
        self._given = b""  # compressed bytes that belong to the next member
        self._ready = bytearray()
        self._is_done = False
        self._damage: Damaged | None = None

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while len(self._ready) < len(buffer) and not (self._is_done or self._damage):
            try:
                self._advance()
            except (Damaged, zlib.error, lzma.LZMAError, OSError) as error:
                self._damage = Damaged(str(error))
        if self._damage and not self._ready:  # all before it has been read
            raise self._damage
        taken = self._ready[: len(buffer)]
        buffer[: len(taken)] = taken
        del self._ready[: len(taken)]
        return len(taken)

    def _advance(self) -> None:
        if self._member.eof:
            return self._next_member()
        given, self._given = self._given or self._file.read(_STEP), b""
        if not given:
            raise Damaged(f"the {self._codec.name} data ends too early")
        self._ready += self._member.decompress(given)
        self._given = self._member.unused_data

    def _next_member(self) -> None:
        """Begin the next member, or end at what stands behind the last one; zeros there are usual on tapes."""
        rest = self._given + self._file.read(_MOST_BEHIND)
        while rest.startswith(b"\0"):
            rest = rest.lstrip(b"\0") + self._file.read(_MOST_BEHIND)
        if self._codec.magic.match(rest):
            self._member, self._given = self._codec.new(), rest
            return
        rest += self._file.read(_MOST_BEHIND)
        if len(rest) > _MOST_BEHIND:
            raise Damaged(f"what stands behind the first {self._codec.name} data is something else")
        if rest and self._name:
            say(f"{self._name}: {len(rest)} bytes behind the end of its {self._codec.name} data are ignored")
        self._is_done = True
