"""The registry of downloads, resources/sources.yaml: the address and the checksum of each file."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from transformer.common.checked import read_checked
from transformer.common.errors import UserError, reading
from transformer.common.project import resource_file
from transformer.corpus.packed import archive_of
from transformer.corpus.source_keys import SOURCES


@dataclass(frozen=True)
class RegisteredFile:
    """One file to download."""

    path: str  # relative to the folder of downloads, and to a mirror
    url: str
    sum: str  # "sha256:…" or "md5:…", in hexadecimal

    def check(self, download: Path, place: Path | str) -> None:
        """Raise UserError when ``download``, which came from ``place``, has another sum."""
        kind, _, known = self.sum.partition(":")
        with reading(download), open(download, "rb") as file:
            computed = hashlib.file_digest(file, kind).hexdigest()
        if computed != known:
            # Whole sums would leave no room for the paths.
            raise UserError(
                f"{place}: {kind} {computed:.16}…, but the registry says {known:.16}… for {self.path}; replace it, or "
                "remove it to download it again, or correct the registry to trust this one"
            )


def load_registry(path: Path) -> dict[str, RegisteredFile]:
    """Return the registered files by their paths.  Raises UserError as :func:`read_sources` does."""
    entries = (entry for source in read_sources(path).values() for entry in source["files"])
    return {entry["path"]: RegisteredFile(**entry) for entry in entries}


def read_sources(path: Path, folder: Path | str = ".") -> dict[str, Any]:
    """Return the content of the registry: the name of each source and its description.

    A working ``folder`` adds to the project's registry the sources of its own config/sources.yaml.

    Raises UserError, which names the key, when a registry has a wrong key or value, names a source of another one, or
    lists a file twice.
    """
    own = own_registry(folder)
    sources: dict[str, Any] = {}
    files = set()
    for registry in [path, own] if path == resource_file("sources.yaml") and own.exists() else [path]:
        for name, source in read_checked(registry, SOURCES).items():
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


def verify_downloads(paths: Iterable[Path], downloads: Path | None) -> None:
    """Check those of ``paths`` that are below ``downloads``, or whose archives are: they may have been copied there.

    Raises UserError when one is not registered, or has another sum.
    """
    files = dict.fromkeys(archive_of(path)[0] for path in paths)
    downloaded = [path for path in files if downloads is not None and path.is_relative_to(downloads)]
    registered = load_registry(resource_file("sources.yaml")) if downloaded else {}
    for path in downloaded:
        name = path.relative_to(downloads or "").as_posix()
        if name not in registered:
            raise UserError(f"{path}: {name} is in no registry; give its address and sum in {own_registry()}")
        registered[name].check(path, path)
