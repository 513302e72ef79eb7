"""What text is packed in: gzip, bzip2 and xz, and the members of tar and zip archives."""

import bz2
import io
import lzma
import os
import re
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import IO, Any

from transformer.common.errors import UserError, unknown

HEAD = 1 << 16  # bytes at the beginning of a file by which it is judged
AGAIN = "remove it and download it again"
# What the standard library raises of damaged archives, and of encrypted ones, besides what any file can raise.
DAMAGES = (tarfile.TarError, zipfile.BadZipFile, struct.error, OverflowError, RuntimeError)
_STEP = 1 << 12  # compressed bytes taken at a time, of which a few may stand for very many
_MOST_BEHIND = 1 << 10  # bytes behind compressed data that are ignored; more may be a damaged part of it
_ZIP = b"PK\x03\x04"

# How each compression begins, and a decompressor of the standard library.
_CODECS: dict[str, tuple[bytes, Callable[[], Any]]] = {
    "gzip": (rb"\x1f\x8b", partial(zlib.decompressobj, 31)),
    "bzip2": (rb"BZh[1-9](1AY&SY|\x17rE8P\x90)", bz2.BZ2Decompressor),
    "xz": (rb"\xfd7zXZ\0|\x5d\0\0[\0-\xff]{2}(\xff{8}|[\0-\xff]{6}\0\0)", lzma.LZMADecompressor),
}


def archive_of(path: Path | str) -> tuple[Path, str]:
    """Return the file that a path begins with and the rest, the name of a member, which is mostly empty."""
    for file in (Path(path), *Path(path).parents):
        if file.is_file():
            return file, "" if file == Path(path) else Path(path).relative_to(file).as_posix()
    return Path(path), ""


def codec_of(head: bytes) -> str | None:
    """Return the compression of a file that begins with ``head``."""
    return next((codec for codec, (magic, _) in _CODECS.items() if re.match(magic, head)), None)


def is_tar(head: bytes) -> bool:
    """Return whether an uncompressed file that begins with ``head`` is a tar: its first header has a right sum."""
    try:
        return bool(tarfile.TarInfo.frombuf(head[:512], "utf-8", "surrogateescape"))
    except tarfile.HeaderError:
        return False


def unpacked(file: IO[bytes], name: Path | str, tell: Callable[[str], None]) -> io.BufferedReader:
    """Return what an open file has, decompressed; ``tell`` is called with what is ignored behind it.

    Reading raises EOFError, OSError or an error of zlib or lzma where the data is damaged.
    """
    stream: io.BufferedReader = io.BufferedReader(_Chunks(iter(lambda: file.read(HEAD), b"")), HEAD)
    if codec := codec_of(stream.peek(HEAD)):
        stream = io.BufferedReader(_Chunks(_decompress(stream, codec, name, tell)), HEAD)
    return stream


def _decompress(
    file: IO[bytes], codec: str, name: Path | str, tell: Callable[[str], None]
) -> Iterator[bytes]:
    """Yield the content of all members of a compressed file.

    A few bytes behind them, such as the line end of a transfer as text, are ignored and said, as gzip does.  Python's
    own readers take these for damage in a gzip, and in the others ignore all that follows, damaged members too.
    """
    magic, new = _CODECS[codec]
    data = file.read(_STEP)
    while re.match(magic, data):
        member = new()
        while not member.eof:
            if not (data := data or file.read(_STEP)):
                raise EOFError(f"the {codec} data ends too early")
            yield member.decompress(data)
            data = member.unused_data
        # Zeros behind are usual on tapes.
        while not (data := data.lstrip(b"\0")) and (data := file.read(_STEP)):
            pass
        data += file.read(_MOST_BEHIND)
    if len(data) > _MOST_BEHIND:
        raise EOFError(f"what stands behind the first {codec} data is something else")
    if data:
        tell(f"{name}: {len(data)} bytes behind the end of its {codec} data are ignored")


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


def member_of(
    opened: IO[bytes], archive: Path, wanted: str, tell: Callable[[str], None]
) -> Iterator[IO[bytes]]:
    """Yield one member of an open archive, which is then read to its end, so that damage behind it is found.

    Raises UserError when the member is not there, or is there twice.
    """
    names = []
    for name, open_member in _members(opened, archive, tell):
        if name == wanted:
            if name in names:
                raise UserError(f"{archive}: it has {name} twice; unpack it, and name the file")
            yield open_member()
        names.append(name)
    if wanted not in names:
        raise UserError(f"{archive}: {unknown('member', wanted, names)}")


def _members(
    opened: IO[bytes], archive: Path, tell: Callable[[str], None]
) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield the path of each file in an archive, as tar unpacks it, and what opens it."""
    if opened.read(len(_ZIP)) == _ZIP:
        with zipfile.ZipFile(opened) as zipped:
            for member in zipped.infolist():
                if not member.is_dir():
                    # Some programs of Windows write its separator.
                    yield _plain_path(member.filename.replace("\\", "/")), partial(zipped.open, member)
        return
    opened.seek(0)
    stream = unpacked(opened, archive, tell)
    if not is_tar(stream.peek(HEAD)):
        raise UserError(f"{archive}: it is no tar or zip archive, or damaged at its beginning; {AGAIN}")
    # As a stream: a tar that is opened by name may seek back, which decompresses it again.
    with tarfile.open(fileobj=stream, mode="r|") as tar:
        for info in tar:
            if info.isfile():
                yield _plain_path(info.name), partial(tar.extractfile, info)
    while stream.read(HEAD):  # what stands behind the tar may be damaged
        pass


def _plain_path(name: str) -> str:
    return os.path.normpath(name.lstrip("/") or ".")
