"""Unpack some members of a downloaded tar or zip archive in one pass: all of them, or none if it is damaged."""

import os
import shutil
import tarfile
import zipfile
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import IO, cast

from transformer.common.arguments import argument_parser
from transformer.common.durability import atomic_folder
from transformer.common.errors import UserError, reading, run_script
from transformer.corpus.pairs import AGAIN, open_gzip
from transformer.corpus.registry import verify

_KINDS = {".tar": "tar", ".tar.gz": "tgz", ".tgz": "tgz", ".zip": "zip", ".gz": "gz"}


def main() -> None:
    parser = argument_parser(__doc__)
    parser.add_argument("--input", type=Path, required=True)
    parser.add_argument("--members", nargs="+", required=True)
    parser.add_argument("--output", type=Path, required=True, help="folder; an existing one is replaced")
    parser.add_argument("--downloads", type=Path, help="folder whose files are checked against the registry")
    arguments = parser.parse_args()
    verify([arguments.input], arguments.downloads)
    unpack(arguments.input, arguments.output, arguments.members)


def unpack(archive: Path, output: Path, members: Collection[str]) -> None:
    """Write some members of a tar or zip, each of which is a file, to the folder ``output``, and nothing else.

    The archive is read once, to its end, so that all of it is checked; memory does not grow with its size.  ``output``
    appears when it is complete, and replaces an existing folder.

    Raises UserError when the archive is missing, damaged, truncated or of an unknown kind, or lacks one of ``members``.
    """
    found = set()
    with reading(archive, AGAIN), atomic_folder(output) as folder:
        for name, content in _files(archive, archive.name):
            found.add(name)
            if name in members:
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                with open(folder / name, "wb") as file:
                    shutil.copyfileobj(content, file)
        for member in members:
            if member not in found:
                listed = ", ".join(sorted(found)[:10]) + (" …" if len(found) > 10 else "")
                raise UserError(
                    f"{archive}: no file {member} in it, but {listed}; the archive is another version, or the scale's "
                    "`files` or resources/sources.yaml has a wrong name for this member"
                )


def check_archive(file: Path, name: str) -> None:
    """Read ``file`` to its end, and raise UserError when it is an archive that is damaged, or holds a damaged gzip.

    The ending of ``name`` tells the format.
    """
    with reading(file, AGAIN):
        if _kind(name) == "gz":
            with open(file, "rb") as compressed:
                _read_to_end(open_gzip(compressed))
        elif _kind(name) is not None:
            for member, content in _files(file, name):
                with reading(f"{file}: {member}", AGAIN):
                    _read_to_end(open_gzip(content) if member.endswith(".gz") else content)


def has_checksum(name: str) -> bool:
    """Return whether a file of this name holds a checksum of its own content, as .gz and .zip do, but no plain .tar."""
    return _kind(name) not in (None, "tar")


def _kind(name: str) -> str | None:
    return next((kind for ending, kind in _KINDS.items() if name.lower().endswith(ending)), None)


def _files(archive: Path, name: str) -> Iterator[tuple[str, IO[bytes]]]:
    """Yield path and content of each plain file inside an archive, which is read in order and to its end.

    A path that leads out of the archive's own folder is left out.
    """
    read = {"zip": _files_of_zip, "tar": _files_of_tar, "tgz": _files_of_tar}.get(_kind(name) or "")
    if read is None:
        raise UserError(f"{archive}: not named like a .zip or tar file")
    for member, content in read(archive):
        path = os.path.normpath(member)
        if not path.startswith("/") and path.split("/")[0] != "..":
            yield path, content


def _files_of_zip(archive: Path) -> Iterator[tuple[str, IO[bytes]]]:
    with zipfile.ZipFile(archive) as zipped:
        for member in zipped.infolist():
            if not member.is_dir():
                with zipped.open(member) as content:
                    yield member.filename, content


def _files_of_tar(archive: Path) -> Iterator[tuple[str, IO[bytes]]]:
    """Read a tar as a stream, since one that is opened by name may seek back, which decompresses it again."""
    with open(archive, "rb") as file:
        is_compressed = file.read(2) == b"\x1f\x8b"
        if not is_compressed:
            # A tar ends with zeros; without them, its last members may be missing.
            file.seek(-min(tarfile.BLOCKSIZE, file.seek(0, os.SEEK_END)), os.SEEK_END)
            if file.read().strip(b"\0"):
                raise tarfile.ReadError("no mark of its end")
        file.seek(0)
        stream = open_gzip(file) if is_compressed else file
        with tarfile.open(fileobj=stream, mode="r|") as tar:
            for member in tar:
                if member.isfile():
                    yield member.name, cast(IO[bytes], tar.extractfile(member))
        _read_to_end(stream)


def _read_to_end(stream: IO[bytes]) -> None:
    while stream.read(1 << 20):
        pass


if __name__ == "__main__":
    run_script(main)
