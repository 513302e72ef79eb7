"""The registry of downloads, resources/sources.yaml: the address, checksum and size of each file.

Some publishers give no checksum.  The first download of such a file is trusted once it has been read without an error:
its checksum is recorded in resources/sources.lock.yaml, and every later download must match it.
"""

import fcntl
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from transformer.common.errors import UserError
from transformer.common.files import sha256_of
from transformer.common.locks import flock
from transformer.common.notes import say
from transformer.common.project import resource_file
from transformer.common.yaml_files import read_checked
from transformer.corpus.file_formats import AGAIN, archive_of

_SCHEMA = Path(__file__).with_name("sources.schema.yaml")
_LOCK_SCHEMA = {
    "type": ["object", "null"],  # null: nothing is recorded yet
    "additionalProperties": {
        "type": "object",
        "additionalProperties": False,
        "required": ["sha256", "size"],
        "properties": {
            "sha256": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
            "size": {"type": "integer", "minimum": 1},
        },
    },
}


@dataclass(frozen=True)
class RegisteredFile:
    """One file to download."""

    path: str  # relative to the folder of downloads, and to a mirror
    url: str
    sha256: str | None = None  # None: neither published nor recorded yet
    size: int | None = None  # bytes
    recorded_in: str = "the registry"  # or the lock file that sha256 and size are from

    def unlike(self, place: str, found: str, expected: str) -> UserError:
        """Return the error that what came from ``place`` is not as it is known to be."""
        return UserError(
            f"{place}: {found}, but {self.recorded_in} says {expected} for {self.path}; replace it, or remove it to "
            f"download it again, or correct {self.recorded_in} to trust this one"
        )


def load_registry(path: Path) -> dict[str, RegisteredFile]:
    """Return the registered files by their paths.  Raises UserError as :func:`read_sources` does."""
    entries = (entry for source in read_sources(path).values() for entry in source["files"])
    return {entry["path"]: RegisteredFile(**entry) for entry in entries}


def read_sources(path: Path, folder: Path | str = ".") -> dict[str, Any]:
    """Return the content of the registry: the name of each source and its description.

    A working ``folder`` adds to the project's registry the sources of its own config/sources.yaml.

    Raises UserError, which names the key, when a registry breaks its schema, names a source of another one, or lists a
    file twice.
    """
    own = own_registry(folder)
    sources: dict[str, Any] = {}
    files = set()
    for registry in [path, own] if path == resource_file("sources.yaml") and own.exists() else [path]:
        for name, source in read_checked(registry, _SCHEMA).items():
            if name in sources:
                raise UserError(f"{registry}: {name} is a source of {path}; choose another name")
            sources[name] = source
            for entry in source["files"]:
                if entry["path"] in files:
                    raise UserError(f"{registry}: {name}: {entry['path']} is listed twice; remove one")
                files.add(entry["path"])
    return sources


def own_registry(folder: Path | str = ".") -> Path:
    """Return the path of the sources that a working ``folder`` adds to the project's; few have this file."""
    return Path(folder, "config", "sources.yaml")


def file_and_member(location: str | dict[str, str]) -> tuple[str, str | None]:
    """Return the file that the registry gives for a side, and the member when the file is an archive."""
    return (location, None) if isinstance(location, str) else (location["file"], location["member"])


def tree_members(trees: dict[str, Any]) -> list[str]:
    """Return the members of an archive that hold a split of a treebank, numbered from ``first`` to ``last``."""
    return [trees["member"].format(number) for number in range(trees["first"], trees["last"] + 1)]


def lock_file() -> Path:
    """Return the lock file, which records the checksums of what was downloaded."""
    return resource_file("sources.lock.yaml")


def with_locks(file: RegisteredFile) -> RegisteredFile:
    """Return ``file`` with the checksum and size that a lock file records for it; a published checksum is kept.

    Raises UserError when a lock file does not have the form that :func:`record` writes.
    """
    lock = lock_file()
    if file.sha256 is None and lock.exists():
        recorded = (read_checked(lock, _LOCK_SCHEMA) or {}).get(file.path)
        if recorded is not None:
            return replace(file, **recorded, recorded_in=str(lock))
    return file


@contextmanager
def verified(paths: Iterable[Path], downloads: Path | None) -> Iterator[None]:
    """Return a context for reading ``paths``; those that are below ``downloads``, or their archives, are checked.

    A file may have been copied there by hand, or the lock file may come from someone who got another download.  A file
    whose checksum no one knows is judged by those who read it: the checksum is recorded when the block ends without an
    error, also if the block has read a part of the file only.  So neither a login page nor a truncated archive is.

    Raises UserError when a checksum differs.  An error of the block also says which files nobody knows.
    """
    files = dict.fromkeys(archive_of(path)[0] for path in paths)
    downloaded = [path for path in files if downloads is not None and path.is_relative_to(downloads)]
    registered = load_registry(resource_file("sources.yaml")) if downloaded else {}
    unknown = {}
    for path in downloaded:
        name = path.relative_to(downloads or "").as_posix()
        file = with_locks(registered.get(name, RegisteredFile(name, "")))
        check(path, file, str(path))
        if file.sha256 is None:
            unknown[path] = file
    try:
        yield
    except UserError as error:
        if not unknown or AGAIN in str(error):
            raise
        named = " or ".join(map(str, unknown))
        raise UserError(f"{error}; if {named} is not the right file, {AGAIN}") from None
    for path, file in unknown.items():
        record(file, path)


def record(file: RegisteredFile, download: Path) -> None:
    """Record the checksum and size of ``download``, the first of ``file``, in the lock file, and say so.

    Several processes may record at the same time.  Raises UserError when another one has recorded a different
    checksum for the same file.
    """
    sha256, size = sha256_of(download), download.stat().st_size
    lock = lock_file()
    lock.parent.mkdir(parents=True, exist_ok=True)
    with open(lock, "a", encoding="utf-8") as stream:
        flock(lock, stream.fileno(), fcntl.LOCK_EX)  # until the file is closed
        recorded = with_locks(file)
        if recorded.sha256 is not None:
            return check(download, recorded, str(download))
        content = lock.read_bytes()
        # An editor may have removed the newline at the end.
        stream.write("\n" if content and not content.endswith(b"\n") else "")
        stream.write(f"{file.path}: {{sha256: {sha256}, size: {size}}}\n")
    say(
        f"{download}: no checksum is published, so this first copy is trusted: sha256 {sha256}, recorded in {lock}; "
        "commit that file, since later ones are checked against it"
    )


def check(path: Path, file: RegisteredFile, place: str) -> None:
    """Raise UserError when ``path``, which came from ``place``, has not the sha256 of ``file``, if that is known."""
    if file.sha256 is not None and (found := sha256_of(path)) != file.sha256:
        # Whole sums would leave no room for the paths.
        raise file.unlike(place, f"sha256 {found:.16}…", f"{file.sha256:.16}…")
