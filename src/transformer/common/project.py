"""The files of the project, and paths as results record them."""

from pathlib import Path

PROJECT = Path(__file__).parents[3]


def resource_file(name: str) -> Path:
    """Return the path of ``resources/<name>``: what the project knows, and users do not set."""
    return local_path(PROJECT / "resources" / name)


def local_path(path: Path | str) -> Path:
    """Return a path relative to the working folder if it is an absolute one of a file in it; others are unchanged.

    Results of a script are then the same for both forms.
    """
    path = Path(path)
    return path.relative_to(Path.cwd()) if path.is_absolute() and path.is_relative_to(Path.cwd()) else path


def recorded_path(path: Path) -> str:
    """Return a path as results record it, which does not say where the project lies.

    A file outside of the working folder and of the project keeps its absolute path.
    """
    path = local_path(path)
    return (path.relative_to(PROJECT) if path.is_relative_to(PROJECT) else path).as_posix()
