"""Whether the results of a scale are those that were published, bit for bit.

``docs/results/<scale>/manifest.csv`` has the sha256 of every file.  With portable numerics a rebuild has the same, on
any machine (docs/protocol.md); ``docs/rebuilds.csv`` lists the machines on which it had.
"""

import csv
from collections.abc import Collection, Mapping
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from transformer.common.artifacts import cached_sha256, read_artifact
from transformer.common.project import PROJECT
from transformer.common.trainings import stretches_of
from transformer.tables.commit import describe_commit

PUBLISHED = PROJECT / "docs" / "results"
# What comes and goes, is large, or depends on the clock, as in .dvcignore.
NOT_KEPT = (".lock", "*.tmp", "*.part", "checkpoints", "timing.json", "layer_times.*")
# What a row, seeds, claims or a sentence of the user's own change, although nothing is wrong.
SHOWN = ("*/tables/*", "*/figures/training_curves.*", "*/figures/attention*")
# Files that say how a model was trained or a text translated, and nothing else.
SETTINGS = ("config.json", "*decoding.json")


def manifest(scale: str, folder: Path = Path()) -> dict[str, str]:
    """Return path → sha256 of what is kept of a scale, sorted by path; what DVC ignores depends on the clock.

    Checkpoints are not listed: training.json has their sha256.
    """
    files = [
        path for top in ("data", "results") for path in (folder / top / scale).rglob("*") if path.is_file()
    ]
    return {
        path.relative_to(folder).as_posix(): cached_sha256(path)
        for path in sorted(files)
        if is_kept(path.relative_to(folder))
    }


def is_kept(path: Path | str) -> bool:
    """Return whether DVC keeps a file."""
    return not any(fnmatch(part, pattern) for part in Path(path).parts for pattern in NOT_KEPT)


def manifest_csv(sums: Mapping[str, str]) -> str:
    """Return a manifest as the text of its file."""
    return "".join(["path,sha256\n", *(f"{path},{sha256}\n" for path, sha256 in sums.items())])


def read_manifest(name: str) -> dict[str, str] | None:
    """Return the path → sha256 of a published folder, named after its scale, or None if it has none."""
    path = PUBLISHED / name / "manifest.csv"
    if not path.exists():
        return None
    with open(path, newline="", encoding="utf-8") as file:
        return {row["path"]: row["sha256"] for row in csv.DictReader(file)}


def verdict(scale: str, made: Collection[str] | None = None) -> str | None:
    """Return a line that says whether the files of a scale are those published; None if none are, or none are here.

    ``made`` are the files that a run made or found up to date; without it, all files that are here are compared.  Of
    those that differ, the line names the first in the order of :func:`_order`.
    """
    listed = read_manifest(scale) or {}
    here = [path for path in listed if (made is None or path in made) and Path(path).exists()]
    other = sorted((path for path in here if cached_sha256(path) != listed[path]), key=_order)
    if not here:
        return None
    if not other or _is_shown(other[0]):  # all runs and all data are identical, which come first
        same = f"sha256 of {len(here) - len(other)} of {len(listed)} files"
        without = (
            f"; without {len(other)} of tables and figures that differ, first {other[0]}" if other else ""
        )
        return f"identical to the published {scale} ({same}{without})"
    first = other[0]
    if _is_settings(first):
        return f"made with other settings than the published {scale}: {first}"
    # The settings are those published, and manifests are published of portable numerics only.
    if any(part.get("precision") == "fp32" for part in _stretches(scale)):
        return (
            f"not comparable bit for bit with the published {scale}, first in {first}: trained in fp32, since the "
            f"processor has no portable numerics; here {_maker(scale)}"
        )
    return (
        f"DIFFERS from the published {scale}, first in {first}, by other code, data or settings, or by a fault; "
        f"here {_maker(scale)}"
    )


def _order(path: str) -> tuple[bool, bool, int]:
    """Order files as they were made, after the settings, with which everything differs; what shows them is last."""
    return not _is_settings(path), _is_shown(path), Path(path).stat().st_mtime_ns


def _is_settings(path: str) -> bool:
    """Return whether a file has only settings."""
    return any(fnmatch(Path(path).name, pattern) for pattern in SETTINGS)


def _is_shown(path: str) -> bool:
    return any(fnmatch(path, pattern) for pattern in SHOWN)


def _stretches(scale: str) -> list[dict[str, Any]]:
    """Return the stretches of all trainings of a scale."""
    paths = sorted(Path("results", scale).glob("runs/*/*/timing.json"))
    return [part for path in paths for part in stretches_of(read_artifact(path, "timing"))]


def _maker(scale: str) -> str:
    machines = {part["device_name"] for part in _stretches(scale) if "device_name" in part}
    return f"commit {describe_commit()} on {', '.join(sorted(machines)) or 'an unknown machine'}"
