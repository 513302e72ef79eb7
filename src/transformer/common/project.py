"""The files of the project, for a program that runs in any folder.

A working folder may have files of ``config/`` of its own.  Each replaces the project's file of the same name.
"""

import os
from pathlib import Path

PROJECT = Path(__file__).parents[3]
SCHEMAS = PROJECT / "workflow" / "schemas"


def config_file(name: str, folder: Path | str = ".") -> Path:
    """Return the path of ``config/<name>`` in ``folder`` if it exists, otherwise in the project."""
    own = Path(folder, "config", name)
    return own if own.exists() else PROJECT / "config" / name


def config_names(folder: Path | str = ".") -> set[str]:
    """Return the names of all YAML files of ``config/``, those of ``folder`` and those of the project."""
    return {path.name for root in (Path(folder), PROJECT) for path in root.glob("config/*.yaml")}


def in_project() -> bool:
    """Return whether the working folder is the project itself."""
    return os.path.realpath(".") == os.path.realpath(PROJECT)
