"""The files behind each of our numbers, as its table records them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from transformer.tables.cells import Source, Table

Step = tuple[str, str, str]  # what the file is, its path, its sha256
Number = tuple[str, str, str]  # the file that holds it, its key there, its value

# What is known of a file with numbers, and under which name the file that was scored is recorded in it.
SCORED = {"scores": "hypothesis", "parses": "predicted", "unconstrained": "predicted"}
UNSCORED = ("perplexity", "training")
WEIGHTS = ("averaged", "last")


class Chains:
    """The chains of the numbers that a page shows."""

    def __init__(self, tables: Iterable[Table]) -> None:
        self.files: dict[str, list[Step]] = {}  # a file with numbers → itself and the files behind it
        self.numbers: list[list[Number]] = []  # what is behind each number that is shown, for each seed
        self.options: list[str] = []  # of each number, the values of --config with which its table is made
        for table in tables:
            for source in (source for _, cell in table.cells() for source in cell.sources):
                self.files.setdefault(source.path, [("measured", source.path, source.sha256)])
            for run in table.behind.get("runs", {}).values():
                for kind in run["files"].keys() & {*SCORED, *UNSCORED}:
                    self.files[run["files"][kind]["path"]] = list(_steps(run, kind))

    def add(self, sources: Sequence[Source], options: str) -> int:
        """Return the index in ``numbers`` of what is behind a number, whose table is made with ``options``."""
        self.options.append(options)
        self.numbers.append([(source.path, source.key, _text(source.value)) for source in sources])
        return len(self.numbers) - 1


def _steps(run: Mapping[str, Any], kind: str) -> Iterator[Step]:
    """Return the chain of one file of a run: itself, what was scored, the weights and the settings."""
    files = run["files"]
    yield "measured", files[kind]["path"], files[kind]["sha256"]
    if kind in SCORED:
        scored = run[kind]["files"][SCORED[kind]]
        path = PurePosixPath(files[kind]["path"]).with_name(scored["name"])
        yield ("translations" if kind == "scores" else "trees"), str(path), scored["sha256"]
    for weights in WEIGHTS:
        if kind != "training" and weights in files:
            yield "weights", files[weights]["path"], files[weights]["sha256"]
    yield "settings", files["config"]["path"], files["config"]["sha256"]


def _text(value: Any) -> str:
    """Return a number as text.  What was counted of a layer is a sum of terms, which Table 1 prints: blank."""
    return f"{value:.10g}" if isinstance(value, float | int) else ""
