"""What trained a model: ``timing.json`` of its run, the only file of it that depends on the clock and the machine.

It has the machine, the precision and the code with which the training began.  If it went on with others, the training
has said so.
"""

import importlib.metadata
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from transformer.common.artifacts import read_artifact
from transformer.common.code_hash import file_hash
from transformer.common.errors import UserError

PACKAGES = ("torch", "numpy", "safetensors")  # of which a training's numbers may depend on the version
LIBRARY = Path(__file__).parents[1]
# The packages that train a model and compute with it, each with its files that do not: they start programs, read and
# write files, describe or count.  A new file counts.
COMPUTING = {
    "model": {"device", "flops", "portable", "storage", "trained_by"},
    "dataset": set[str](),
    "training": {"requeue", "resolve_run", "tracking", "version"},
    "decoding": {"options", "trained_model", "transform", "translate"},
}
NAMED = 6  # trainings that a line names


@cache
def code_here() -> dict[str, str]:
    """Return a hash of each file that trains a model or computes with it, by its path in the library.

    These are model, loss, schedule, dropout, batches, averaging and search.  Comments and docstrings change no hash.
    """
    files = (
        file
        for package, others in COMPUTING.items()
        for file in sorted((LIBRARY / package).glob("*.py"))
        if file.stem not in {"__init__", *others}
    )
    return {file.relative_to(LIBRARY).as_posix(): file_hash(file)[:8] for file in files}


def software() -> dict[str, str]:
    """Return the versions of the libraries that compute here, whatever hardware they were built for."""
    return {package: importlib.metadata.version(package).split("+")[0] for package in PACKAGES}


def stretches_of(timing: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return what computed a training, from the content of its ``timing.json``.

    Earlier versions recorded each stretch on one machine; others recorded one machine, and of code that is not known.
    """
    return list(timing.get("stretches", [timing]))


def machine_of(stretch: Mapping[str, Any]) -> str:
    """Return the machine of a training, how many of its devices computed, and in which precision."""
    if "device_name" not in stretch:
        return "a machine that was not recorded"
    devices = f"{stretch['devices']} × {stretch['device_name']}, {stretch['threads']} thread"
    return f"{devices}, {stretch['precision']}, {stretch['hardware']}"


def changed_code(stretch: Mapping[str, Any]) -> list[str] | None:
    """Return the files whose code is another here than when a training began; None if that was not recorded.

    Earlier versions recorded one hash of the model's code alone, which nothing can be compared with now.
    """
    recorded, here = stretch.get("code"), code_here()
    if not isinstance(recorded, Mapping):
        return None
    return [path for path in sorted({*recorded, *here}) if recorded.get(path) != here.get(path)]


def notes_on_trainings(folders: Iterable[Path]) -> list[str]:
    """Return what is to be said of the trainings of runs: that other code trained them.

    Tables do not say it, since the same results have the same tables, whatever the code is now.
    """
    changed: dict[tuple[str, ...], list[str]] = {}
    unknown: list[str] = []
    notes = []
    for folder in dict.fromkeys(folders):
        name = f"{folder.parent.name} {folder.name}"
        try:
            files = _changed_since(folder)
        except UserError as error:  # its weights can be used all the same
            notes.append(str(error))
            continue
        if files is None:
            unknown.append(name)
        elif files:
            changed.setdefault(tuple(files), []).append(name)
    if changed:
        by_files = (f"{_listed(names)}: {', '.join(files)}" for files, names in changed.items())
        notes.append(
            f"The code that trains has changed since these were trained: {'; '.join(by_files)}. To train them by the "
            "code that is here, delete their checkpoints and training.json."
        )
    if unknown:
        notes.append(f"Which code trained these is not recorded: {_listed(unknown)}.")
    return notes


def _changed_since(folder: Path) -> list[str] | None:
    """Return the files that changed since a run was trained; None if its timing.json is gone, as after ``dvc pull``."""
    path = folder / "timing.json"
    if not path.exists():
        return None
    return changed_code(stretches_of(read_artifact(path, "timing"))[0])


def _listed(names: Sequence[str]) -> str:
    more = [f"{len(names) - NAMED:,} more"] if len(names) > NAMED else []
    return ", ".join([*names[:NAMED], *more])
