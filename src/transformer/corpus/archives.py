"""Unpacking downloads: gzip to a file, tar and zip to a folder, never outside it and never half."""

import gzip
import os
import shutil
import stat
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath, PureWindowsPath

from transformer.errors import UserError
from transformer.files import atomic_path

TAR_SUFFIXES = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz")

_DAMAGED = (EOFError, zlib.error, gzip.BadGzipFile, tarfile.TarError, zipfile.BadZipFile)


def unpack(archive: Path | str, output: Path | str) -> None:
    """Unpack ``archive``, whose name tells its kind: ``.gz`` to the file ``output``, tar and zip to that folder.

    ``output`` appears when it is whole; a folder that was there before is replaced.

    Raises UserError when the archive is missing, damaged or truncated, of an unknown kind, or when a member is
    not a plain file or folder inside the archive's own folder.
    """
    archive = Path(archive)
    name = archive.name.lower()
    if not archive.is_file():
        raise UserError(f"{archive}: no such file")
    try:
        if name.endswith(TAR_SUFFIXES):
            _unpack_tar(archive, Path(output))
        elif name.endswith(".zip"):
            _unpack_zip(archive, Path(output))
        elif name.endswith(".gz"):
            _unpack_gzip(archive, Path(output))
        else:
            raise UserError(f"{archive}: not a .gz, .zip or tar file by its name")
    except _DAMAGED as error:
        raise UserError(
            f"{archive}: damaged or truncated ({error}); remove it and download it again"
        ) from None


def _unpack_gzip(archive: Path, output: Path) -> None:
    if archive.stat().st_size == 0:
        raise EOFError("the file is empty")
    with (
        atomic_path(output) as temporary,
        gzip.open(archive, "rb") as source,
        open(temporary, "wb") as target,
    ):
        shutil.copyfileobj(source, target)


def _unpack_tar(archive: Path, output: Path) -> None:
    with tarfile.open(archive) as tar, _atomic_folder(output) as folder:
        for member in tar.getmembers():
            _check_member(archive, member.name, is_plain=member.isfile() or member.isdir())
        tar.extractall(folder, filter="data")


def _unpack_zip(archive: Path, output: Path) -> None:
    with zipfile.ZipFile(archive) as zipped, _atomic_folder(output) as folder:
        for member in zipped.infolist():
            kind = stat.S_IFMT(member.external_attr >> 16)  # 0 where the archiver knows no Unix modes
            is_plain = kind in (0, stat.S_IFREG, stat.S_IFDIR) and not member.flag_bits & 1  # 1: encrypted
            _check_member(archive, member.filename, is_plain)
        zipped.extractall(folder)


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
