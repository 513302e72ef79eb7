"""From each number of a table back to the files and programs that made it: ``provenance.json``."""

import importlib.metadata
import platform
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from transformer.common.files import sha256_of
from transformer.tables.comparison import Comparison
from transformer.tables.runs import Run
from transformer.tables.table1 import MEASURES as TABLE1_MEASURES
from transformer.tables.table1 import Table1
from transformer.tables.table2 import MEASURES, PAIRS, PAPER_MEASURE, Table2
from transformer.tables.table3 import Table3, Variation
from transformer.tables.table4 import DECODINGS, OurParser, Table4

FORMAT = 1
PACKAGES = (
    "torch",
    "numpy",
    "sentencepiece",
    "tokenizers",
    "safetensors",
    "sacrebleu",
    "sacremoses",
    "snakemake",
)


def table1_provenance(table: Table1, outputs: Mapping[str, Path], literature: Path) -> dict[str, Any]:
    """Everything behind Table 1.  ``outputs`` are the files as written, by name."""
    numbers = [
        {
            "table": "table1",
            "row": row.name,
            "column": head,
            "value": table.measured[row.layer][measure]["terms"],
            "file": table.file.as_posix(),
            "key": f"layers.{row.layer}.{measure}.terms",
            "sha256": table.sha256,
        }
        for row in table.literature.layer_types
        for measure, head in TABLE1_MEASURES.items()
    ]
    return {"format": FORMAT, **_sources(table, outputs, literature, numbers), **_programs()}


def table2_provenance(table: Table2, outputs: Mapping[str, Path], literature: Path) -> dict[str, Any]:
    """Everything behind Table 2 and ``cost.csv``.  ``outputs`` are the files as written, by name."""
    runs = [row.runs[pair] for row in table.all_ours for pair in PAIRS if pair in row.runs]
    numbers = [
        number
        for row in table.all_ours
        for run in row.runs.values()
        for number in _table2_numbers(row.model, run)
    ]
    return _provenance(table, outputs, literature, numbers, runs)


def table3_provenance(table: Table3, outputs: Mapping[str, Path], literature: Path) -> dict[str, Any]:
    """Everything behind Table 3.  ``outputs`` are the files as written, by name."""
    numbers = [number for row in table.rows for run in row.runs for number in _table3_numbers(row, run)]
    return _provenance(table, outputs, literature, numbers, [run for row in table.rows for run in row.runs])


def table4_provenance(table: Table4, outputs: Mapping[str, Path], literature: Path) -> dict[str, Any]:
    """Everything behind Table 4.  ``outputs`` are the files as written, by name."""
    numbers = [number for row in table.ours for number in _table4_numbers(row)]
    return _provenance(table, outputs, literature, numbers, [row.run for row in table.ours])


def comparison_provenance(
    comparison: Comparison, outputs: Mapping[str, Path], tables: Sequence[Path]
) -> dict[str, Any]:
    """The tables that the comparison was read from; each of its lines names the score files behind them."""
    return {
        "format": FORMAT,
        "scale": comparison.scale,
        "corpora": comparison.corpora,
        "tables": {name: _file(path) for name, path in outputs.items()},
        "sources": [_file(path) for path in tables],
        "software": software_versions(),
        "git": git_state(),
    }


def _provenance(
    table: Table2 | Table3 | Table4,
    outputs: Mapping[str, Path],
    literature: Path,
    numbers: list[dict[str, Any]],
    runs: Sequence[Run],
) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "scale": table.scale,
        "corpus": table.corpus,
        **_sources(table, outputs, literature, numbers),
        "runs": {_key(run): _run(run) for run in runs},
        **_programs(),
    }


def _sources(
    table: Table1 | Table2 | Table3 | Table4,
    outputs: Mapping[str, Path],
    literature: Path,
    numbers: list[dict[str, Any]],
) -> dict[str, Any]:
    return {
        "tables": {name: _file(path) for name, path in outputs.items()},
        "literature": {**_file(literature), "version": table.literature.version},
        "numbers": numbers,
    }


def _programs() -> dict[str, Any]:
    return {"software": software_versions(), "git": git_state()}


def _key(run: Run) -> str:
    return run.folder.relative_to(run.folder.parents[1]).as_posix()  # base/en-de, base-seed2/en-de


def _table3_numbers(row: Variation, run: Run) -> list[dict[str, Any]]:
    """Each figure of ours that the table shows, or takes the mean of."""
    where = {"table": "table3", "row": row.paper.row, "run": _key(run)}
    measure = run.measure(PAPER_MEASURE)
    details = {key: measure[key] for key in ("value", "interval", "signature")}
    perplexity = run.content["perplexity"]["dev"]["perplexity"]
    bleu = _source(run, "scores", f"measures.{PAPER_MEASURE}.value")
    return [
        {**where, "column": "PPL", "value": perplexity, **_source(run, "perplexity", "dev.perplexity")},
        {**where, "column": "BLEU", **details, **bleu},
        {**where, "column": "params", "value": row.parameters, **_source(run, "training", "parameters")},
    ]


def _table2_numbers(model: str, run: Run) -> list[dict[str, Any]]:
    """Each figure of ours that the table shows, and the key of the file that it stands in."""
    row = {"table": "table2", "row": model, "pair": run.pair, "run": _key(run)}
    figures: list[dict[str, Any]] = []
    for name, title in MEASURES.items():
        measure = run.measure(name)
        details = {key: measure[key] for key in ("value", "interval", "signature")}
        source = _source(run, "scores", f"measures.{name}.value")
        figures.append({**row, "column": f"BLEU, {title}", **details, **source})
    cost = _source(run, "training", "training_flops")
    return [*figures, {**row, "column": "training cost (FLOPs)", "value": run.training_flops, **cost}]


def _table4_numbers(row: OurParser) -> list[dict[str, Any]]:
    """Each figure of ours that the table or its notes show."""
    where = {"table": "table4", "row": row.paper.row, "run": _key(row.run)}
    figures: list[dict[str, Any]] = []
    for decoding, title in DECODINGS.items():
        scores = row.run.content[decoding]["all"]
        details = {"value": scores["f1"], "interval": scores["interval"]}
        figures.append({**where, "column": f"F1, {title}", **details, **_source(row.run, decoding, "all.f1")})
    count = _source(row.run, "unconstrained", "malformed.count")
    return [*figures, {**where, "column": "malformed", "value": row.malformed["count"], **count}]


def _source(run: Run, name: str, key: str) -> dict[str, str]:
    return {"file": run.path(name).as_posix(), "key": key, "sha256": run.sha256[name]}


def _run(run: Run) -> dict[str, Any]:
    files = {name: {"path": run.path(name).as_posix(), "sha256": run.sha256[name]} for name in run.files}
    for name in ("averaged", "last"):
        if (weights := run.folder / name / "model.safetensors").exists():
            files[name] = _file(weights)
    return {"files": files, "checkpoints": run.content["training"]["checkpoints"], **run.content}


def _file(path: Path) -> dict[str, str]:
    return {"path": path.as_posix(), "sha256": sha256_of(path)}


def software_versions(packages: Sequence[str] = PACKAGES) -> dict[str, str | None]:
    """Versions of Python and of the libraries that a number can depend on; None for one that is not installed."""
    versions: dict[str, str | None] = {"python": platform.python_version()}
    for package in packages:
        try:
            versions[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            versions[package] = None
    return versions


def git_state() -> dict[str, Any] | None:
    """The commit that this code is from and whether files differ from it; None outside a repository."""
    try:
        commit = _git("rev-parse", "HEAD")
        return {"commit": commit, "modified": _git("status", "--porcelain", "--untracked-files=no") != ""}
    except (OSError, subprocess.CalledProcessError):
        return None


def describe_commit() -> str:
    """The commit that this code is from, as ``git describe`` names it (``-dirty``: files differ from it)."""
    try:
        return _git("describe", "--always", "--dirty")
    except (OSError, subprocess.CalledProcessError):
        return "unknown: not in a git repository"


def _git(*arguments: str) -> str:
    here = Path(__file__).parent
    return subprocess.run(
        ["git", *arguments], cwd=here, capture_output=True, text=True, check=True
    ).stdout.strip()
