"""Whether the results of a scale are those that were published, bit for bit.

``docs/results/<scale>/manifest.csv`` has the sha256 of every file.  With portable numerics a rebuild has the same, on
any machine (docs/protocol.md); ``docs/rebuilds.csv`` lists the machines on which it had.
"""

import contextlib
import csv
import os
from collections.abc import Collection, Mapping, Sequence
from fnmatch import fnmatch
from pathlib import Path

from transformer.common.artifacts import read_artifact
from transformer.common.errors import UserError
from transformer.common.files import sha256_of
from transformer.common.project import PROJECT
from transformer.model.trained_by import stretches_of
from transformer.tables.cells import Column, read_table
from transformer.tables.commit import describe_commit

PUBLISHED = PROJECT / "docs" / "results"
# What comes and goes, is large, or depends on the clock, as in .dvcignore.
NOT_KEPT = (".lock", "*.tmp", "checkpoints", "timing.json")


def manifest(scale: str, folder: Path = Path()) -> dict[str, str]:
    """Return path → sha256 of what is kept of a scale, sorted by path; what DVC ignores depends on the clock.

    Checkpoints are not listed: training.json has their sha256.
    """
    found = (path for top in ("data", "results") for path in (folder / top / scale).rglob("*"))
    paths = sorted(path.relative_to(folder) for path in found if path.is_file())
    return {path.as_posix(): sha256_of(folder / path) for path in paths if is_kept(path)}


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

    ``made`` are the files that a build made or found up to date, so none may be missing; copies of tables and figures
    in ``results/`` count, too.  Without it, all files of the scale that are here are compared.  Only if a table has
    other rows, seeds or measures than the published one, tables and curves are left out, and the line says so.  Of the
    files that differ, it names the first in the order of :func:`_order`.
    """
    listed = read_manifest(scale) or {}
    here = [path for path in listed if (os.path.exists(path) if made is None else path in made)]
    if not here:
        return None
    copies = {_copy_of(path, scale): path for path in listed}
    compared = {path: path for path in here} | {copy: copies[copy] for copy in copies.keys() & (made or ())}
    other = [
        path for path, of in compared.items() if not os.path.exists(path) or sha256_of(path) != listed[of]
    ]
    own = _own_rows(scale, here, made or ()) if any(map(_shows_rows, other)) else ""
    if own:
        here, other = ([path for path in paths if not _shows_rows(path)] for paths in (here, other))
    if other:
        return _difference(scale, min(other, key=_order), len(other))
    same = f"identical to the published {scale} (sha256 of {len(here)} of {len(listed)} files)"
    return f"data and trainings are {same}; tables and curves are not compared, since {own}" if own else same


def _difference(scale: str, first: str, count: int) -> str:
    """Return the line on so many files that differ from those published, the first of which decides what is said."""
    if _is_settings(first):
        return f"made with other settings than the published {scale}: {first}"
    timings = sorted(Path("results", scale).glob("runs/*/*/timing.json"))
    stretches = [part for path in timings for part in stretches_of(read_artifact(path, "timing"))]
    machines = sorted({part["device_name"] for part in stretches if "device_name" in part})
    maker = f"commit {describe_commit()} on {', '.join(machines) or 'an unknown machine'}"
    # The settings are those published, and manifests are published of portable numerics only.
    if any(part.get("precision") == "fp32" for part in stretches):
        return (
            f"not comparable bit for bit with the published {scale}, first in {first}: trained in fp32, since the "
            f"processor has no portable numerics; here {maker}"
        )
    return (
        f"DIFFERS from the published {scale} in {count} file{'s'[: count > 1]}, first in {first}, by other code, data "
        f"or settings, or by a fault; here {maker}"
    )


def _copy_of(path: str, scale: str) -> str:
    """Return the path of the copy of a table or figure in ``results/``; of any other file, its own."""
    return path.replace(f"results/{scale}/tables/", "results/").replace(
        f"results/{scale}/figures/", "results/figures/"
    )


def _own_rows(scale: str, here: Sequence[str], made: Collection[str]) -> str:
    """Return what shows that tables and curves cannot be those published; nothing if they must be.

    With rows, seeds or measures of the user's own, a run has trained other runs, or a table has other runs or columns.
    """
    others = {path for path in made if fnmatch(path, f"results/{scale}/runs/*/config.json")}
    if others := others - (read_manifest(scale) or {}).keys():
        return f"{min(others)} is not published"
    for path in (path for path in here if fnmatch(path, f"results/{scale}/tables/*.json")):
        with contextlib.suppress(UserError):  # damaged, so it counts
            if _rows_and_columns(Path(path)) != _rows_and_columns(PUBLISHED / scale / Path(path).name):
                return f"{path} has other rows, seeds or measures"
    return ""


def _rows_and_columns(path: Path) -> tuple[set[Path], Sequence[Column]]:
    """Return the folders of the runs that a table shows, and its columns."""
    table = read_table(path)
    files = (Path(file["path"]) for _, file in table.files_behind())
    return {Path(*file.parts[:5]) for file in files if "runs" in file.parts[:3]}, table.columns


def _shows_rows(path: str) -> bool:
    """Return whether a file is a table, the copy of one in ``results/``, or the curves of the rows."""
    return Path(path).parent.name in ("tables", "results") or Path(path).stem == "training_curves"


def _order(path: str) -> tuple[bool, bool, float]:
    """Order files as they were made, after the settings, with which everything differs; what shows them is last."""
    return not _is_settings(path), _shows_rows(path), os.path.getmtime(path) if os.path.exists(path) else 0


def _is_settings(path: str) -> bool:
    """Return whether a file says only how a model was trained or a text translated, as it was written."""
    with contextlib.suppress(UserError):
        if path.endswith("config.json"):
            return bool(read_artifact(path, "config"))
        return path.endswith("decoding.json") and bool(read_artifact(path, "decoding"))
    return False
