"""Unpack some members of a downloaded tar or zip archive in one pass: all of them, or none if it is damaged."""

import os
import shutil
import struct
import tarfile
import zipfile
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import IO, cast

from transformer.common.arguments import argument_parser
from transformer.common.errors import UserError, reading, run_script
from transformer.common.file_kinds import (
    AGAIN,
    BINARY,
    HEAD,
    codec_of,
    decompressed,
    head_of,
    is_tar,
    no_text,
)
from transformer.common.files import atomic_files
from transformer.corpus.registry import verify

ARCHIVES = (".zip", ".tar", ".tgz", ".tar.gz")  # endings by which a file is known before it is there
_ZIP = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")
_ENCRYPTED = 0x1  # of the flags of a member
# What the standard library raises of damaged archives, besides what any file can raise.
_DAMAGES = (tarfile.TarError, zipfile.BadZipFile, struct.error, ValueError, OverflowError, RuntimeError)


def main() -> None:
    parser = argument_parser(__doc__)
    parser.add_argument("--input", type=Path, required=True)
    parser.add_argument("--members", nargs="+", required=True)
    parser.add_argument("--output", type=Path, required=True, help="folder of the files to write")
    parser.add_argument("--downloads", type=Path, help="folder whose files are checked against the registry")
    arguments = parser.parse_args()
    verify([arguments.input], arguments.downloads)
    unpack(arguments.input, arguments.output, arguments.members)


def unpack(archive: Path, output: Path, members: Collection[str]) -> None:
    """Write some members of a tar or zip, each of which is a file, to the folder ``output``, and nothing else.

    The archive is read once, to its end, so that all of it is checked; memory does not grow with its size.  The files
    appear when all of them are complete; others in the folder stay.  Of members of one name the last counts, as for
    tar.

    Raises UserError when the archive is missing, damaged, truncated or no tar or zip, or lacks one of ``members``.
    """
    found: dict[str, str] = {}  # name → why it cannot be read, or an empty text
    with reading(archive, AGAIN, raises=_DAMAGES), atomic_files(output) as folder:
        for name, content in files_of(archive):
            found[name] = content if isinstance(content, str) else ""
            if name in members and not isinstance(content, str):
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                with open(folder / name, "wb") as file:
                    shutil.copyfileobj(content, file)
        for member in members:
            if found.get(member):
                raise UserError(f"{archive}: {member} {found[member]}")
            if member not in found:
                raise UserError(
                    f"{archive}: no file {member} in it, but {_listed(found, member)}; the archive is another version, "
                    "or the scale's `files` or resources/sources.yaml has a wrong name for this member"
                )


def check_archive(file: Path) -> None:
    """Read a file to its end, with what is compressed or packed in it; raise UserError if that is damaged."""
    with reading(file, AGAIN, raises=_DAMAGES):
        if file.stat().st_size == 0:
            raise EOFError("the file is empty")
        if is_archive(file):
            for member, content in files_of(file):
                if not isinstance(content, str):
                    with reading(f"{file}: {member}", AGAIN, raises=_DAMAGES):
                        _read_to_end(decompressed(content, f"{file}: {member}"))
        else:
            with open(file, "rb") as plain:
                _read_to_end(decompressed(plain, file))


def has_checksum(file: Path) -> bool:
    """Return whether a file, or its beginning, holds a checksum of its content, as gzip and zip do but no tar."""
    with open(file, "rb") as stream:
        head = stream.read(HEAD)
    return head.startswith(_ZIP) or codec_of(head) is not None


def is_archive(file: Path) -> bool:
    """Return whether a file is a tar, which may be compressed, or a zip."""
    return is_tar(head_of(file)) or zipfile.is_zipfile(file) or head_of(file).startswith(_ZIP)


def files_of(archive: Path) -> Iterator[tuple[str, IO[bytes] | str]]:
    """Yield path and content of each file inside an archive, in order; or, of one that cannot be read, the reason.

    The archive is read to its end.  Paths are as tar unpacks them: relative, without a ``/`` at the beginning.
    """
    head = head_of(archive)
    if is_tar(head):
        members = _files_of_tar(archive)
    elif head.startswith(_ZIP) or zipfile.is_zipfile(archive):
        members = _files_of_zip(archive)
    else:
        what = no_text(head) or "text"
        if not head or what == BINARY:
            raise UserError(
                f"{archive}: damaged or truncated at its beginning, or no tar or zip archive; {AGAIN}"
            )
        raise UserError(f"{archive}: no tar or zip archive, but {what}")
    for member, content in members:
        path = os.path.normpath(member.lstrip("/") or ".")
        leads_out = path.split("/")[0] == ".."
        yield path, "leads out of the archive's folder; pack it again" if leads_out else content


def _files_of_zip(archive: Path) -> Iterator[tuple[str, IO[bytes] | str]]:
    with zipfile.ZipFile(archive) as zipped:
        for member in zipped.infolist():
            if member.is_dir():
                continue
            # Some programs of Windows write its separator.
            name = member.filename.replace("\\", "/")
            if member.flag_bits & _ENCRYPTED:
                yield name, "is encrypted; unpack the archive with its password, and name the files"
                continue
            try:
                content = zipped.open(member)
            except NotImplementedError:
                method = f"method {member.compress_type} of zip"
                yield name, f"is compressed by {method}, which Python cannot read; unpack the archive with 7z"
                continue
            with content:
                yield name, content


def _files_of_tar(archive: Path) -> Iterator[tuple[str, IO[bytes] | str]]:
    """Read a tar as a stream, since one that is opened by name may seek back, which decompresses it again."""
    with open(archive, "rb") as file:
        if codec_of(file.read(HEAD)) is None:
            # A tar ends with zeros; without them, its last members may be missing.
            file.seek(-min(tarfile.BLOCKSIZE, file.seek(0, os.SEEK_END)), os.SEEK_END)
            if file.read().strip(b"\0"):
                raise tarfile.ReadError("no mark of its end")
        file.seek(0)
        stream = decompressed(file, archive)
        with tarfile.open(fileobj=stream, mode="r|") as tar:
            for member in tar:
                if member.isfile():
                    yield member.name, cast(IO[bytes], tar.extractfile(member))
                elif member.islnk() or member.issym():
                    yield member.name, f"is a link to {member.linkname}; name that, if it is in the archive"
                elif not member.isdir():
                    yield member.name, "is a device or a pipe, no file"
        _read_to_end(stream)


def _listed(found: dict[str, str], member: str) -> str:
    """Return the names in an archive, those first that are most like a member that is not in it."""
    base = os.path.basename(member).lower()
    names = sorted(found, key=lambda name: (os.path.basename(name).lower() != base, name))
    listed = [f"{name} (which {found[name].partition(';')[0]})" if found[name] else name for name in names]
    return ", ".join(listed[:10]) + (" …" if len(listed) > 10 else "") if listed else "nothing"


def _read_to_end(stream: IO[bytes]) -> None:
    while stream.read(1 << 20):
        pass


if __name__ == "__main__":
    run_script(main)
