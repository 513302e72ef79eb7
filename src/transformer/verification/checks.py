"""One thing that was checked, and how it differs if it does not stand."""

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from transformer.common.checksums import cached_sha256

TOLERANCE = 1e-9  # relative, for figures that are computed again from the same counts


@dataclass(frozen=True)
class Check:
    """``what`` was checked, and how it ``differs`` from what was recorded; empty if it stands."""

    what: str
    differs: str = ""


def file_check(path: Path, sha256: str, recorded: Path | str) -> Check:
    """Check the bytes of a file against the hash that ``recorded``, a file, has for it."""
    what = str(path)
    if not path.exists():
        return Check(what, f"{path}: missing; {recorded} needs it")
    found = cached_sha256(path)  # several runs share their data, which may be large
    if found == sha256:
        return Check(what)
    return Check(what, f"{path}: its sha256 is {found[:12]}…, and {recorded} has {sha256[:12]}…")


def value_check(
    what: str, found: Any, recorded: Any, where: Path | str, tolerance: float = TOLERANCE
) -> Check:
    """Check a value that was computed again against the one that is recorded ``where``."""
    if same(_plain(found), _plain(recorded), tolerance):
        return Check(what)
    return Check(what, f"{where}: {what} is {_short(recorded)} there, and computed again {_short(found)}")


def same(found: Any, recorded: Any, tolerance: float) -> bool:
    """Return whether two JSON values are equal, numbers up to a relative ``tolerance``."""
    if isinstance(found, dict) and isinstance(recorded, dict):
        return found.keys() == recorded.keys() and all(
            same(found[key], recorded[key], tolerance) for key in found
        )
    if isinstance(found, list) and isinstance(recorded, list):
        return len(found) == len(recorded) and all(
            same(one, other, tolerance) for one, other in zip(found, recorded, strict=True)
        )
    if isinstance(found, float) and isinstance(recorded, (int, float)):
        return math.isclose(found, recorded, rel_tol=tolerance, abs_tol=tolerance)
    return bool(found == recorded)


def _plain(value: Any) -> Any:
    """Return a value as JSON has it, with lists for tuples."""
    return json.loads(json.dumps(value))


def _short(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 60 else f"{text[:57]}…"
