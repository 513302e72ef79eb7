"""What the tables of a scale recorded when they were made, in their provenance."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from transformer.common.errors import UserError
from transformer.tables.runs import AVERAGED, LAST, PARSES, Run


def provenance_files(results: Path) -> list[Path]:
    """Return the provenance of each table of a scale.  Raises UserError when no table has been made."""
    paths = [results / "provenance.json", *sorted((results / "provenance").glob("*.json"))]
    paths = [path for path in paths if path.exists()]
    if not paths:
        raise UserError(f"{results}: no table has been made; make one first, e.g. results/table2.tex")
    return paths


def recorded_run(recorded: Mapping[str, Any]) -> Run:
    """Return a run as a provenance recorded it."""
    files = recorded["files"]
    folder = Path(files["config"]["path"]).parent
    below = {
        key: Path(entry["path"]).relative_to(folder).as_posix()
        for key, entry in files.items()
        if key not in ("averaged", "last")
    }
    below = next((known for known in (AVERAGED, LAST, PARSES) if known == below), below)
    sha256 = {key: files[key]["sha256"] for key in below}
    return Run(folder, below, {key: recorded[key] for key in below}, sha256)
