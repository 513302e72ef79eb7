"""Check the tables of a scale against the files behind them.

    python src/transformer/verification/verify.py --scale demo

The rules make again, in a copy, what follows from the translations, trees and checkpoints that are here: averaged
weights, scores, tables, figures.  All must have the same bytes.  What no rule makes again is checked by
``check_training.py``.  Nothing is trained or translated, and no result changes.  The exit status is 1 if anything
differs.
"""

import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from transformer.common.arguments import argument_parser
from transformer.common.artifacts import read_artifact
from transformer.common.errors import UserError, one_line, run_script
from transformer.common.yaml_files import read_yaml
from transformer.model.trained_by import notes_on_trainings
from transformer.settings.run_names import name_and_seed, seed_options
from transformer.tables.cells import read_table
from transformer.tables.commit import describe_commit
from transformer.verification import published
from transformer.verification.check_training import check_training, has_checkpoints
from transformer.verification.remake import (
    AVERAGE,
    OTHERS,
    TABLES,
    difference,
    link_results,
    made_again,
    make_again,
)
from transformer.verification.snakemake_records import is_made_from, record_of

COPIED = (".tex", ".csv", ".md", ".svg", ".pdf")


def main() -> int:
    parser = argument_parser(__doc__)
    add = parser.add_argument
    add("--scale", help="whose results are checked (that of config/config.yaml)")
    add(
        "--config",
        nargs="+",
        default=[],
        metavar="KEY=VALUE",
        help="what else they were made with; not seeds",
    )
    arguments = parser.parse_args()
    scale = arguments.scale or read_yaml("config/config.yaml")["scale"]
    verdict = verify(scale, arguments.config)
    of_published = published.verdict(scale, copies=verdict.checked) or ""
    for line in filter(None, [*verdict.lines(), f"checked by  commit {describe_commit()}", of_published]):
        print(line)
    differ = len(verdict.differs)
    print(f"{len(verdict.checked)} files: {len(verdict.checked) - differ} stand, {differ} differ")
    return int(bool(differ) or of_published.startswith("DIFFERS"))


@dataclass
class Verdict:
    """What was checked and found of the results of a scale."""

    checked: set[str] = field(default_factory=set)  # files
    differs: dict[str, dict[str, None]] = field(default_factory=dict)  # file → what differs there
    unchecked: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)  # on the trainings

    def add(self, path: str, *differs: str) -> None:
        """Add a file that was checked, and the lines that say how it differs, if it does."""
        self.checked.add(path)
        for line in differs:
            self.differs.setdefault(path, {})[one_line(line)] = None

    def lines(self) -> Iterator[str]:
        """Yield each reason, what was not checked, and the notes."""
        yield from (f"DIFFERS  {reason}" for reasons in self.differs.values() for reason in reasons)
        yield from (f"not checked  {what}" for what in self.unchecked)
        yield from self.notes


def verify(scale: str, config: Sequence[str] = ()) -> Verdict:
    """Check all tables of a scale in the working folder; ``config`` is what they were made with besides the seeds.

    Raises UserError when no table has been made.
    """
    results, data = Path("results", scale), Path("data", scale)
    verdict = Verdict()
    tables, others = dict(_tables(verdict, results)), dict(_others(verdict, results))
    if not tables and not others and not verdict.differs:
        raise UserError(f"{results}: no table has been made; make one first, e.g. results/table2.tex")
    runs = sorted({run for files in tables.values() for run in runs_among(files, results)})
    for run in runs:
        verdict.add(f"{run}/training.json", *check_training(run, data))
    averaged = [str(path) for run in runs if has_checkpoints(run) for path in run.glob("*/model.json")]
    if count := sum(not has_checkpoints(run) for run in runs):
        verdict.unchecked.append(
            f"whether {count} models are the means of their checkpoints, which are not here"
        )
    with tempfile.TemporaryDirectory(prefix="verify-", dir=_hidden_folder()) as folder:
        copy = Path(folder).absolute()
        for targets, rules in ((dict.fromkeys(averaged, ()), AVERAGE), (tables, TABLES), (others, OTHERS)):
            for words, group in _grouped(targets, results).items():
                link_results(results, copy)
                for wrong in make_again(copy, group, rules, [f"scale={scale}", *words, *config]):
                    verdict.add(wrong.partition(":")[0], f"cannot be made again: {wrong}")
        for path in made_again(copy):
            differs = difference(path, copy / path)
            verdict.add(str(path), *([f"{path}: {differs}"] if differs else []))
    verdict.notes = notes_on_trainings(runs)
    return verdict


def _hidden_folder() -> Path | None:
    """Return the folder in which the copy is made: on the disk that has room for results, unless it is read-only."""
    return Path(".snakemake") if os.access(".snakemake", os.W_OK) else None


def runs_among(files: Iterable[str], results: Path) -> set[Path]:
    """Return the folders of the runs, of one scale's ``results``, that files lie in."""
    return {Path(*Path(file).parts[:5]) for file in files if file.startswith(f"{results}/runs/")}


def _grouped(targets: Mapping[str, Iterable[str]], results: Path) -> dict[tuple[str, ...], list[str]]:
    """Return targets by the words of ``--config`` for the seeds of the runs that they were made from.

    What was made from no run is made with the first of the others.
    """
    groups: dict[tuple[str, ...], list[str]] = {}
    words = {target: seeds_of(runs_among(files, results)) for target, files in targets.items()}
    first = next(filter(None, words.values()), ())
    for target, of_target in words.items():
        groups.setdefault(of_target or first, []).append(target)
    return groups


def seeds_of(runs: Iterable[Path]) -> tuple[str, ...]:
    """Return the words of ``--config`` for the seeds of runs, whose folders are given."""
    seeds: dict[str, int] = {}
    for run in runs:
        try:
            seeds[run.parent.name] = read_artifact(run / "config.json", "config")["seed"]
        except UserError:  # it will be missed where it is needed
            seeds[run.parent.name] = name_and_seed(run.parent.name, 1)[1]
    return seed_options(seeds)


def _tables(verdict: Verdict, results: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield each table that was made, and the files that it was made from.

    A table that was edited or is missing says no files.  Snakemake's record has them; without one, all runs count.
    """
    for path in sorted({path.with_suffix(".json") for path in (results / "tables").glob("*.*")}):
        try:
            yield str(path), [file["path"] for _, file in read_table(path).files_behind()]
        except UserError as error:
            verdict.add(str(path), str(error))
            record = record_of(str(path)) or {}
            yield str(path), record.get("input") or [*map(str, results.glob("runs/*/*/training.json"))]


def _others(verdict: Verdict, results: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield what was made besides tables, and from what: figures, and what is of this scale in ``results/``."""
    figures = [
        path for path in results.glob("figures/*.*") if path.suffix != ".json" and published.is_kept(path)
    ]
    for path in sorted([*figures, *results.parent.glob("*.*"), *results.parent.glob("figures/*.*")]):
        record = record_of(str(path))
        if record is None and path.suffix in COPIED and path.name != "README.md":
            verdict.unchecked.append(f"{path}: Snakemake has no record of what it was made from")
        elif record and record.get("rule") in OTHERS and is_made_from(record, str(results)):
            missing = [name for name in record["input"] if not Path(name).exists()]
            if missing:
                verdict.add(str(path), f"{path}: cannot be made again: {missing[0]}: missing")
            else:
                yield str(path), record["input"]


if __name__ == "__main__":
    run_script(main)
