"""Tables made again from the runs, the paper's numbers and the licences that their provenance names."""

import io
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from transformer.common.project import SCHEMAS, config_file
from transformer.common.yaml_files import read_yaml
from transformer.corpus.licences import licence_note
from transformer.tables.comparison import read_comparison
from transformer.tables.comparison_text import comparison_table
from transformer.tables.cost import cost, cost_markdown, read_devices
from transformer.tables.further_tests import build_test_sets
from transformer.tables.literature import read_literature
from transformer.tables.runs import Run
from transformer.tables.scores_frame import baselines_frame
from transformer.tables.table import Table
from transformer.tables.table1 import build_table1
from transformer.tables.table2 import build_table2
from transformer.tables.table3 import build_table3
from transformer.tables.table4 import build_table4
from transformer.verification.checks import Check


def remake(facts: Mapping[str, Any], runs: Sequence[Run], results: Path) -> dict[str, str]:
    """Return the texts of a table's files by name; ``facts`` is its provenance and ``results`` its scale's folder."""
    outputs = {name: Path(entry["path"]) for name, entry in facts["tables"].items()}
    if "sources" in facts:  # the comparison has no numbers of its own
        tables = [
            Path(entry["path"]) for entry in facts["sources"] if Path(entry["path"]).stem.startswith("table")
        ]
        return comparison_table(read_comparison(tables)).files()
    name = next(Path(output).stem for output in outputs if Path(output).stem != "cost")
    literature = read_literature(Path(facts["literature"]["path"]), SCHEMAS / "literature.schema.yaml")
    texts = _build(name, runs, results, literature).with_note(licence_note(facts["data"])).files()
    if name == "table2":
        devices = read_devices(config_file("devices.yaml"), SCHEMAS / "devices.schema.yaml")
        costs = cost(runs, literature, devices)
        texts["cost.csv"] = costs.to_csv(index=False, lineterminator="\n")
        texts["cost.md"] = cost_markdown(costs)
    return texts


def _build(name: str, runs: Sequence[Run], results: Path, literature: Any) -> Table:
    if name == "table1":
        return build_table1(literature, results / "layers.json")
    if name == "table2":
        pairs = dict.fromkeys(run.pair for run in runs)
        paths = [path for pair in pairs if (path := results / "baselines" / f"{pair}.json").exists()]
        return build_table2(literature, runs, baselines_frame(paths, runs[0].scale, runs[0].corpus))
    if name == "table3":
        paper = read_yaml(config_file("runs.yaml"))
        return build_table3(
            literature, runs, {run: paper["base"] | changes for run, changes in paper.items()}
        )
    if name == "test_sets":
        own = [run for run in runs if run.test_set == run.corpus]
        return build_test_sets(literature, own, [run for run in runs if run not in own])
    return build_table4(literature, runs)


def compare(texts: Mapping[str, str], folder: Path) -> Iterator[Check]:
    """Check each file of a table in ``folder`` against the text that was made again."""
    for name, text in texts.items():
        path = folder / name
        if not path.exists():
            continue
        found = path.read_text(encoding="utf-8")
        yield Check(f"{path}", "" if found == text else f"{path}: {_difference(path, found, text)}")


def _difference(path: Path, found: str, remade: str) -> str:
    """Name the first cell of a CSV file, or the first line of another file, that differs."""
    if path.suffix == ".csv":
        one, other = (
            pd.read_csv(io.StringIO(text), dtype=str, keep_default_na=False) for text in (found, remade)
        )
        if list(one) == list(other) and len(one) == len(other):
            for row, column in ((row, column) for row in range(len(one)) for column in one):
                if (shown := one[column][row]) != (right := other[column][row]):
                    return f"line {row + 2}, column {column} is '{shown}', and made again '{right}'"
    lines = found.split("\n"), remade.split("\n")
    number = next(
        (n for n, pair in enumerate(zip(*lines, strict=False), start=1) if pair[0] != pair[1]), None
    )
    return f"line {number} differs from the table made again" if number else "has another number of lines"
