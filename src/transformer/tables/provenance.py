"""Trace each number of a table back to the files and programs that made it: ``behind`` in the table's file.

Nothing in it depends on the clock, the machine or the commit: the same files give the same provenance.
"""

import importlib.metadata
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from transformer.common.files import sha256_of
from transformer.common.project import recorded_path
from transformer.tables.runs import Run

PACKAGES = (
    *("torch", "numpy", "pandas", "scipy", "sentencepiece", "tokenizers"),
    *("safetensors", "sacrebleu", "sacremoses", "snakemake"),
)


def behind_table(
    runs: Sequence[Run], literature: Path, version: str, data: Mapping[str, Any]
) -> dict[str, Any]:
    """Return everything behind a table that is made from ``runs``; ``version`` is that of the paper.

    ``data`` has title, licence and citation of each source of the corpora.
    """
    return {
        "data": dict(data),
        "literature": {**_file(literature), "version": version},
        "runs": {_name(run): _run(run) for run in runs},
        "software": _software(),
    }


def behind_comparison(corpora: Sequence[str], sources: Sequence[Path]) -> dict[str, Any]:
    """Return the files that the comparison or the claims were read from."""
    return {
        "corpora": list(corpora),
        "sources": [_file(path) for path in sources],
        "software": _software(),
    }


def _name(run: Run) -> str:
    """Return ``base/en-de``, or ``base/en-de/tests/NAME`` if its scores are of a further test set."""
    folder = run.folder if run.test_set == run.corpus else run.path("scores").parent
    return folder.relative_to(run.folder.parents[1]).as_posix()


def _run(run: Run) -> dict[str, Any]:
    files = {name: {"path": run.path(name).as_posix(), "sha256": run.sha256[name]} for name in run.files}
    if (weights := run.weights / "model.safetensors").exists():
        files[run.weights.name] = _file(weights)
    return {"files": files, "checkpoints": run.content["training"]["checkpoints"], **run.content}


def _file(path: Path) -> dict[str, str]:
    return {"path": recorded_path(path), "sha256": sha256_of(path)}


def _software() -> dict[str, str | None]:
    """Return the versions of the libraries that a number can depend on, whatever hardware they were built for."""
    versions: dict[str, str | None] = {}
    for package in PACKAGES:
        try:
            versions[package] = importlib.metadata.version(package).split("+")[0]
        except importlib.metadata.PackageNotFoundError:
            versions[package] = None
    return versions
