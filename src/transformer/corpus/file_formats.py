"""Open what a user names as text, whatever it is packed in: a file, or ``ARCHIVE/MEMBER`` of a zip or a tar.

What a file is, its content says, not its name.  Text may be compressed by gzip, bzip2 or xz.  What is no text ends in
one line that says what it is and what to do.
"""

import bz2
import codecs
import io
import lzma
import os
import re
import struct
import sys
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import IO, Any, cast

from transformer.common.errors import UserError, reading
from transformer.common.notes import say

Tell = Callable[[str], None]
HEAD = 1 << 16  # bytes at the beginning of a file by which it is judged
STANDARD_INPUT = "standard input"
AGAIN = "remove it and download it again"
# What the standard library raises of damaged archives, besides what any file can raise.
_DAMAGES = (tarfile.TarError, zipfile.BadZipFile, struct.error, OverflowError, NotImplementedError)
# Compressed bytes taken at a time, so that a few that stand for very many do not fill the memory.
_STEP = 1 << 12
_MOST_BEHIND = 1 << 10  # bytes behind compressed data that are ignored; more may be a damaged part of it

# The compressions that Python can read: how each begins, and a decompressor of the standard library.
_CODECS: dict[str, tuple[bytes, Callable[[], Any]]] = {
    "gzip": (rb"\x1f\x8b", partial(zlib.decompressobj, 31)),
    "bzip2": (rb"BZh[1-9](1AY&SY|\x17rE8P\x90)", bz2.BZ2Decompressor),
    "xz": (rb"\xfd7zXZ\0|\x5d\0\0[\0-\xff]{2}(\xff{8}|[\0-\xff]{6}\0\0)", lzma.LZMADecompressor),
}
_ZIP = b"PK\x03\x04"
_ARCHIVE = "name it as `archive`, with the path of a text in it, or unpack it"
_PLAIN = "write the sentences of each language to a file, one a line"
# What people give instead of text and would pass for text, or for damaged text: how it begins, and what to do.
_HINTS = (
    (rb"\x28\xb5\x2f\xfd", "compressed by zstd; unpack it with zstd -d"),
    (_ZIP, f"a zip archive, as office documents are; {_ARCHIVE}"),
    (rb"%PDF-|\{\\rtf|PAR1|Rar!", f"PDF, RTF, Parquet or rar; {_PLAIN}"),
    (rb'\s*+(\[\s*+)?\{\s*+"[^"\n]*+"\s*+:.*([\]}{\[,]\s*+(\n|\Z)|.{60000})', f"JSON; {_PLAIN}"),
    (rb"(?i:\s*+(<!doctype html\b|<html[^>]*+>\s*+<))", "a web page (HTML); get the file itself"),
    (rb"version https://git-lfs\.", "a pointer of Git LFS, not the file; run git lfs pull"),
)
_CONTROLS = bytes([*range(9), *range(14, 27), *range(28, 32)])  # bytes that are in hardly any text
_ENCODINGS = ((b"\xff\xfe\0\0", "utf-32"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))


@contextmanager
def open_text(path: Path | str | None, tell: Tell = say) -> Iterator[io.TextIOWrapper]:
    """Open a file of text, or a member of an archive, for reading; None is standard input.  Only a newline ends a line.

    Bytes that are not UTF-8 become lone surrogates, for the reader to say in which line they are.  ``tell`` is called
    with what is ignored.

    Raises UserError when the file is missing, is something else than text or, within the block and at its end, turns
    out to be damaged.  So the block does nothing but read.
    """
    file, member = archive_of(path) if path else (Path(STANDARD_INPUT), "")
    with reading(file, AGAIN, raises=_DAMAGES):
        if path is None:
            # Unbuffered, so that a line is read when it has been typed.
            yield _text(getattr(sys.stdin.buffer, "raw", sys.stdin.buffer), STANDARD_INPUT, tell)
            return
        with open(file, "rb", buffering=0) as opened:
            contents: Iterator[IO[bytes]] = _member(opened, file, member, tell) if member else iter([opened])
            yield _text(next(contents), path, tell)
            next(contents, None)  # to the end of the archive


def archive_of(path: Path | str) -> tuple[Path, str]:
    """Return the file that a path begins with and the rest, the name of a member, which is mostly empty."""
    for file in (Path(path), *Path(path).parents):
        if file.is_file():
            return file, "" if file == Path(path) else Path(path).relative_to(file).as_posix()
    return Path(path), ""


def _codec(head: bytes) -> str | None:
    return next((codec for codec, (magic, _) in _CODECS.items() if re.match(magic, head)), None)


def _decompressed(file: IO[bytes], name: Path | str, tell: Tell) -> io.BufferedReader:
    """Return the content of an open file, which may be compressed, as a stream.

    ``tell`` is called with what is ignored behind it.  Reading raises EOFError where the data is damaged.
    """
    # Not every file can tell whether it can seek, as the reader of text asks.
    stream: io.BufferedReader = io.BufferedReader(_Chunks(iter(lambda: file.read(HEAD), b"")), HEAD)
    if codec := _codec(stream.peek(HEAD)):
        stream = io.BufferedReader(_Chunks(_decompress(stream, codec, name, tell)), HEAD)
    return stream


def _decompress(file: IO[bytes], codec: str, name: Path | str, tell: Tell) -> Iterator[bytes]:
    """Yield the content of a compressed file, of all members that follow one another, to their end.

    As gzip and bunzip2 do, ignore a few bytes behind, and say so: a transfer as text leaves a line end there.  Python's
    own readers call that damage in a gzip, and keep silent in the others.
    """
    magic, new = _CODECS[codec]
    given = file.read(_STEP)
    while re.match(magic, given):
        member = new()
        while not member.eof:
            given = given or file.read(_STEP)
            if not given:
                raise EOFError(f"the {codec} data ends too early")
            try:
                yield member.decompress(given)
            except (zlib.error, lzma.LZMAError, OSError) as error:
                raise EOFError(str(error)) from None
            given = member.unused_data
        # Zeros behind are usual on tapes.
        while not (given := given.lstrip(b"\0")) and (given := file.read(_STEP)):
            pass
        given += file.read(_MOST_BEHIND)
    if len(given) > _MOST_BEHIND:
        raise EOFError(f"what stands behind the first {codec} data is something else")
    if given:
        tell(f"{name}: {len(given)} bytes behind the end of its {codec} data are ignored")


class _Chunks(io.RawIOBase):
    """A stream of what an iterator yields."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self._chunks, self._rest = chunks, memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._rest and (chunk := next(self._chunks, None)) is not None:
            self._rest = memoryview(chunk)
        taken = self._rest[: len(buffer)]
        buffer[: len(taken)] = taken
        self._rest = self._rest[len(taken) :]
        return len(taken)


def _text(content: IO[bytes], path: Path | str, tell: Tell) -> io.TextIOWrapper:
    """Return a stream of bytes as text.  Raises UserError when it is something else."""
    stream = _decompressed(content, path, tell)
    head = stream.peek(HEAD)
    plain = head.removeprefix(codecs.BOM_UTF8)
    encoding = next((name for mark, name in _ENCODINGS if plain.startswith(mark)), "utf-8")
    what = next((what for magic, what in _HINTS if re.match(magic, plain, re.S)), None)
    if _is_tar(head):
        what = f"a tar archive; {_ARCHIVE}"
    elif _codec(head):
        what = "compressed twice; decompress it once"
    elif what is None and encoding == "utf-8" and _is_binary(head):
        what = f"binary data ({head[:8]!r} …), or text in UTF-16 without a mark; name a text file in UTF-8"
    if what:
        raise UserError(f"{path}: it is {what}")
    errors = "surrogateescape" if encoding == "utf-8" else "strict"
    return io.TextIOWrapper(stream, encoding, errors, newline="\n")


def _is_binary(head: bytes) -> bool:
    """Return whether a file begins as no text does.  Text in UTF-8 may have a few NULs, which are taken out."""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)  # which may end within a character
    except UnicodeDecodeError:
        return 50 * (len(head) - len(head.translate(None, _CONTROLS))) > len(head)
    return 5 * head.count(0) > len(head)


def _is_tar(head: bytes) -> bool:
    """Return whether an uncompressed file that begins with ``head`` is a tar: its first header has a right sum."""
    try:
        return bool(tarfile.TarInfo.frombuf(head[:512], "utf-8", "surrogateescape"))
    except tarfile.HeaderError:
        return False


def _member(opened: IO[bytes], archive: Path, wanted: str, tell: Tell) -> Iterator[IO[bytes]]:
    """Yield one member of an archive, which is then read to its end.

    Raises UserError when it is not there, cannot be read, or is there twice.
    """
    names = []
    for name, content in _members(opened, archive, tell):
        if name == wanted:
            if isinstance(content, str):
                raise UserError(f"{archive}: {name} {content}")
            if name in names:
                raise UserError(f"{archive}: it has {name} twice; unpack it, and name the file")
            yield content
        names.append(name)
    if wanted not in names:
        base = os.path.basename(wanted).lower()
        names.sort(key=lambda name: (os.path.basename(name).lower() != base, name))
        listed = ", ".join(names[:10]) + (" …" if len(names) > 10 else "")
        raise UserError(
            f"{archive}: it has no file {wanted}, but {listed or 'none at all'}; it is another version, or the scale's "
            "`files` or resources/sources.yaml has a wrong name for this member"
        )


def _members(opened: IO[bytes], archive: Path, tell: Tell) -> Iterator[tuple[str, IO[bytes] | str]]:
    """Yield path and content of each file in an archive, in order; or, of one that cannot be read, the reason.

    Paths are as tar unpacks them: relative, without a ``/`` at the beginning.
    """
    if opened.read(len(_ZIP)) == _ZIP:
        with zipfile.ZipFile(opened) as zipped:
            for zip_info in zipped.infolist():
                content: IO[bytes] | str
                try:
                    content = zipped.open(zip_info)
                except (RuntimeError, NotImplementedError) as error:
                    content = f"cannot be read ({error}); unpack the archive, and name the file"
                if not zip_info.is_dir():
                    # Some programs of Windows write its separator.
                    yield _plain_path(zip_info.filename.replace("\\", "/")), content
        return
    opened.seek(0)
    stream = _decompressed(opened, archive, tell)
    if not _is_tar(stream.peek(HEAD)):
        raise UserError(f"{archive}: it is no tar or zip archive, or damaged at its beginning; {AGAIN}")
    # As a stream: a tar that is opened by name may seek back, which decompresses it again.
    with tarfile.open(fileobj=stream, mode="r|") as tar:
        for info in tar:
            if info.isfile():
                yield _plain_path(info.name), cast(IO[bytes], tar.extractfile(info))
            elif not info.isdir():
                yield _plain_path(info.name), f"is no file but a link to {info.linkname!r}, or a device"
    while stream.read(HEAD):  # what stands behind the tar may be damaged
        pass


def _plain_path(name: str) -> str:
    return os.path.normpath(name.lstrip("/") or ".")
