"""Reading and writing files: writes are atomic, and only a newline ends a line."""

import contextlib
import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any

from transformer.common.durability import sync, temporary_beside
from transformer.common.errors import UserError, reading


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
    """Yield the lines of a UTF-8 file without their line ends (see :func:`lines_of`)."""
    with reading(path), open(path, "rb") as file:
        yield from lines_of(file, path)


def lines_of(file: IO[bytes], name: Path | str) -> Iterator[str]:
    """Yield the lines of an open UTF-8 file, called ``name`` in error messages.

    Lines end only at ``\\n`` (a ``\\r`` before it is dropped).  ``str.splitlines`` would also split at U+2028, U+0085
    and others, which occur inside sentences, and so misalign the two languages of a corpus.  The last line need not
    end in ``\\n``.  Raises UserError with file and line number when a line is not UTF-8.
    """
    for number, line in enumerate(file, start=1):
        try:
            yield line.removesuffix(b"\n").removesuffix(b"\r").decode("utf-8")
        except UnicodeDecodeError as error:
            raise UserError(
                f"{name}, line {number}: invalid UTF-8 (byte 0x{error.object[error.start]:02x} at column "
                f"{error.start + 1}); convert the file to UTF-8, e.g. with iconv"
            ) from None
