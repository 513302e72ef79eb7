"""Folders that are written as a whole, and known by their sums, so that a file of the user's in them stays."""

import contextlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from transformer.common.artifacts import read_sums, sums_text
from transformer.common.errors import UserError
from transformer.common.files import sha256_of, sync, temporary_beside

SUMS = "SHA256SUMS"
ADVICE = "move or delete them, or name another folder"


@contextlib.contextmanager
def atomic_folder(path: Path) -> Iterator[Path]:
    """Yield a temporary folder beside ``path``, and rename it to ``path`` when the block ends without an error.

    ``SHA256SUMS`` in it has the sha256 of all other files.  Everything is synced before, so that after a crash ``path``
    is complete if it exists.  An existing folder is replaced; of a symbolic link, that is the folder that it names.

    Raises UserError before the block if the existing folder has files that its SHA256SUMS does not name, or that were
    edited since, and after the block if it has files that the new one lacks.
    """
    path = Path(os.path.realpath(path))
    check_written_here(path)
    parent = temporary_beside(path)
    folder = parent / "new"  # the old folder moves beside it
    try:
        folder.mkdir(parents=True)
        yield folder
        if lost := sorted(_files_in(path) - _files_in(folder)):
            raise UserError(f"{path}: has {_named(lost)}, which would be lost; {ADVICE}")
        sums = {name: sha256_of(folder / name) for name in sorted(_files_in(folder))}
        (folder / SUMS).write_text(sums_text(sums), encoding="utf-8")
        for inside, _, names in os.walk(folder):
            for written in (*(Path(inside, name) for name in names), Path(inside)):
                sync(written)
        if path.exists():
            os.replace(path, parent / "old")
        os.replace(folder, path)
        sync(path.parent)
    finally:
        shutil.rmtree(parent, ignore_errors=True)


def check_written_here(folder: Path) -> None:
    """Raise UserError if a folder has a file that :func:`atomic_folder` did not write, or that was edited since."""
    sums = read_sums(folder / SUMS) if (folder / SUMS).exists() else {}
    others = [name for name in sorted(_files_in(folder)) if sums.get(name) != sha256_of(folder / name)]
    if others:
        raise UserError(
            f"{folder}: has {_named(others)}, which this program did not write or which was edited since; {ADVICE}"
        )


def _files_in(folder: Path) -> set[str]:
    """Return the paths of all files below a folder, relative to it, but for its sums."""
    paths = (Path(inside, name) for inside, _, names in os.walk(folder) for name in names)
    return {path.relative_to(folder).as_posix() for path in paths} - {SUMS}


def _named(files: list[str]) -> str:
    """Return the number of files and the first of them."""
    return f"{len(files)} files, {', '.join(files[:3])}{' …' if files[3:] else ''}"
