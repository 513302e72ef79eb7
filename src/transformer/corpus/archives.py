"""Unpacking downloads: gzip to a file, tar and zip (or some members) to a folder, never outside it, never half."""

import gzip
import os
import shutil
import stat
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import IO, cast

from transformer.common.errors import UserError
from transformer.common.files import atomic_path


def open_gzip(path: Path) -> IO[bytes]:
    """Open ``path`` for reading what it holds.  Raises EOFError for an empty file, an empty text to gzip."""
    if path.stat().st_size == 0:
        raise EOFError("the file is empty")
    return cast(IO[bytes], gzip.open(path))


_OPENERS: dict[str, Callable[[Path], IO[bytes]]] = {
    ".tar": lambda path: path.open("rb"),
    ".tar.gz": open_gzip,
    ".tgz": open_gzip,
}

_DAMAGED = (EOFError, zlib.error, gzip.BadGzipFile, tarfile.TarError, zipfile.BadZipFile)


def unpack(archive: Path | str, output: Path | str, members: Collection[str] | None = None) -> None:
    """Unpack ``archive``, whose name tells its kind: ``.gz`` to the file ``output``, tar and zip to that folder.

    Of a tar or zip archive, only the ``members`` when they are given.  One pass, in memory that does not grow with
    the archive, which is read to its end and so checked whole.  ``output`` appears when it is whole; a folder
    that was there before is replaced.

    Raises UserError when the archive is missing, damaged or truncated, of an unknown kind, lacks one of ``members``,
    or when a member is not a plain file or folder inside the archive's own folder.
    """
    archive = Path(archive)
    with whole(archive):
        if _tar_suffix(archive):
            _unpack_tar(archive, Path(output), members)
        elif archive.name.lower().endswith(".zip"):
            _unpack_zip(archive, Path(output), members)
        elif archive.name.lower().endswith(".gz"):
            _unpack_gzip(archive, Path(output))
        else:
            raise UserError(f"{archive}: not a .gz, .zip or tar file by its name")


def check_archive(archive: Path | str, kind: str | None = None) -> None:
    """Read ``archive`` to its end, and raise UserError where it, or a gzip in a tar, is damaged; write nothing.

    ``kind`` is a file name whose ending tells what it is, when its own does not.
    """
    archive = Path(archive)
    name = Path(kind or archive)
    with whole(archive):
        if suffix := _tar_suffix(name):
            with _OPENERS[suffix](archive) as stream:
                for tar, member in _tar_members(stream):
                    if member.isfile() and member.name.endswith(".gz"):
                        _check_inner_gzip(tar, member)
        elif name.suffix == ".zip":
            with zipfile.ZipFile(archive) as zipped:
                if (damaged := zipped.testzip()) is not None:
                    raise zipfile.BadZipFile(f"in its member {damaged}")
        elif name.suffix == ".gz":
            with open_gzip(archive) as stream:
                _drain(stream)


@contextmanager
def whole(archive: Path) -> Iterator[None]:
    """Turn what the libraries raise for a missing, damaged or truncated ``archive`` into a UserError."""
    if not archive.is_file():
        raise UserError(f"{archive}: no such file")
    try:
        yield
    except _DAMAGED as error:
        raise UserError(
            f"{archive}: damaged or truncated ({error}); remove it and download it again"
        ) from None


def _unpack_gzip(archive: Path, output: Path) -> None:
    with (
        atomic_path(output) as temporary,
        open_gzip(archive) as source,
        open(temporary, "wb") as target,
    ):
        shutil.copyfileobj(source, target)


def _tar_suffix(archive: Path) -> str | None:
    return next((suffix for suffix in _OPENERS if archive.name.lower().endswith(suffix)), None)


def _tar_members(stream: IO[bytes]) -> Iterator[tuple[tarfile.TarFile, tarfile.TarInfo]]:
    """The members in their order, each to be read before the next is asked for; then the stream to its end.

    Forward only: a tar that is opened by name may seek back, which decompresses all of it again.
    """
    with tarfile.open(fileobj=stream, mode="r|") as tar:
        for member in tar:
            yield tar, member
    _drain(stream)  # behind the last member stands the compressed stream's own checksum


def _check_inner_gzip(tar: tarfile.TarFile, member: tarfile.TarInfo) -> None:
    """Raise TarError when the gzip ``member`` is damaged, which an uncompressed tar has no checksum to tell."""
    try:
        if member.size == 0:
            raise EOFError
        with gzip.open(cast(IO[bytes], tar.extractfile(member))) as stream:
            _drain(cast(IO[bytes], stream))
    except _DAMAGED:
        raise tarfile.ReadError(f"in its member {member.name}") from None


def _drain(stream: IO[bytes]) -> None:
    while stream.read(1 << 20):
        pass


def _unpack_tar(archive: Path, output: Path, members: Collection[str] | None) -> None:
    found = []
    with _OPENERS[_tar_suffix(archive) or ""](archive) as stream, _atomic_folder(output) as folder:
        for tar, member in _tar_members(stream):
            found.append(os.path.normpath(member.name))  # some archives say ./name
            if members is None or found[-1] in members:
                _check_member(archive, member.name, is_plain=member.isfile() or member.isdir())
                tar.extract(member, folder, filter="data")
        _check_members(archive, members, found)


def _unpack_zip(archive: Path, output: Path, members: Collection[str] | None) -> None:
    with zipfile.ZipFile(archive) as zipped, _atomic_folder(output) as folder:
        _check_members(archive, members, zipped.namelist())
        chosen = [one for one in zipped.infolist() if members is None or one.filename in members]
        for member in chosen:
            kind = stat.S_IFMT(member.external_attr >> 16)  # 0 where the archiver knows no Unix modes
            is_plain = kind in (0, stat.S_IFREG, stat.S_IFDIR) and not member.flag_bits & 1  # 1: encrypted
            _check_member(archive, member.filename, is_plain)
        zipped.extractall(folder, chosen)


def _check_members(archive: Path, members: Collection[str] | None, found: Collection[str]) -> None:
    missing = [name for name in members or () if name not in found]
    if missing:
        there = ", ".join(sorted(found)[:10]) + (" …" if len(found) > 10 else "")
        raise UserError(
            f"{archive}: no member {missing[0]} (there are: {there}); the archive is another version, "
            "or config/sources.yaml names its members wrongly"
        )


def _check_member(archive: Path, name: str, is_plain: bool) -> None:
    paths = (PurePosixPath(name), PureWindowsPath(name))
    if any(path.is_absolute() or path.drive or ".." in path.parts for path in paths):
        raise UserError(f"{archive}: the member {name!r} climbs out of its folder; do not trust this archive")
    if not is_plain:
        raise UserError(
            f"{archive}: the member {name!r} is a link, a device or encrypted, which no corpus needs; "
            "do not trust this archive"
        )


@contextmanager
def _atomic_folder(path: Path) -> Iterator[Path]:
    """A temporary folder beside ``path`` that takes its place when the block ends well."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=f".{path.name}.") as parent:
        folder = Path(parent) / "new"
        folder.mkdir()
        yield folder
        if path.exists():
            os.replace(path, Path(parent) / "old")
        os.replace(folder, path)
