"""Folders that are written as a whole, and known by their sums, so that a file of the user's in them stays."""

import contextlib
import os
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path

from transformer.common.artifacts import read_sums, sums_text
from transformer.common.errors import UserError
from transformer.common.files import sha256_of, sync, temporary_beside

SUMS = "SHA256SUMS"


@contextlib.contextmanager
def atomic_folder(path: Path) -> Iterator[Path]:
    """Yield a temporary folder beside ``path``, and rename it to ``path`` when the block ends without an error.

    ``SHA256SUMS`` in it has the sha256 of all other files.  Everything is synced before, so that after a crash ``path``
    is complete if it exists.  An existing folder is replaced; of a symbolic link, that is the folder that it names.

    Raises UserError before the block if the existing folder has files that its SHA256SUMS does not name, or that were
    edited since, and after the block if it has files that the new one lacks.
    """
    path = Path(os.path.realpath(path))
    sums = read_sums(path / SUMS) if (path / SUMS).exists() else {}
    others = (name for name in _files_in(path) if sums.get(name) != sha256_of(path / name))
    _refuse(path, others, "which this program did not write or which was edited since")
    parent = temporary_beside(path)
    folder = parent / "new"  # the old folder moves beside it
    try:
        folder.mkdir(parents=True)
        yield folder
        files = _files_in(folder)
        _refuse(path, _files_in(path) - files, "which would be lost")
        sums = {name: sha256_of(folder / name) for name in sorted(files)}
        (folder / SUMS).write_text(sums_text(sums), encoding="utf-8")
        for written in (*folder.rglob("*"), folder):
            sync(written)
        if path.exists():
            os.replace(path, parent / "old")
        os.replace(folder, path)
        sync(path.parent)
    finally:
        shutil.rmtree(parent, ignore_errors=True)


def _files_in(folder: Path) -> set[str]:
    """Return the paths of all files and links below a folder, relative to it, but for its sums."""
    paths = (path for path in folder.rglob("*") if path.is_symlink() or not path.is_dir())
    return {path.relative_to(folder).as_posix() for path in paths} - {SUMS}


def _refuse(folder: Path, files: Iterable[str], why: str) -> None:
    """Raise UserError if there are such ``files`` in a folder, with their number and the first of them."""
    if names := sorted(files):
        first = f"{len(names)} files, {', '.join(names[:3])}{' …' if names[3:] else ''}"
        raise UserError(f"{folder}: has {first}, {why}; move or delete them, or name another folder")
