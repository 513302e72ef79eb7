"""The registry of downloads, resources/sources.yaml: the address, checksum and size of each file.

Some publishers give no checksum.  The first download of such a file is trusted: its checksum is recorded in a lock
file, and every later download must match it.  The lock file lies beside the registry; but someone who works in another
folder than the project's has a lock file of their own in config/, which is read after the project's.
"""

import fcntl
import ipaddress
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from transformer.common.errors import UserError
from transformer.common.files import sha256_of
from transformer.common.project import PROJECT, in_project
from transformer.common.yaml_files import read_checked

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
    recorded_in: str | None = None  # the lock file that sha256 and size are from, if they were not published


def load_registry(path: Path) -> dict[str, RegisteredFile]:
    """Return the registered files by their paths.  Raises UserError as :func:`read_sources` does."""
    sources = read_sources(path)
    entries = (entry for source in sources.values() for entry in source["files"])
    return {entry["path"]: RegisteredFile(**entry) for entry in entries}


def read_sources(path: Path, folder: Path | str = ".") -> dict[str, Any]:
    """Return the content of the registry: the name of each source and its description.

    A working ``folder`` adds to the project's registry the sources of its own resources/sources.yaml.

    Raises UserError, which names the key, when a registry breaks its schema, names a source of another one, lists a
    file twice, names a file that is not listed, or has a file by plain http whose sha256 is neither published nor
    recorded.
    """
    own = own_registry(folder)
    sources: dict[str, Any] = {}
    places: dict[str, str] = {}
    files = set()
    for registry in [path, own] if _is_projects(path) and own.exists() else [path]:
        for name, source in read_checked(registry, _SCHEMA).items():
            places[name] = f"{registry}: {name}"
            if name in sources:
                raise UserError(f"{places[name]} is a source of {path}; choose another name")
            sources[name] = source
            for entry in source["files"]:
                if entry["path"] in files:
                    raise UserError(f"{places[name]}: {entry['path']} is listed twice; remove one")
                files.add(entry["path"])
                check_protected(RegisteredFile(**entry), path, places[name])
    for name, source in sources.items():
        for key, file, _ in named_files(source):
            if file not in files:
                raise UserError(f"{places[name]}.{key}: {file} is not among the files; add it")
    return sources


def own_registry(folder: Path | str = ".") -> Path:
    """Return the path of the sources that a working ``folder`` adds to the project's; few have this file."""
    return Path(folder, "config", "sources.yaml")


def is_unprotected(url: str) -> bool:
    """Return whether anyone between here and the server of ``url`` can change what arrives: plain http.

    >>> is_unprotected("http://data.statmt.org/corpus.tgz"), is_unprotected("http://127.0.0.1:8000/corpus.tgz")
    (True, False)
    """
    try:
        parts = urlsplit(url)
    except ValueError:  # brackets that hold no address
        return True
    if parts.scheme != "http" or parts.hostname == "localhost":
        return False
    try:
        return not ipaddress.ip_address(parts.hostname or "").is_loopback
    except ValueError:  # a name
        return True


def check_protected(file: RegisteredFile, registry: Path, where: str) -> None:
    """Raise UserError when ``file`` comes by plain http and neither the registry nor its lock files have its sha256.

    ``where`` says, for the message, what names the file.
    """
    if is_unprotected(file.url) and apply_locks(file, registry).sha256 is None:
        raise UserError(
            f"{where}: {file.url} is plain http, so anyone on the way could change the file; give an https address, "
            f"or its sha256 and size ({lock_of(registry)}: {file.path}: {{sha256: …, size: …}})"
        )


def named_files(source: dict[str, Any]) -> Iterator[tuple[str, str, str | None]]:
    """Yield each key of a source that names a file, the file, and the member when the file is an archive."""
    for split, trees in source.get("trees", {}).items():
        for member in tree_members(trees):
            yield f"trees.{split}", trees["file"], member
    tables = {f"pairs.{pair}": splits for pair, splits in source.get("pairs", {}).items()}
    for table, splits in ({"splits": source.get("splits", {})} | tables).items():
        for split, sides in splits.items():
            for side, location in sides.items():
                yield f"{table}.{split}.{side}", *file_and_member(location)


def file_and_member(location: str | dict[str, str]) -> tuple[str, str | None]:
    """Return the file that the registry gives for a side, and the member when the file is an archive."""
    return (location, None) if isinstance(location, str) else (location["file"], location["member"])


def tree_members(trees: dict[str, Any]) -> list[str]:
    """Return the members of an archive that hold a split of a treebank, numbered from ``first`` to ``last``."""
    return [trees["member"].format(number) for number in range(trees["first"], trees["last"] + 1)]


def apply_lock(file: RegisteredFile, lock: Path | str) -> RegisteredFile:
    """Return ``file`` with the checksum and size that ``lock`` records for it; a published checksum is kept.

    Raises UserError when the lock file does not have the form that :func:`record` writes.
    """
    if file.sha256 is not None or not Path(lock).exists():
        return file
    recorded = (read_checked(lock, _LOCK_SCHEMA) or {}).get(file.path)
    return file if recorded is None else replace(file, **recorded, recorded_in=str(lock))


def record(file: RegisteredFile, download: Path | str, lock: Path | str) -> RegisteredFile:
    """Record the checksum and size of ``download``, the first of ``file``, in ``lock``; return ``file`` with them.

    Several processes may record at the same time.  Raises UserError when another one has recorded a different
    checksum for the same file.
    """
    sha256, size = sha256_of(download), Path(download).stat().st_size
    Path(lock).parent.mkdir(parents=True, exist_ok=True)
    with open(lock, "a", encoding="utf-8") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)  # until the file is closed
        recorded = apply_lock(file, lock)
        if recorded.sha256 is None:
            content = Path(lock).read_bytes()
            # An editor may have removed the newline at the end.
            stream.write("\n" if content and not content.endswith(b"\n") else "")
            stream.write(f"{file.path}: {{sha256: {sha256}, size: {size}}}\n")
        elif recorded.sha256 != sha256:
            raise UserError(f"{wrong_checksum(recorded, str(download), sha256)}; download it again")
    return replace(file, sha256=sha256, size=size, recorded_in=str(lock))


def verify(paths: Iterable[Path], downloads: Path, registry: Path) -> None:
    """Compare the files of ``paths`` that are below ``downloads`` with the registry and its lock file.

    A file may have been copied there by hand, or the lock file may come from someone who got another download.  The
    checksum of a file is recorded if neither has one.  Raises UserError when a checksum differs.
    """
    files = load_registry(registry)
    for path in paths:
        name = path.relative_to(downloads).as_posix() if path.is_relative_to(downloads) else None
        if name is None or name not in files:
            continue
        file = apply_locks(files[name], registry)
        if file.sha256 is None:
            record(file, path, lock_of(registry))
        elif (found := sha256_of(path)) != file.sha256:
            raise UserError(f"{wrong_checksum(file, str(path), found)}; remove it to download it again")


def lock_of(registry: Path) -> Path:
    """Return the lock file to write for ``registry``: sources.lock.yaml for sources.yaml.

    It lies beside the registry, or in config/ of the working folder if the registry is a project's elsewhere.
    """
    beside = registry.with_suffix(".lock.yaml")
    return Path("config", beside.name) if _is_projects(registry) and not in_project() else beside


def _is_projects(registry: Path) -> bool:
    return os.path.realpath(registry.parent) == os.path.realpath(PROJECT / "resources")


def apply_locks(file: RegisteredFile, registry: Path) -> RegisteredFile:
    """Return ``file`` with what the lock files for ``registry`` record for it, see :func:`apply_lock`."""
    return apply_lock(apply_lock(file, registry.with_suffix(".lock.yaml")), lock_of(registry))


def wrong_checksum(file: RegisteredFile, place: str, found: str) -> str:
    """Return the message that ``file`` from ``place`` has the sha256 ``found`` instead of the expected one."""
    sha256 = f"{file.sha256 or '':.16}…"  # whole ones would leave no room for the paths
    expected = f"the registry says {sha256} for {file.path}"
    if file.recorded_in:
        expected = f"{file.recorded_in} recorded {sha256} when {file.path} was first downloaded"
    return f"{place}: sha256 {found:.16}…, but {expected}"
