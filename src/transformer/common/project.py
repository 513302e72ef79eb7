"""The files of the project, for a program that runs in any folder: ``config/``, what users set, and ``resources/``.

A working folder may have files of ``config/`` of its own.  Each replaces the project's file of the same name.
"""

import os
from pathlib import Path

PROJECT = Path(__file__).parents[3]


def config_file(name: str, folder: Path | str = ".") -> Path:
    """Return the path of ``config/<name>`` in ``folder`` if it exists, otherwise in the project."""
    own = Path(folder, "config", name)
    return own if own.exists() else PROJECT / "config" / name


def resource_file(name: str) -> Path:
    """Return the path of ``resources/<name>``, which is the project's in every working folder."""
    return Path("" if in_project() else PROJECT, "resources", name)


def local_path(path: Path | str) -> Path:
    """Return a path relative to the working folder if it is an absolute one of a file in it; others are unchanged.

    Results of a script are then the same for both forms.
    """
    return _relative(Path(path), Path.cwd()) or Path(path)


def recorded_path(path: Path) -> str:
    """Return a path as results record it, which does not say where the project lies.

    Paths are relative to the working folder, and those of the project's ``config/`` and ``resources/`` to the project.
    Any other file outside the working folder keeps its absolute path.
    """
    path = local_path(path)
    shared = any(path.is_relative_to(PROJECT / top) for top in ("config", "resources"))
    return ((_relative(path, PROJECT) if shared else None) or path).as_posix()


def find_recorded(path: str) -> Path:
    """Return the file that :func:`recorded_path` named in this working folder.

    A file of ``config/`` or ``resources/`` is that which programs read here, perhaps the project's.  Any other is the
    working folder's, and need not exist.
    """
    top, _, name = path.partition("/")
    finders = {"config": config_file, "resources": resource_file}
    return finders[top](name) if top in finders else Path(path)


def _relative(path: Path, folder: Path) -> Path | None:
    """Return an absolute path relative to ``folder``, if it is in there."""
    return path.relative_to(folder) if path.is_absolute() and path.is_relative_to(folder) else None


def in_project(folder: Path | str = ".") -> bool:
    """Return whether a folder, by default the working folder, is the project itself."""
    return os.path.realpath(folder) == os.path.realpath(PROJECT)
