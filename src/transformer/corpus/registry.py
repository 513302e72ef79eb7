"""The registry of downloads: each file's address, checksum and size, checked before it is believed.

Where nobody published a checksum, the first download decides (trust on first use): what came then is recorded in a
lock file beside the registry, and is what every later download must be.
"""

import fcntl
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import jsonschema
import yaml

from transformer.common.errors import UserError
from transformer.common.files import sha256_of

_CHECKSUM = {"type": "string", "pattern": "^[0-9a-f]{64}$"}
_LOCK_SCHEMA = {
    "type": ["object", "null"],  # null: nothing is recorded yet
    "additionalProperties": {
        "type": "object",
        "additionalProperties": False,
        "required": ["sha256", "size"],
        "properties": {"sha256": _CHECKSUM, "size": {"type": "integer", "minimum": 1}},
    },
}


@dataclass(frozen=True)
class RegisteredFile:
    """One file to download; ``path`` is relative to the folder of downloads and to a mirror."""

    path: str
    url: str
    sha256: str | None = None  # None: not published, and not downloaded before
    size: int | None = None  # bytes
    recorded_in: str | None = None  # the lock file, when sha256 and size are a first download's


def load_registry(path: Path | str, schema: Path | str) -> dict[str, RegisteredFile]:
    """The registered files by their path.

    Raises UserError that names the place when the registry breaks ``schema``, names a file twice, or puts a file
    into a split that it does not list.
    """
    sources = _read_yaml(path)
    _check(sources, _read_yaml(schema), path)
    files: dict[str, RegisteredFile] = {}
    for name, source in sources.items():
        for entry in source["files"]:
            if entry["path"] in files:
                raise UserError(f"{path}, {name}: {entry['path']} is listed twice; remove one")
            files[entry["path"]] = RegisteredFile(**entry)
    for name, source in sources.items():
        for place, file in _used(source):
            if file not in files:
                raise UserError(f"{path}, {name}.{place}: {file} is not among the files; add it")
    return files


def apply_lock(file: RegisteredFile, lock: Path | str) -> RegisteredFile:
    """``file`` with what ``lock`` has recorded of it; as it is when its registry gives a checksum.

    Raises UserError when the lock file is not what :func:`record` writes.
    """
    if file.sha256 is not None:
        return file
    recorded = _read_lock(lock).get(file.path)
    return file if recorded is None else replace(file, **recorded, recorded_in=str(lock))


def record(file: RegisteredFile, download: Path | str, lock: Path | str) -> RegisteredFile:
    """Add sha256 and size of ``download``, the first of ``file``, to ``lock``; return the file with them.

    Safe beside other downloads that record at the same time.  Raises UserError when one of them has recorded
    something else for the same file.
    """
    sha256, size = sha256_of(download), Path(download).stat().st_size
    with open(lock, "a", encoding="utf-8") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)  # until it is closed
        recorded = apply_lock(file, lock)
        if recorded.sha256 is None:
            begun = Path(lock).read_bytes()  # someone's editor may have dropped the last line's end
            stream.write("\n" if begun and not begun.endswith(b"\n") else "")
            stream.write(f"{file.path}: {{sha256: {sha256}, size: {size}}}\n")
            stream.flush()
            os.fsync(stream.fileno())
        elif recorded.sha256 != sha256:
            raise UserError(
                f"{download}: sha256 {sha256}, but {lock} has just recorded {recorded.sha256}; download it again"
            )
    return replace(file, sha256=sha256, size=size, recorded_in=str(lock))


def verify(paths: Iterable[Path], downloads: Path, registry: Path, schema: Path) -> None:
    """Raise UserError when one of ``paths`` that lies below ``downloads`` is not what the registry or its lock says.

    It may have come another way than by a download, or the lock from someone who downloaded another.  What neither
    knows is recorded, as a first download is.
    """
    files, lock = load_registry(registry, schema), lock_of(registry)
    for path in paths:
        name = path.relative_to(downloads).as_posix() if path.is_relative_to(downloads) else None
        if name is None or name not in files:
            continue
        file = apply_lock(files[name], lock)
        if file.sha256 is None:
            record(file, path, lock)
        elif (found := sha256_of(path)) != file.sha256:
            raise UserError(f"{wrong_checksum(file, str(path), found)}; remove it to download it again")


def lock_of(registry: Path) -> Path:
    """The lock file beside ``registry``: sources.lock.yaml for sources.yaml."""
    return registry.with_suffix(".lock.yaml")


def wrong_checksum(file: RegisteredFile, place: str, found: str) -> str:
    """That ``place`` gives ``file`` with the sha256 ``found``, which is not its own."""
    said = f"the registry says {file.sha256} for {file.path}"
    if file.recorded_in:
        said = f"{file.recorded_in} recorded {file.sha256} when {file.path} was first downloaded"
    return f"{place}: sha256 {found}, but {said}"


def _used(source: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Each place of a source that names a file, and the file."""
    for split, trees in source.get("trees", {}).items():
        yield f"trees.{split}", trees["file"]
    tables = {f"pairs.{pair}": splits for pair, splits in source.get("pairs", {}).items()}
    for table, splits in ({"splits": source.get("splits", {})} | tables).items():
        for split, sides in splits.items():
            for side, location in sides.items():
                file = location if isinstance(location, str) else location["file"]
                yield f"{table}.{split}.{side}", file


def _read_lock(path: Path | str) -> dict[str, Any]:
    if not Path(path).exists():
        return {}
    recorded = _read_yaml(path)
    _check(recorded, _LOCK_SCHEMA, path)
    return recorded or {}


def _check(value: Any, schema: dict[str, Any], path: Path | str) -> None:
    error = jsonschema.exceptions.best_match(jsonschema.Draft202012Validator(schema).iter_errors(value))
    if error is not None:
        raise UserError(f"{path}, {error.json_path.removeprefix('$.')}: {error.message}")


def _read_yaml(path: Path | str) -> Any:
    try:
        return yaml.safe_load(Path(path).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UserError(f"{path}: no such file") from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        mark = getattr(error, "problem_mark", None)
        line = f", line {mark.line + 1}" if mark else ""
        raise UserError(
            f"{path}{line}: not valid YAML ({getattr(error, 'problem', None) or 'not UTF-8'})"
        ) from None
