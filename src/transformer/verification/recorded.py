"""What was recorded: the runs behind a table in its file, and the files behind a run in its JSON files."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from transformer.common.errors import UserError
from transformer.tables.runs import Run


def table_files(results: Path) -> list[Path]:
    """Return the cells of each table of a scale.  Raises UserError when no table has been made."""
    paths = sorted(results.glob("tables/*.json"))
    if not paths:
        raise UserError(f"{results}: no table has been made; make one first, e.g. results/table2.tex")
    return paths


def recorded_run(recorded: Mapping[str, Any]) -> Run:
    """Return a run as a table recorded it."""
    files = recorded["files"]
    folder = Path(files["config"]["path"]).parent
    below = {
        key: Path(entry["path"]).relative_to(folder).as_posix()
        for key, entry in files.items()
        if key not in ("averaged", "last")
    }
    sha256 = {key: files[key]["sha256"] for key in below}
    return Run(folder, below, {key: recorded[key] for key in below}, sha256)


def scores_file(run: Run) -> Path:
    """Return the file with the scores of a run: of translations, or of a parser's trees."""
    return run.path("scores" if "scores" in run.files else "parses")


def vocabulary_files(pair: str, data: Path) -> tuple[Path, Path | None]:
    """Return the subword model of a pair of languages, and if it is a parser's the symbols of the trees."""
    folder = data / "subwords" / pair
    symbols = folder / "symbols.json"
    return folder / "subwords.model", symbols if symbols.exists() else None


def files_of_scores(run: Run, name: str, data: Path) -> dict[str, Path]:
    """Return the files that the scores file ``name`` of a run recorded, by what they are."""
    scores, reference = run.path(name).parent, data / "clean" / "trees"
    if name == "scores":
        further = scores.parent.name == "tests"
        reference = data / "clean" / run.pair / ("tests" if further else "")
    folders = {
        **dict.fromkeys(("hypothesis", "predicted", "decoding"), scores),
        **dict.fromkeys(("reference", "source", "gold"), reference),
        "checkpoint": run.weights,
        "config": run.folder,
    }
    return {kind: folders[kind] / record["name"] for kind, record in run.content[name]["files"].items()}
