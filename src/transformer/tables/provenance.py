"""Trace each number of a table back to the files that it was made from: ``behind`` in the table's file.

Nothing in it depends on the clock, the machine or the commit: the same files give the same provenance.
"""

from argparse import Namespace
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from transformer.common.files import sha256_of
from transformer.common.project import recorded_path
from transformer.tables.runs import Run


def behind_table(
    arguments: Namespace,
    runs: Sequence[Run] = (),
    data: Mapping[str, Any] | None = None,
    more: Iterable[Path] = (),
) -> dict[str, Any]:
    """Return the files behind a table, all that the ``arguments`` name and ``more``, and its ``runs``.

    ``data`` has title, licence and citation of each source of the corpora.
    """
    given = (value if isinstance(value, list) else [value] for value in vars(arguments).values())
    named = [path for values in given for path in values if isinstance(path, Path)]
    return {
        "sources": [_file(path) for path in [*named, *more] if path.is_file()],
        "data": dict(data or {}),
        "runs": {_name(run): _run(run) for run in runs},
    }


def _name(run: Run) -> str:
    """Return ``base/en-de``."""
    return run.folder.relative_to(run.folder.parents[1]).as_posix()


def _run(run: Run) -> dict[str, Any]:
    files = {name: {"path": run.path(name).as_posix(), "sha256": run.sha256[name]} for name in run.files}
    # As the scores name them: the weights themselves need not be here any more.
    scored = run.content["scores" if "scores" in run.files else "parses"]["files"]
    if weights := scored.get("checkpoint"):
        path = run.weights / "model.safetensors"
        files[run.weights.name] = {"path": recorded_path(path), "sha256": weights["sha256"]}
    return {"files": files, "checkpoints": run.content["training"]["checkpoints"], **run.content}


def _file(path: Path) -> dict[str, str]:
    return {"path": recorded_path(path), "sha256": sha256_of(path)}
