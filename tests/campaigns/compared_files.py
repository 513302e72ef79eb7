"""What the campaigns compare of a project: every file below data/ and results/, without what holds times by design."""

import csv
import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

# What holds a time, or the checksum of a file that does: the keys of a JSON file, wherever they stand in it, or the
# columns of a CSV file.  Of a file without keys, only the existence is compared.
SECONDS = ("seconds", "wall_seconds", "tokens_per_second", "content_sha256", "metrics_sha256")
# In provenance also the sha256 of the files below, which are compared themselves, and the commit: it may be another
# one, and git tells another user nothing of a repository that is not theirs.
PROVENANCE = (*SECONDS, "sha256", "git")
TIMES: dict[str, tuple[str, ...]] = {
    "timing.json": SECONDS,
    "metrics.jsonl": SECONDS,
    "training_state.json": SECONDS,
    "provenance.json": PROVENANCE,
    "provenance/*.json": PROVENANCE,
    "cost.csv": ("wall_seconds", "estimated_flops"),  # the paper's formula multiplies the time
    "cost.md": (),  # the same, for readers
    "layer_times.csv": (),  # the times that Table 1's figure shows
    "report.html": (),
    "report.pdf": (),
    "results/index.md": (),
    ".snakemake_timestamp": (),
}


def artifacts(project: Path) -> dict[str, str]:
    """Return path → :func:`digest` of every file that the pipeline keeps; logs and locks are not among them."""
    return {
        path.relative_to(project).as_posix(): digest(path)
        for top in ("data", "results")
        for path in sorted((project / top).rglob("*"))
        if path.is_file() and path.name != ".lock"
    }


def digest(path: Path) -> str:
    """Return the sha256 of a file without what holds times by design; empty for a file that is all time."""
    keys = _keys_of_times(path)
    if keys == ():
        return ""
    content = path.read_bytes()
    if path.suffix == ".sha256":  # it lists files beside it
        lines = content.decode().splitlines(keepends=True)
        content = "".join(
            line for line in lines if _keys_of_times(path.with_name(line.split()[-1])) is None
        ).encode()
    elif keys and path.suffix == ".csv":
        rows = csv.DictReader(content.decode().splitlines())
        content = json.dumps(_without(list(rows), keys)).encode()
    elif keys:
        parts = content.splitlines() if path.suffix == ".jsonl" else [content]
        content = "\n".join(json.dumps(_without(json.loads(part), keys)) for part in parts).encode()
    return hashlib.sha256(content).hexdigest()


def _keys_of_times(path: Path) -> tuple[str, ...] | None:
    """Return the entry of TIMES for a file; None if the file is compared as it is."""
    return next((keys for pattern, keys in TIMES.items() if path.match(pattern)), None)


def _without(value: object, keys: Sequence[str]) -> object:
    if isinstance(value, dict):
        return {key: _without(item, keys) for key, item in value.items() if key not in keys}
    return [_without(item, keys) for item in value] if isinstance(value, list) else value
