"""Reading and writing files: only a newline ends a line, and what is written survives a kill and a power cut.

A file or folder is on the disk before it gets its name, and nothing stays behind of one that was not finished.
"""

import contextlib
import errno
import glob
import hashlib
import json
import os
import platform
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from transformer.common.errors import UserError, reading


def temporary_beside(path: Path) -> Path:
    """Return a name for what will become ``path``, in the same folder, which is made.

    The name holds this machine and the id of this process.  What killed processes of this machine have left of ``path``
    is removed; of another machine's, nobody here knows whether they run.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    begin = f".{path.name}.{platform.node()}-"
    for left in path.parent.glob(f"{glob.escape(begin)}*.tmp"):
        process = left.name.removeprefix(begin).removesuffix(".tmp")
        if process.isdecimal() and not Path("/proc", process).exists():
            with contextlib.suppress(OSError):  # another process may remove it at the same time
                shutil.rmtree(left) if left.is_dir() else left.unlink()
    return path.with_name(f"{begin}{os.getpid()}.tmp")


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

    A symbolic link stays, and the file that it names is written.  A file keeps its permissions.  To a device or a pipe,
    the block's file is copied.
    """
    path = Path(path)
    if is_file := path.is_file() or not path.exists():
        path = Path(os.path.realpath(path))
    temporary = temporary_beside(path if is_file else Path(tempfile.gettempdir(), path.name))
    try:
        yield temporary
        if is_file:
            sync(temporary)
            if path.exists():
                shutil.copymode(path, temporary)
            os.replace(temporary, path)
            sync(path.parent)
        else:
            with open(temporary, "rb") as made, open(path, "wb") as there:
                shutil.copyfileobj(made, there)
    finally:
        temporary.unlink(missing_ok=True)


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
    """Yield the lines of a UTF-8 file that the pipeline has written, without their line ends.

    Lines end only at ``\\n``.  ``str.splitlines`` would also split at U+2028, U+0085 and others, which occur inside
    sentences, and so misalign the two languages of a corpus.  Raises UserError when the file is missing or not UTF-8.
    """
    with reading(path), open(path, "rb") as file:
        for number, line in enumerate(file, start=1):
            try:
                text = line.removesuffix(b"\n").decode("utf-8")
            except UnicodeDecodeError:
                raise UserError(f"{path}, line {number}: invalid UTF-8; correct the line") from None
            yield text
