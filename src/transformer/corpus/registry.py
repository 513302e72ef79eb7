"""The registry of downloads: each file's address, checksum and size, checked before it is believed."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema
import yaml

from transformer.errors import UserError


@dataclass(frozen=True)
class RegisteredFile:
    """One file to download; ``path`` is relative to the folder of downloads and to a mirror."""

    path: str
    url: str
    sha256: str
    size: int  # bytes


def load_registry(path: Path | str, schema: Path | str) -> dict[str, RegisteredFile]:
    """The registered files by their path.

    Raises UserError that names the place when the registry breaks ``schema``, names a file twice, or puts a file
    into a split that it does not list.
    """
    sources = _read_yaml(path)
    validator = jsonschema.Draft202012Validator(_read_yaml(schema))
    error = jsonschema.exceptions.best_match(validator.iter_errors(sources))
    if error is not None:
        raise UserError(f"{path}, {error.json_path.removeprefix('$.')}: {error.message}")
    files: dict[str, RegisteredFile] = {}
    for name, source in sources.items():
        for entry in source["files"]:
            if entry["path"] in files:
                raise UserError(f"{path}, {name}: {entry['path']} is listed twice; remove one")
            files[entry["path"]] = RegisteredFile(**entry)
        for split, sides in source.get("splits", {}).items():
            for side, file in sides.items():
                if file not in files:
                    raise UserError(
                        f"{path}, {name}.splits.{split}.{side}: {file} is not among the files; add it"
                    )
    return files


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
