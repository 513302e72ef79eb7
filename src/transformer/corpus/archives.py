"""Unpacking downloads completely or not at all: gzip to a file, tar and zip to a folder and never outside it."""

import errno
import gzip
import lzma
import os
import shutil
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import IO, Self, cast

from transformer.common.durability import atomic_folder
from transformer.common.errors import UserError
from transformer.common.files import atomic_path

# What Python's readers of archives raise when the bytes are wrong: besides errors of their own, those of a number that
# is out of range, a text that cannot be decoded, an unknown kind of compression, and headers without end.
_DAMAGED = (
    EOFError,
    zlib.error,
    lzma.LZMAError,
    gzip.BadGzipFile,
    tarfile.TarError,
    zipfile.BadZipFile,
    struct.error,
    ValueError,
    OverflowError,
    LookupError,
    RuntimeError,  # NotImplementedError and RecursionError among them
)
_UNWRITABLE = (errno.ENAMETOOLONG, errno.EISDIR, errno.ENOTDIR, errno.EEXIST, errno.EILSEQ)
_COMPRESSIONS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2)
_LONGEST_HEADER = 1 << 14  # bytes; a header of a tar holds a path and little else


def unpack(archive: Path | str, output: Path | str, members: Collection[str] | None = None) -> None:
    """Unpack a ``.gz`` to the file ``output``, or a tar or zip, or only its ``members``, to the folder ``output``.

    The archive is read once, to its end, so that all of it is checked; memory does not grow with its size.
    ``output`` appears when it is complete, and replaces an existing folder.

    Raises UserError when the archive is missing, damaged, truncated or of an unknown kind, when it lacks one of
    ``members``, or when a member is not a plain file or folder inside the archive's own folder.
    """
    archive, output = Path(archive), Path(output)
    with whole(archive):
        match _kind(archive):
            case "tar":
                _unpack_tar(archive, output, members)
            case "zip":
                _unpack_zip(archive, output, members)
            case "gz":
                with (
                    atomic_path(output) as temporary,
                    open_gzip(archive) as source,
                    open(temporary, "wb") as file,
                ):
                    shutil.copyfileobj(source, file)
            case _:
                raise UserError(f"{archive}: not named like a .gz, .zip or tar file")


def check_archive(archive: Path | str, kind: str | None = None) -> None:
    """Read ``archive`` to its end, and raise UserError when it, or a gzip inside a tar, is damaged.

    ``kind`` is a file name whose ending tells the format when that of ``archive`` does not.
    """
    archive, name = Path(archive), Path(kind or archive)
    with whole(archive):
        match _kind(name):
            case "tar":
                for tar, member in _tar_members(archive, name):
                    if member.isfile() and member.name.endswith(".gz"):
                        _check_inner_gzip(tar, member)
            case "zip":
                with zipfile.ZipFile(archive) as zipped:
                    _check_zip(archive, zipped)
                    if (damaged := zipped.testzip()) is not None:
                        raise zipfile.BadZipFile(f"in its member {damaged}")
            case "gz":
                with open_gzip(archive) as stream:
                    _read_to_end(stream)


def open_gzip(path: Path) -> IO[bytes]:
    """Open ``path`` for reading its uncompressed content.  Raises EOFError for an empty file, which gzip accepts."""
    if path.stat().st_size == 0:
        raise EOFError("the file is empty")
    return cast(IO[bytes], gzip.open(path))


@contextmanager
def whole(archive: Path) -> Iterator[None]:
    """Turn the libraries' errors for a missing, damaged or truncated ``archive`` into a UserError."""
    if not archive.is_file():
        raise UserError(f"{archive}: no such file")
    try:
        yield
    except _DAMAGED as error:
        raise UserError(
            f"{archive}: damaged or truncated ({error}); remove it and download it again"
        ) from None
    except OSError as error:
        if error.errno not in (None, errno.EINVAL):  # such as a full disk; a seek to a wrong place is EINVAL
            raise
        raise UserError(
            f"{archive}: damaged or truncated ({error}); remove it and download it again"
        ) from None


def has_checksum(path: Path) -> bool:
    """Return whether a file of this name holds a checksum of its own content, as .gz and .zip do, but no plain .tar."""
    return _kind(path) is not None and path.suffix.lower() != ".tar"


def _kind(path: Path) -> str | None:
    endings = {".tar": "tar", ".tar.gz": "tar", ".tgz": "tar", ".zip": "zip", ".gz": "gz"}
    return next((kind for ending, kind in endings.items() if path.name.lower().endswith(ending)), None)


def _tar_members(archive: Path, name: Path) -> Iterator[tuple[tarfile.TarFile, tarfile.TarInfo]]:
    """Yield the members in order, each of which must be read before the next; then read the file to its end.

    The ending of ``name`` tells whether the tar is compressed.

    The tar is read as a stream, since a tar that is opened by name may seek back, which decompresses it again.
    """
    is_plain = name.name.lower().endswith(".tar")
    with archive.open("rb") if is_plain else open_gzip(archive) as stream:
        if is_plain:
            _check_end(stream)
        with tarfile.open(fileobj=_Ending(stream), mode="r|", tarinfo=_Header) as tar:  # type: ignore[call-overload]
            for member in tar:
                yield tar, member
            # Behind the last member come zeros only, and then gzip's own checksum.
            while rest := tar.fileobj.read(1 << 20):
                if rest.strip(b"\0"):
                    raise tarfile.ReadError("data behind the mark of its end")
        _read_to_end(stream)


def _check_end(stream: IO[bytes]) -> None:
    """Raise TarError when an uncompressed tar does not end with zeros, so that its last members may be missing."""
    size = stream.seek(0, os.SEEK_END)
    stream.seek(max(0, size - tarfile.BLOCKSIZE))
    if stream.read().strip(b"\0"):
        raise tarfile.ReadError("no mark of its end")
    stream.seek(0)


class _Ending:
    """A stream that raises EOFError when it is read on behind its end, as tarfile does for a size that is too large."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._empty = 0  # reads behind the end

    def read(self, size: int) -> bytes:
        """Return up to ``size`` bytes."""
        data = self._stream.read(size)
        self._empty += not data
        if self._empty > 10:
            raise EOFError("it ends within a member")
        return data


class _Header(tarfile.TarInfo):
    """A header whose damage is an error wherever it is; tarfile takes a damaged one for the end of the archive."""

    @classmethod
    def fromtarfile(cls, tar: tarfile.TarFile) -> Self:
        """Read the next header.  Raises ReadError when it is damaged."""
        try:
            return super().fromtarfile(tar)
        except (tarfile.InvalidHeaderError, tarfile.TruncatedHeaderError) as error:  # type: ignore[attr-defined]
            raise tarfile.ReadError(str(error)) from None

    def _proc_member(self, tar: tarfile.TarFile) -> tarfile.TarInfo:
        """Read what follows this header, see the comment in tarfile's source.  Raises ReadError for a wrong size."""
        plain = self.isfile() or self.isdir()
        if self.size < 0 or (not plain and self.size > _LONGEST_HEADER):
            raise tarfile.ReadError(f"a header says that {self.size:,} bytes follow")
        member: tarfile.TarInfo = super()._proc_member(tar)  # type: ignore[misc]
        if member.size < 0:  # from a header before this one
            raise tarfile.ReadError(f"a header says that {member.size:,} bytes follow")
        return member


def _check_inner_gzip(tar: tarfile.TarFile, member: tarfile.TarInfo) -> None:
    """Raise TarError when the gzip ``member`` is damaged, since an uncompressed tar has no checksum of its own."""
    try:
        if member.size == 0:
            raise EOFError
        with gzip.open(cast(IO[bytes], tar.extractfile(member))) as stream:
            _read_to_end(cast(IO[bytes], stream))
    except _DAMAGED:
        raise tarfile.ReadError(f"in its member {member.name}") from None


def _read_to_end(stream: IO[bytes]) -> None:
    while stream.read(1 << 20):
        pass


def _unpack_tar(archive: Path, output: Path, members: Collection[str] | None) -> None:
    found = []
    with atomic_folder(output) as folder:
        for tar, member in _tar_members(archive, archive):
            found.append(os.path.normpath(member.name))  # some archives write ./name
            if members is None or found[-1] in members:
                if members is not None and member.isdir():
                    raise _a_folder(archive, found[-1])
                is_plain = (member.isfile() or member.isdir()) and not member.issparse()
                _check_member(archive, member.name, is_plain)
                _write_member(archive, folder, member.name, tar.extractfile(member))
        _check_members(archive, members, found)


def _unpack_zip(archive: Path, output: Path, members: Collection[str] | None) -> None:
    with zipfile.ZipFile(archive) as zipped, atomic_folder(output) as folder:
        _check_zip(archive, zipped)
        _check_members(archive, members, zipped.namelist())
        for member in zipped.infolist():
            if members is not None and member.filename not in members:
                continue
            kind = stat.S_IFMT(member.external_attr >> 16)  # 0 if the archive has no Unix modes
            # Bit 0 of the flags means that the member is encrypted.
            is_plain = kind in (0, stat.S_IFREG, stat.S_IFDIR) and not member.flag_bits & 1
            _check_member(archive, member.filename, is_plain)
            if member.is_dir():
                _write_member(archive, folder, member.filename, None)
                continue
            with zipped.open(member) as source:
                _write_member(archive, folder, member.filename, source)


def _check_zip(archive: Path, zipped: zipfile.ZipFile) -> None:
    """Raise an error when members overlap, or are compressed in a way that takes as much memory as they say."""
    if sum(member.compress_size for member in zipped.infolist()) > archive.stat().st_size:
        raise zipfile.BadZipFile("its members overlap")
    for member in zipped.infolist():
        if member.compress_type not in _COMPRESSIONS:
            raise UserError(
                f"{archive}: the member {member.filename!r} is compressed by method {member.compress_type}, which is "
                "not read; unpack the archive, and zip it again"
            )


def _write_member(archive: Path, folder: Path, name: str, source: IO[bytes] | None) -> None:
    """Write a member, which is a folder if ``source`` is None, without the time, mode and owner that it had."""
    path = folder / os.path.normpath(name)
    try:
        (path if source is None else path.parent).mkdir(parents=True, exist_ok=True)
        if source is not None:
            with open(path, "wb") as file:
                shutil.copyfileobj(source, file)
    except OSError as error:
        if error.errno not in _UNWRITABLE:
            raise
        raise UserError(
            f"{archive}: the member {name!r} cannot be a file here ({error.strerror}); do not trust this archive"
        ) from None


def _check_members(archive: Path, members: Collection[str] | None, found: Collection[str]) -> None:
    missing = [name for name in members or () if name not in found]
    if missing:
        if any(name.startswith(f"{missing[0]}/") for name in found):
            raise _a_folder(archive, missing[0])
        listed = ", ".join(sorted(found)[:10]) + (" …" if len(found) > 10 else "")
        raise UserError(
            f"{archive}: no member {missing[0]} (it has {listed}); the archive is another version, "
            "or the scale's `files` or config/sources.yaml has a wrong name for this member"
        )


def _a_folder(archive: Path, member: str) -> UserError:
    """Return the error for a wanted member that is a folder, where a file is read."""
    return UserError(f"{archive}: the member {member!r} is a folder; name a file in it")


def _check_member(archive: Path, name: str, is_plain: bool) -> None:
    paths = (PurePosixPath(name), PureWindowsPath(name))
    if any(path.is_absolute() or path.drive or ".." in path.parts for path in paths):
        raise UserError(f"{archive}: the member {name!r} is outside its folder; do not trust this archive")
    if not is_plain:
        raise UserError(
            f"{archive}: the member {name!r} is a link, a device or encrypted, which no corpus needs; "
            "do not trust this archive"
        )
