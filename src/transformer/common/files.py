"""Reading and writing files: only a newline ends a line, and what is written survives a kill and a power cut.

A file or folder is on the disk before it gets its name, and nothing stays behind of one that was not finished.
"""

import contextlib
import errno
import hashlib
import json
import os
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any

from transformer.common.errors import UserError, reading
from transformer.common.file_kinds import AGAIN, HEAD, Damaged, open_text
from transformer.common.notes import say

_ONE_WAY = "end all lines in one way, by LF, or remove the CR"


def temporary_beside(path: Path) -> Path:
    """Return a name for what will become ``path``, in the same folder, which is made.

    The name holds the id of this process.  What killed processes have left of ``path`` is removed.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    for left in path.parent.glob(".*.tmp"):
        named = re.fullmatch(rf"\.{re.escape(path.name)}\.(\d{{1,9}})\.tmp", left.name)
        if named and not _is_running(int(named[1])):
            with contextlib.suppress(OSError):  # another process may remove it at the same time
                shutil.rmtree(left) if left.is_dir() else left.unlink()
    return path.with_name(f".{path.name}.{os.getpid()}.tmp")


def sync(path: Path) -> None:
    """Wait until the disk has the content of a file, or the names in a folder."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        # Some network file systems cannot sync folders.
        if not (path.is_dir() and error.errno in (errno.EINVAL, errno.ENOTSUP)):
            raise
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def atomic_path(path: Path | str) -> Iterator[Path]:
    """Yield a temporary path beside ``path``, and rename it to ``path`` when the block ends without an error.

    The file is synced before the rename, so that after a crash ``path`` is either the old file or the complete new one,
    and the folder after it, so that what is said to be done stays done.  When the block raises, the temporary file is
    removed; what a killed process left is removed by the next that writes ``path``.
    """
    path = Path(path)
    temporary = temporary_beside(path)
    try:
        yield temporary
        sync(temporary)
        os.replace(temporary, path)
        sync(path.parent)
    finally:
        temporary.unlink(missing_ok=True)


@contextlib.contextmanager
def atomic_folder(path: Path) -> Iterator[Path]:
    """Yield a temporary folder beside ``path``, and rename it to ``path`` when the block ends without an error.

    Everything in it is synced before, so that after a crash ``path`` is complete if it exists.  An existing folder is
    replaced.
    """
    parent = temporary_beside(path)
    folder = parent / "new"  # the old folder moves beside it
    try:
        folder.mkdir(parents=True)
        yield folder
        for inside, _, names in os.walk(folder):
            for written in (*(Path(inside, name) for name in names), Path(inside)):
                sync(written)
        if path.exists():
            os.replace(path, parent / "old")
        os.replace(folder, path)
        sync(path.parent)
    finally:
        shutil.rmtree(parent, ignore_errors=True)


def check_replaceable(folder: Path, ours: Path | str) -> None:
    """Raise UserError when a folder that will be replaced has files, but not ``ours``, by which we know our own."""
    if folder.exists() and any(folder.iterdir()) and not (folder / ours).exists():
        raise UserError(
            f"{folder}: this folder has other files, which would be lost; name a new or an empty folder"
        )


@contextlib.contextmanager
def atomic_writer(path: Path | str) -> Iterator[IO[str]]:
    """Open ``path`` for writing UTF-8 text with ``\\n`` line ends, atomically (see :func:`atomic_path`)."""
    with atomic_path(path) as temporary, open(temporary, "w", encoding="utf-8", newline="\n") as file:
        yield file


def write_text(path: Path | str, text: str) -> None:
    """Write ``text`` to ``path`` atomically, as UTF-8."""
    with atomic_writer(path) as file:
        file.write(text)


def write_json(path: Path | str, value: Any) -> None:
    """Write ``value`` as indented JSON atomically.  The same value gives the same bytes."""
    write_text(path, json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n")


def write_all(folder: Path, texts: Mapping[str, str]) -> dict[str, Path]:
    """Write each text to the file of its name in ``folder``, atomically; return their paths by name."""
    outputs = {name: folder / name for name in texts}
    for name, text in texts.items():
        write_text(outputs[name], text)
    return outputs


def read_json(path: Path | str, advice: str = "") -> Any:
    """Read a JSON file.  Raises UserError with file and line when it is missing or something else."""
    with reading(path, advice, "not valid JSON"):
        return json.loads(Path(path).read_bytes().decode("utf-8"))


def sha256_of(path: Path | str) -> str:
    """Return the sha256 of a file in hexadecimal.  Raises UserError when it is missing."""
    with reading(path), open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def file_record(path: Path) -> dict[str, str]:
    """Return the ``name`` and ``sha256`` of a file, which results use to record their inputs."""
    return {"name": path.name, "sha256": sha256_of(path)}


def read_lines(path: Path | str) -> Iterator[str]:
    """Yield the lines of a UTF-8 file, which may be compressed, without their line ends (see :func:`lines_of`)."""
    with open_text(path) as file:
        head = file.peek(HEAD)
        # Before Mac OS X, text had no other line end.
        is_old_mac = b"\r" in head and b"\n" not in head
        yield from lines_of(_old_mac_lines(file) if is_old_mac else file, path)


def lines_of(file: Iterable[bytes], name: Path | str) -> Iterator[str]:
    """Yield the lines of an open UTF-8 file, called ``name`` in error messages.

    Lines end only at ``\\n`` (a ``\\r`` before it is dropped).  ``str.splitlines`` would also split at U+2028, U+0085
    and others, which occur inside sentences, and so misalign the two languages of a corpus.  The last line need not
    end in ``\\n``.  A few lines with ``\\r`` inside are counted on standard error; they stay as they are.

    Raises UserError with file and line number when a line is not UTF-8, when compressed data is damaged, or when more
    than one line in twenty has ``\\r`` inside, which then ends lines too.
    """
    number = first = returns = 0
    try:
        for number, line in enumerate(file, start=1):
            text = line.removesuffix(b"\n").removesuffix(b"\r")
            if b"\r" in text.strip():
                first, returns = first or number, returns + 1
            if b"\n" in text:
                raise UserError(f"{name}, line {number}: it ends by LF, and those before by CR; {_ONE_WAY}")
            yield text.decode("utf-8")
    except UnicodeDecodeError as error:
        byte = error.object[error.start]
        letter = bytes([byte]).decode("windows-1252", "replace")
        raise UserError(
            f"{name}, line {number}: invalid UTF-8 (byte 0x{byte:02x} at column {error.start + 1}, in Latin-1 "
            f"{letter}); convert the file to UTF-8, e.g. iconv -f WINDOWS-1252 -t UTF-8"
        ) from None
    except Damaged as error:
        raise UserError(f"{name}, after line {number}: damaged or truncated ({error}); {AGAIN}") from None
    if returns:
        found = f"{name}, line {first}: a carriage return (CR) inside the line, as in {returns:,} of {number:,} lines"
        if returns * 20 > number:
            raise UserError(f"{found}; {_ONE_WAY}")
        say(found)


def _old_mac_lines(file: IO[bytes]) -> Iterator[bytes]:
    rest = b""
    while block := file.read(HEAD):
        *lines, rest = (rest + block).split(b"\r")
        yield from lines
    if rest:
        yield rest


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # another user's
        pass
    return True
