"""One thing that was checked, and how it differs if it does not stand."""

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from transformer.common.artifacts import cached_sha256

TOLERANCE = 1e-9  # relative, for numbers that are computed again from the same counts


@dataclass(frozen=True)
class Check:
    """``what`` was checked, and how it ``differs`` from what was recorded; empty if it stands."""

    what: str
    differs: str = ""


def file_check(path: Path, sha256: str, recorded: Path | str) -> Check:
    """Check the bytes of a file against the hash that ``recorded``, a file, has for it."""
    if not path.exists():
        return Check(str(path), f"{path}: missing; {recorded} needs it")
    found = cached_sha256(path)  # several runs share their data, which may be large
    if found == sha256:
        return Check(str(path))
    return Check(str(path), f"{path}: its sha256 is {found[:12]}…, and {recorded} has {sha256[:12]}…")


def value_check(what: str, found: Any, recorded: Any, where: Path | str) -> Check:
    """Check a JSON value that was computed again against the one that is recorded ``where``."""
    found = json.loads(json.dumps(found))  # with lists for tuples
    differs = _difference(what, found, recorded)
    return Check(what, f"{where}: {differs}" if differs else "")


def _difference(what: str, found: Any, recorded: Any) -> str:
    """Return the first place in two values that differs, by its keys, with both; none if they are equal."""
    if isinstance(found, dict) and isinstance(recorded, dict):
        parts = ((f"{what}.{key}", found.get(key), recorded.get(key)) for key in {**recorded, **found})
        return next((differs for part in parts if (differs := _difference(*part))), "")
    if isinstance(found, list) and isinstance(recorded, list) and len(found) == len(recorded):
        return next(filter(None, map(_difference, [what] * len(found), found, recorded)), "")
    if isinstance(found, float) and isinstance(recorded, (int, float)):
        equal = math.isclose(found, recorded, rel_tol=TOLERANCE, abs_tol=TOLERANCE)
    else:
        equal = found == recorded
    name = what.removeprefix(".")
    return "" if equal else f"{name} is {_short(recorded)} there, and computed again {_short(found)}"


def _short(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 60 else f"{text[:57]}…"


def text_check(path: Path, again: str) -> Check:
    """Check the bytes of a text file against the text that was made ``again``, and name the first line that differs."""
    if not path.exists():
        return Check(str(path), f"{path}: missing; it can be made again")
    found = path.read_bytes()
    if found == again.encode():
        return Check(str(path))
    pairs = zip(found.split(b"\n"), again.encode().split(b"\n"), strict=False)
    number = next((number for number, (one, other) in enumerate(pairs, start=1) if one != other), None)
    place = f"line {number} differs from the one made again" if number else "has another number of lines"
    return Check(str(path), f"{path}: {place}")
