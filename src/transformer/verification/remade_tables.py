"""Tables made again from the runs, the paper's numbers and the licences that their provenance names."""

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from transformer.common.project import SCHEMAS, config_file, find_recorded
from transformer.corpus.licences import licence_note
from transformer.tables.compare import comparison_table
from transformer.tables.comparison import read_comparison
from transformer.tables.cost import cost_files
from transformer.tables.literature import read_literature
from transformer.tables.make_table import build_table
from transformer.tables.runs import Run
from transformer.verification.checks import Check


def remake(facts: Mapping[str, Any], runs: Sequence[Run], results: Path) -> dict[str, str]:
    """Return the texts of a table's files by name; ``facts`` is its provenance and ``results`` its scale's folder."""
    if "sources" in facts:  # the comparison has no numbers of its own
        sources = [Path(entry["path"]) for entry in facts["sources"]]
        tables = [path for path in sources if path.stem.startswith("table")]
        return comparison_table(read_comparison(tables)).files()
    (name,) = {Path(entry["path"]).stem for entry in facts["tables"].values()} - {"cost"}
    literature = read_literature(
        find_recorded(facts["literature"]["path"]), SCHEMAS / "literature.schema.yaml"
    )
    table = build_table(name, literature, **_inputs(runs, results))
    texts = table.files(licence_note(facts["data"]))
    if name == "table2":
        texts |= cost_files(runs, literature, config_file("devices.yaml"))
    return texts


def _inputs(runs: Sequence[Run], results: Path) -> dict[str, Any]:
    """Return what tables are made from; Table 1 has no runs."""
    if not runs:
        return {"layers": results / "layers.json"}
    pairs = list(dict.fromkeys(run.pair for run in runs))
    baselines = [results / "baselines" / f"{pair}.json" for pair in pairs]
    own = [run for run in runs if run.test_set == run.corpus]
    return {
        "runs": own,
        "further_tests": [run for run in runs if run not in own],
        "baselines": [path for path in baselines if path.exists()],
        "pairs": pairs,
        "paper_settings": config_file("runs.yaml"),
    }


def compare(texts: Mapping[str, str], folder: Path) -> Iterator[Check]:
    """Check each file of a table in ``folder`` against the text that was made again."""
    for name, text in texts.items():
        path = folder / name
        if not path.exists():
            continue
        found = path.read_bytes()
        equal = found == text.encode()
        yield Check(str(path), "" if equal else f"{path}: {_difference(path, found, text)}")


def _difference(path: Path, found: bytes, remade: str) -> str:
    """Name the first cell of a CSV file, or the first line of another file, that differs."""
    text = found.decode("utf-8", "backslashreplace")
    if path.suffix == ".csv" and (cell := _cell(text, remade)):
        return cell
    lines = text.split("\n"), remade.split("\n")
    number = next(
        (n for n, pair in enumerate(zip(*lines, strict=False), start=1) if pair[0] != pair[1]), None
    )
    return f"line {number} differs from the table made again" if number else "has another number of lines"


def _cell(found: str, remade: str) -> str:
    """Name the first cell that differs, if both texts are tables of the same rows and columns."""
    try:
        one, other = (list(csv.reader(io.StringIO(text))) for text in (found, remade))
    except csv.Error:
        return ""
    if list(map(len, one)) == list(map(len, other)) and one[0] == other[0]:
        for number, cells in enumerate(zip(one, other, strict=True), start=1):
            for column, shown, right in zip(one[0], *cells, strict=True):
                if shown != right:
                    return f"line {number}, column {column} is '{shown}', and made again '{right}'"
    return ""
