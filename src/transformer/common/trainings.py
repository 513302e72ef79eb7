"""How a training went: ``timing.json`` of its run, the only file of it that depends on the clock and the machine.

``stretches`` there lists the parts of a training that were computed alike, in their order: so many steps and seconds on
one machine, in one precision, by one code.  A training that was never interrupted has one.
"""

import importlib.metadata
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from transformer.common.artifacts import read_artifact
from transformer.common.code_hash import hash_of
from transformer.common.errors import UserError

PACKAGES = ("torch", "numpy", "safetensors")  # of which a training's numbers may depend on the version
LIBRARY = Path(__file__).parents[1]
# What computes from the weights, in training and in the search.  Dropout is of trainings alone, and the others only
# read, describe or count.
NOT_COMPUTING = {"__init__.py", "config.py", "device.py", "dropout.py", "flops.py", "storage.py"}
SEARCH = ("incremental.py", "packed_linear.py", "prefix_tree.py")


@cache
def model_code() -> str:
    """Return a hash of the code that computes a model from its weights; comments and docstrings do not change it."""
    model = [path for path in sorted((LIBRARY / "model").glob("*.py")) if path.name not in NOT_COMPUTING]
    return hash_of([*model, *(LIBRARY / "decoding" / name for name in SEARCH)], LIBRARY)


def software() -> dict[str, str]:
    """Return the versions of the libraries that compute here, whatever hardware they were built for."""
    return {package: importlib.metadata.version(package).split("+")[0] for package in PACKAGES}


def stretches_of(timing: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the stretches of a training from the content of its ``timing.json``.

    A file from before they were recorded has one machine, and neither the code nor the number of steps.
    """
    if "stretches" in timing:
        return list(timing["stretches"])
    return [{**timing, "seconds": timing["wall_seconds"]}]


def machine_of(stretch: Mapping[str, Any]) -> str:
    """Return the machine of a stretch, how many of its devices computed, and in which precision."""
    if "device_name" not in stretch:
        return "a machine that was not recorded"
    devices = f"{stretch['devices']} × {stretch['device_name']}, {stretch['threads']} thread"
    return f"{devices}, {stretch['precision']}, {stretch['hardware']}"


def notes_on_trainings(folders: Iterable[Path]) -> list[str]:
    """Return what is to be said of the weights of runs: that other code made them, or more than one precision did.

    Nothing is said of a training whose code was not recorded.
    """
    other: list[str] = []
    notes = []
    for folder in dict.fromkeys(folders):
        if not (folder / "timing.json").exists():
            continue
        try:
            stretches = stretches_of(read_artifact(folder / "timing.json", "timing"))
        except UserError as error:  # its weights can be used all the same
            notes.append(f"{error}")
            continue
        name = f"{folder.parent.name} {folder.name}"
        if {stretch["code"] for stretch in stretches if "code" in stretch} - {model_code()}:
            other.append(name)
        precisions = dict.fromkeys(stretch["precision"] for stretch in stretches if "precision" in stretch)
        if len(precisions) > 1:
            parts = (
                f"{part['steps']:,} steps in {part.get('precision', 'another precision')}"
                for part in stretches
            )
            notes.append(f"{name} was trained in more than one precision: {', then '.join(parts)}.")
    if other:
        notes.append(
            f"The code that computes the model has changed since these were trained: {', '.join(other)}. Their "
            "weights may fit the new code badly; to train them with it, delete their checkpoints and training.json."
        )
    return notes
