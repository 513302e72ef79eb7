"""Whether the results of a scale are those that were published, bit for bit.

``docs/results/<scale>/manifest.csv`` has the sha256 of every file.  With portable numerics a rebuild has the same, on
any machine (docs/protocol.md); ``docs/rebuilds.csv`` lists the machines on which it had.
"""

import contextlib
import csv
from collections.abc import Collection, Mapping, Sequence
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from transformer.common.artifacts import CHECKSUM, checksum, read_artifact, read_object
from transformer.common.errors import UserError
from transformer.common.files import sha256_of
from transformer.common.project import PROJECT
from transformer.model.trained_by import stretches_of
from transformer.tables.cells import Column, Table, read_table
from transformer.tables.commit import describe_commit

PUBLISHED = PROJECT / "docs" / "results"
# What comes and goes, is large, or depends on the clock, as in .dvcignore.
NOT_KEPT = (".lock", "*.tmp", "checkpoints", "timing.json")
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
        path.relative_to(folder).as_posix(): sha256_of(path)
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

    ``made`` are the files that a run made or found up to date, so none may be missing; copies of tables and figures in
    ``results/`` count, too.  Without it, all files of the scale that are here are compared.  Only if a table has other
    rows, seeds or measures than the published one, tables and curves are left out, and the line says so.  Of the files
    that differ, it names the first in the order of :func:`_order`.
    """
    listed = read_manifest(scale) or {}
    here = [path for path in listed if (Path(path).exists() if made is None else path in made)]
    if not here:
        return None
    sums = {path: listed[path] for path in here} | _copies(scale, listed, made or ())
    other = sorted((path for path, sha256 in sums.items() if _sha256(path) != sha256), key=_order)
    own = _own_rows(scale, here, made) if any(map(_shows_rows, other)) else ""
    if own:
        here, other = ([path for path in paths if not _shows_rows(path)] for paths in (here, other))
    if other:
        return _difference(scale, other)
    same = f"identical to the published {scale} (sha256 of {len(here)} of {len(listed)} files)"
    return f"data and trainings are {same}; tables and curves are not compared, since {own}" if own else same


def _difference(scale: str, other: Sequence[str]) -> str:
    """Return the line on files that differ from those published, the first of which decides what is said."""
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
        f"DIFFERS from the published {scale} in {len(other)} file{'s'[: len(other) > 1]}, first in {first}, by other "
        f"code, data or settings, or by a fault; here {_maker(scale)}"
    )


def _copies(scale: str, listed: Mapping[str, str], made: Collection[str]) -> dict[str, str]:
    """Return path → sha256 of the copies of a scale's tables and figures in ``results/`` that were ``made``."""
    kinds = {f"results/{scale}/tables/": "results/", f"results/{scale}/figures/": "results/figures/"}
    copies = {
        copied + path.removeprefix(folder): sha256
        for folder, copied in kinds.items()
        for path, sha256 in listed.items()
        if path.startswith(folder)
    }
    return {path: sha256 for path, sha256 in copies.items() if path in made}


def _sha256(path: str) -> str:
    """Return the sha256 of a file, and nothing if it is missing."""
    return sha256_of(path) if Path(path).exists() else ""


def _own_rows(scale: str, here: Sequence[str], made: Collection[str] | None) -> str:
    """Return what shows that tables and curves cannot be those published; nothing if they must be.

    With rows, seeds or measures of the user's own, a run has trained other runs, or a table has other runs or columns.
    """
    listed = read_manifest(scale) or {}
    runs = sorted(path for path in made or () if fnmatch(path, f"results/{scale}/runs/*/config.json"))
    if others := [path for path in runs if path not in listed]:
        return f"{others[0]} is not published"
    for path in (path for path in here if fnmatch(path, f"results/{scale}/tables/*.json")):
        published = PUBLISHED / scale / Path(path).name
        try:
            ours, before = (_rows_and_columns(read_table(file)) for file in (Path(path), published))
        except UserError:  # damaged, so it counts
            continue
        if ours != before:
            return f"{path} has other rows, seeds or measures"
    return ""


def _shows_rows(path: str) -> bool:
    """Return whether a file is a table, the copy of one in ``results/``, or the curves of the rows."""
    folder = Path(path).parent
    return folder.name in ("tables", "results") or Path(path).stem == "training_curves"


def _rows_and_columns(table: Table) -> tuple[set[Path], Sequence[Column]]:
    """Return the folders of the runs that a table shows, and its columns."""
    paths = (Path(file["path"]) for _, file in table.files_behind())
    return {Path(*path.parts[:5]) for path in paths if "runs" in path.parts[:3]}, table.columns


def _order(path: str) -> tuple[bool, bool, int]:
    """Order files as they were made, after the settings, with which everything differs; what shows them is last."""
    there = Path(path)
    return not _is_settings(path), _shows_rows(path), there.stat().st_mtime_ns if there.exists() else 0


def _is_settings(path: str) -> bool:
    """Return whether a file has only settings, as it was written."""
    if not any(fnmatch(Path(path).name, pattern) for pattern in SETTINGS):
        return False
    with contextlib.suppress(UserError):
        content = read_object(path)
        return content.pop(CHECKSUM, None) == checksum(content)
    return False


def _stretches(scale: str) -> list[dict[str, Any]]:
    """Return the stretches of all trainings of a scale."""
    paths = sorted(Path("results", scale).glob("runs/*/*/timing.json"))
    return [part for path in paths for part in stretches_of(read_artifact(path, "timing"))]


def _maker(scale: str) -> str:
    machines = {part["device_name"] for part in _stretches(scale) if "device_name" in part}
    return f"commit {describe_commit()} on {', '.join(sorted(machines)) or 'an unknown machine'}"
