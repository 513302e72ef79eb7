"""What was recorded: the runs behind a table in its file, and the files behind a run in its JSON files."""

from collections.abc import Mapping
from pathlib import Path

from transformer.common.errors import UserError
from transformer.tables.runs import Run, read_runs


def table_files(results: Path) -> list[Path]:
    """Return the cells of each table of a scale.  Raises UserError when no table has been made."""
    paths = sorted(results.glob("tables/*.json"))
    if not paths:
        raise UserError(f"{results}: no table has been made; make one first, e.g. results/table2.tex")
    return paths


def read_again(files: Mapping[str, Mapping[str, str]]) -> Run:
    """Read a run from the files that a table recorded of it.  Raises UserError as ``read_runs`` does."""
    folder = Path(files["config"]["path"]).parent
    weights = ("averaged", "last")
    paths = {kind: Path(file["path"]) for kind, file in files.items() if kind not in weights}
    (run,) = read_runs([folder], {kind: path.relative_to(folder).as_posix() for kind, path in paths.items()})
    return run


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
