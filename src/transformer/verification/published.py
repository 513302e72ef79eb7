"""Every number of every table of a scale, with what differs in the files behind it."""

import os
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from transformer.common.errors import UserError
from transformer.common.json_artifacts import read_artifact, read_object
from transformer.common.project import find_recorded
from transformer.tables.provenance import describe_state
from transformer.tables.runs import Run, read_runs
from transformer.verification.artifacts import check_artifacts
from transformer.verification.checks import Check, file_check, value_check
from transformer.verification.recorded import provenance_files, recorded_run
from transformer.verification.remade_tables import compare, remake
from transformer.verification.repetition import check_again
from transformer.verification.rescoring import check_scores
from transformer.verification.summaries import check_summaries
from transformer.verification.text_again import check_text


@dataclass(frozen=True)
class Cell:
    """A number of a table, and the ways in which what is behind it differs; none if it stands."""

    table: str
    name: str  # e.g. "base en-de multi_bleu"
    value: str
    differs: Sequence[str]


@dataclass(frozen=True)
class Verdict:
    """What was found: the cells of tables, and the checks of files that no single cell is read from.

    ``made_by`` has the commit of the code that made each table, by the path of its provenance.
    """

    cells: list[Cell] = field(default_factory=list)
    others: list[Check] = field(default_factory=list)
    made_by: dict[str, str] = field(default_factory=dict)

    @property
    def stands(self) -> bool:
        return not any(cell.differs for cell in self.cells) and not any(
            check.differs for check in self.others
        )


def verify(results: Path, data: Path, deep: bool = False) -> Verdict:
    """Check all tables of a scale; ``results`` and ``data`` are its folders, e.g. results/demo and data/demo.

    ``deep`` also makes the text again, decodes again, and repeats the first steps of each training.
    Raises UserError when no table has been made.
    """
    # As the tables recorded their files, relative to the working folder.
    results, data = (Path(os.path.relpath(folder)) for folder in (results, data))
    verdict, inspector = Verdict(), _Inspector(data, deep)
    named: set[str] = set()
    for path in provenance_files(results):
        facts = read_artifact(path, "provenance")
        verdict.made_by[str(path)] = describe_state(facts.get("git"))
        named |= facts["tables"].keys()
        _verify_table(path, facts, results, verdict, inspector)
    verdict.others.extend(_without_provenance(results / "tables", named))
    verdict.others.extend(check_summaries(results))
    verdict.others.extend(_index(results.parent))
    return verdict


class _Inspector:
    """Inspects runs, each once for all the tables that show it."""

    def __init__(self, data: Path, deep: bool) -> None:
        self.data, self.deep = data, deep
        self.found: dict[Path, list[str]] = {}
        self.text: dict[str, list[str]] = {}

    def __call__(self, run: Run) -> list[str]:
        """Return how the files of a run differ from one another."""
        place = run.path(next(name for name in ("scores", "parses") if name in run.files))
        if place not in self.found:
            parts = [check_artifacts(run, self.data), check_scores(run, self.data)]
            parts += [check_again(run, self.data)] if self.deep else []
            self.found[place] = [differs for part in parts for differs in _findings(part)]
        return [*self._text(run.pair), *self.found[place]]

    def _text(self, pair: str) -> list[str]:
        """Return how the text of a pair differs when it is made again, which only ``deep`` asks for."""
        if self.deep and pair not in self.text:
            self.text[pair] = _findings(check_text(pair, self.data))
        return self.text.get(pair, [])


def _findings(checks: Iterator[Check]) -> list[str]:
    return [check.differs for check in _all(checks) if check.differs]


def _all(checks: Iterator[Check]) -> Iterator[Check]:
    """Yield the checks; a file that cannot be read at all is the last one."""
    try:
        yield from checks
    except UserError as error:
        yield Check("", str(error))


def _verify_table(
    path: Path, facts: dict[str, Any], results: Path, verdict: Verdict, inspect: _Inspector
) -> None:
    """Add the cells of the table whose provenance is ``facts``, the file ``path``."""
    table = [file_check(Path(entry["path"]), entry["sha256"], path) for entry in facts["tables"].values()]
    if "literature" in facts:
        literature = facts["literature"]
        table.append(file_check(find_recorded(literature["path"]), literature["sha256"], path))
    table += [file_check(Path(entry["path"]), entry["sha256"], path) for entry in facts.get("sources", ())]
    runs, behind = [], {}
    for name, recorded in facts.get("runs", {}).items():
        run, findings = _verify_run(name, recorded, path, inspect)
        behind[_folder(name, recorded)] = findings
        runs += [run] if run else []
    if len(runs) == len(behind):
        try:
            texts = remake(facts, runs, results)
            folders = dict.fromkeys(Path(entry["path"]).parent for entry in facts["tables"].values())
            for folder in folders:
                table += compare(texts, folder)
            table += _published(texts, results)
        except (UserError, KeyError) as error:
            table.append(Check(str(path), f"{path}: the table cannot be made again: {error}"))
    own = [_number(number) for number in facts.get("numbers", ())]
    shown = set()
    for number, check in zip(facts.get("numbers", ()), own, strict=True):
        run_folder = max(filter(number["path"].startswith, behind), key=len, default="")
        shown.add(run_folder)
        differs = [*([check.differs] if check.differs else []), *behind.get(run_folder, [])]
        verdict.cells.append(Cell(number["table"], check.what, _shown(number["value"]), differs))
    hidden = sorted(behind.keys() - shown)  # of a table that shows no number of theirs
    table += [Check(run_folder, differs) for run_folder in hidden for differs in behind[run_folder]]
    verdict.others.extend(table)


def _verify_run(
    name: str, recorded: dict[str, Any], provenance: Path, inspect: _Inspector
) -> tuple[Run | None, list[str]]:
    """Return a run as it is now, and how it differs from its provenance and within itself."""
    entries, then = recorded["files"].values(), recorded_run(recorded)
    checks = [file_check(Path(entry["path"]), entry["sha256"], provenance) for entry in entries]
    try:
        (run,) = read_runs([then.folder], then.files)
    except UserError as error:
        return None, [check.differs for check in checks if check.differs] or [str(error)]
    checks += [
        value_check(str(run.path(key)), run.content[key], content, f"{provenance}: runs: {name}")
        for key, content in then.content.items()
    ]
    differs = [check.differs for check in checks if check.differs]
    return run, list(dict.fromkeys([*differs, *inspect(run)]))


def _folder(name: str, recorded: dict[str, Any]) -> str:
    """Return the folder of a run by its name in the provenance, e.g. ``base/en-de`` or ``base/en-de/tests/NAME``."""
    return f"{(recorded_run(recorded).folder.parents[1] / name).as_posix()}/"


def _number(number: dict[str, Any]) -> Check:
    """Check a number of a table against the file that it was read from."""
    parts = [number.get(key) for key in ("layer", "run", "pair", "test_set", "decoding", "measure")]
    what = " ".join(dict.fromkeys(str(part) for part in parts if part))
    path = Path(number["path"])
    hashed = file_check(path, number["sha256"], "provenance")
    if hashed.differs:
        return Check(what, hashed.differs)
    value: Any = read_object(path)
    for key in number["key"].split("."):
        if not isinstance(value, dict) or key not in value:
            return Check(what, f"{path}: has no '{number['key']}'")
        value = value[key]
    return Check(what, value_check(what, value, number["value"], path).differs)


def _shown(value: float | list[dict[str, Any]]) -> str:
    """Return a number, or a sum of Table 1 such as ``4 n^2 d + 8 n d^2``, for readers."""
    if not isinstance(value, list):
        return f"{value:g}"
    terms = []
    for term in value:
        powers = {name: exponent for name, exponent in term["exponents"].items() if exponent}
        factors = [name if exponent == 1 else f"{name}^{exponent:g}" for name, exponent in powers.items()]
        terms.append(" ".join([f"{term['coefficient']:g}", *factors]))
    return " + ".join(terms)


def _published(texts: dict[str, str], results: Path) -> Iterator[Check]:
    """Check the copies of a table beside the scales' folders, unless they are another scale's."""
    for name in texts:
        copy, own = results.parent / name, results / "tables" / name
        tables = (path for path in results.parent.glob(f"*/tables/{name}") if path != own)
        if copy.exists() and not any(path.read_bytes() == copy.read_bytes() for path in tables):
            yield from compare({name: texts[name]}, results.parent)


def _without_provenance(folder: Path, named: Collection[str]) -> Iterator[Check]:
    """Find the tables in a ``folder`` that no provenance names; with its own, a table would lose all its checks."""
    for path in sorted(folder.glob("[!.]*")):
        if path.suffix != ".sha256" and path.name not in named:
            yield Check(str(path), f"{path}: no provenance names it; make the table again")


def _index(folder: Path) -> Iterator[Check]:
    """Check every file that the index of the results, README.md, lists with its sha256."""
    page = folder / "README.md"
    if not page.exists():
        return
    text = page.read_bytes().decode("utf-8", "replace")
    rows = re.findall(r"^\| \[[^]]*\]\(([^)]*)\) .*`([0-9a-f]{64})` *\|$", text, re.M)
    yield Check(str(page), "" if rows else f"{page}: names no file with its sha256; make it again")
    for link, sha256 in rows:
        yield file_check(folder / link, sha256, page)
