"""Check every number of the published tables of a scale against the files behind it, a line for each cell.

    python src/transformer/verification/verify.py --scale demo

Every file behind a cell is hashed again, from the tokenized text to the table; the mean of the checkpoints, the scores,
the operations and the parameters are computed again, and so are the tables themselves, which must have the same bytes.
Nothing is trained, translated or written.  The exit status is 1 if anything differs.
"""

import os
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pandas as pd

from transformer.common.arguments import argument_parser
from transformer.common.artifacts import read_object
from transformer.common.errors import UserError, one_line, run_script
from transformer.common.project import config_file, find_recorded
from transformer.common.yaml_files import read_yaml
from transformer.tables import make_table
from transformer.tables.cells import Source, Table, content, read_table
from transformer.tables.commit import describe_commit
from transformer.tables.render import renderings
from transformer.tables.runs import AVERAGED, LAST, PARSES, Run, read_further_tests, read_runs
from transformer.tables.scores import all_scores
from transformer.tables.table1 import formula
from transformer.verification import published
from transformer.verification.check_run import check_run, has_checkpoints
from transformer.verification.checks import Check, file_check, text_check, value_check
from transformer.verification.recorded import read_again, table_files


def main() -> int:
    parser = argument_parser(__doc__)
    parser.add_argument("--scale", help="whose results are checked (that of config/config.yaml)")
    arguments = parser.parse_args()
    scale = arguments.scale or read_yaml(config_file("config.yaml"))["scale"]
    verdict = verify(Path("results", scale), Path("data", scale))
    print(report(verdict))
    return 0 if verdict.stands else 1


@dataclass(frozen=True)
class Cell:
    """A number of a table, and the ways in which what is behind it differs; none if it stands."""

    table: str
    name: str  # e.g. "base en-de multi_bleu_split"
    value: str
    differs: Sequence[str]


@dataclass
class Verdict:
    """What was found: the cells of tables, and the checks of files that no single cell is read from."""

    cells: list[Cell] = field(default_factory=list)
    others: list[Check] = field(default_factory=list)
    without_checkpoints: int = 0  # models
    published: str = ""  # whether the files are those that were published; empty if none were

    @property
    def stands(self) -> bool:
        differs = [*(cell.differs for cell in self.cells), *(check.differs for check in self.others)]
        return not any(differs) and not self.published.startswith("DIFFERS")


def verify(results: Path, data: Path) -> Verdict:
    """Check all tables of a scale; ``results`` and ``data`` are its folders, e.g. results/demo and data/demo.

    Raises UserError when no table has been made.
    """
    # As the tables recorded their files, relative to the working folder.
    results, data = (Path(os.path.relpath(folder)) for folder in (results, data))
    verdict = Verdict()
    known: dict[Path, list[str]] = {}  # what was found of each run; several tables show the same

    def inspect(run: Run) -> list[str]:
        scores = run.path(run.scored)
        if scores not in known:
            known[scores] = [check.differs for check in check_run(run, data) if check.differs]
            verdict.without_checkpoints += not has_checkpoints(run)
        return known[scores]

    paths = table_files(results)
    for path in paths:
        try:
            table = read_table(path)
        except UserError as error:
            verdict.others.append(Check(str(path), str(error)))
            continue
        behind, others = _behind_table(path, table, results, inspect)
        cells = [_cell(table.name, source, path, behind) for source in _sources(table)]
        verdict.cells.extend(cells)
        verdict.others.extend(others)
        # A table need not show a number of each run.
        shown = {reason for cell in cells for reason in cell.differs}
        hidden = dict.fromkeys(reason for reasons in behind.values() for reason in reasons)
        verdict.others.extend(Check(str(path), reason) for reason in hidden if reason not in shown)
    verdict.others.extend(_without_cells(results / "tables", {path.stem for path in paths}))
    verdict.others.extend(check_scores_csv(results.parent))
    verdict.others.extend(_listed(results.parent / "index.html"))
    verdict.published = published.verdict(results.name) or ""
    return verdict


def _behind_table(
    path: Path, table: Table, results: Path, inspect: Callable[[Run], list[str]]
) -> tuple[dict[str, list[str]], list[Check]]:
    """Check the files behind a table, whose cells are in the file ``path``.

    Returns how each file of a run, or what is behind it, differs; and the checks of the table's own files.
    """
    sources, runs = (table.behind.get(what, ()) for what in ("sources", "runs"))
    others = [file_check(find_recorded(entry["path"]), entry["sha256"], path) for entry in sources]
    behind: dict[str, list[str]] = {}
    are_read = True
    for recorded in dict(runs).values():
        files = recorded["files"].values()
        checks = [file_check(Path(entry["path"]), entry["sha256"], path) for entry in files]
        differs = [check.differs for check in checks if check.differs]
        try:
            differs += inspect(read_again(recorded["files"]))
        except UserError as error:
            are_read = False
            differs = differs or [str(error)]
        for entry in files:
            reasons = behind.setdefault(entry["path"], [])
            reasons += [reason for reason in dict.fromkeys(differs) if reason not in reasons]
    if are_read:
        try:
            others += check_table(path, table, results)
        except (UserError, KeyError, SystemExit) as error:  # also of a command that its script refuses
            others.append(Check(str(path), f"{path}: the table cannot be made again: {error}"))
    return behind, others


def _sources(table: Table) -> list[Source]:
    """Return what our numbers were read from, each place once."""
    sources = (source for _, cell in table.cells() for source in cell.sources)
    return [*{(source.path, source.key): source for source in sources}.values()]


def _cell(table: str, source: Source, where: Path, behind: Mapping[str, Sequence[str]]) -> Cell:
    """Check a number of a table against the file that it was read from, and what is ``behind`` that."""
    path = Path(source.path)
    name = " ".join([*path.parts[path.parts.index("runs") + 1 :]] if "runs" in path.parts else [path.name])
    check = file_check(path, source.sha256, where)
    # What is computed from the sentences of a CSV file is computed again with its table.
    if not check.differs and path.suffix == ".json":
        value: Any = read_object(path)
        for key in source.key.split("."):
            value = value[key]
        check = value_check(source.key, value, source.value, path)
    scores = str(path.with_suffix(".json"))
    differs = [*([check.differs] if check.differs else []), *behind.get(scores, ())]
    value = source.value  # in Table 1, a sum of products
    shown = formula(value) if isinstance(value, list) else f"{value:g}"
    return Cell(table, f"{name} {source.key}", shown, differs)


def _without_cells(folder: Path, known: Collection[str]) -> Iterator[Check]:
    """Find the renderings in a ``folder`` that have no cells beside them, and so would lose all their checks."""
    for path in sorted(folder.glob("[!.]*")):
        if path.stem not in known:
            again = "make the table again, or delete what an earlier version left"
            yield Check(str(path), f"{path}: {path.stem}.json is not beside it; {again}")


def check_table(path: Path, table: Table, results: Path) -> Iterator[Check]:
    """Check the cells of a table, the file ``path``, and its renderings in ``results``, its scale's folder.

    So are their copies beside that folder, unless these are another scale's.
    """
    again = made_again(table)
    recorded = content(replace(table, behind={}))
    yield value_check("", content(replace(again, behind={})), recorded, path)
    for name, text in renderings(again).items():
        own, copy = results / "tables" / name, results.parent / name
        yield text_check(own, text)
        others = [path for path in results.parent.glob(f"*/tables/{name}") if path != own]
        if copy.exists() and not any(path.read_bytes() == copy.read_bytes() for path in others):
            yield text_check(copy, text)


def made_again(table: Table) -> Table:
    """Return a table made again by the command that it records."""
    arguments = make_table.parse_arguments([*table.behind["command"], "--output-dir", "."])
    for name, value in vars(arguments).items():
        setattr(arguments, name, [*map(_found, value)] if isinstance(value, list) else _found(value))
    return make_table.table_of(arguments)


def _found(value: Any) -> Any:
    return find_recorded(value.as_posix()) if isinstance(value, Path) else value


def check_scores_csv(results: Path) -> Iterator[Check]:
    """Check ``results/scores.csv``, if it was made, against the JSON files that its rows were read from."""
    path = results / "scores.csv"
    if path.exists():
        try:
            yield text_check(path, _scores_again(path).to_csv(index=False, lineterminator="\n"))
        except (UserError, LookupError, TypeError, ValueError) as error:  # the file may hold anything
            yield Check(str(path), f"{path}: cannot be made again: {error}")


def _scores_again(path: Path) -> pd.DataFrame:
    sources = [Path(source) for source in pd.read_csv(path)["path"].unique()]
    runs = read_runs(_folders(sources, AVERAGED["scores"]))
    runs += read_further_tests([source.parent for source in sources if source.parts[-3] == "tests"])
    runs += read_runs(_folders(sources, LAST["scores"]), LAST)
    runs += read_runs(_folders(sources, PARSES["parses"]), PARSES)
    return all_scores(runs, [source for source in sources if source.parts[-2] == "baselines"])


def _folders(sources: Sequence[Path], below: str) -> list[Path]:
    """Return the folders of runs, ``runs/RUN/PAIR``, that have their file ``below`` among the ``sources``."""
    folders = [Path(source.as_posix().removesuffix(f"/{below}")) for source in sources]
    return [folder for folder in folders if folder.parent.parent.name == "runs"]


def _listed(page: Path) -> Iterator[Check]:
    """Check every file that the page of the results lists with its sha256."""
    if page.exists():
        text = page.read_bytes().decode("utf-8", "replace")
        rows = re.findall(r'href="([^"]*)" data-sha256="([0-9a-f]{64})"', text)
        yield Check(str(page), "" if rows else f"{page}: names no file with its sha256; make it again")
        for link, sha256 in rows:
            yield file_check(page.parent / link, sha256, page)


def report(verdict: Verdict) -> str:
    """Return a line for each cell, the reasons below those that do not stand, and the counts."""
    lines = []
    for cell in verdict.cells:
        lines.append(f"{'DIFFERS' if cell.differs else 'stands ':7}  {cell.table}  {cell.name}  {cell.value}")
        lines += [f"           {one_line(reason)}" for reason in cell.differs]
    lines += [f"DIFFERS  {one_line(check.differs)}" for check in verdict.others if check.differs]
    if count := verdict.without_checkpoints:
        lines.append(
            f"not checked  whether {count} models are the means of their checkpoints, which are not here"
        )
    lines.append(f"checked by  commit {describe_commit()}")
    wrong = sum(bool(cell.differs) for cell in verdict.cells)
    others = sum(bool(check.differs) for check in verdict.others)
    lines.append(
        f"{len(verdict.cells)} numbers: {len(verdict.cells) - wrong} stand, {wrong} differ; "
        f"{len(verdict.others)} files of tables and figures: {len(verdict.others) - others} stand, {others} differ"
    )
    return "\n".join(filter(None, [*lines, verdict.published]))


if __name__ == "__main__":
    run_script(main)
