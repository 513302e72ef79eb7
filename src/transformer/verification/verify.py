"""Check the tables of a scale against the files behind them.

    python src/transformer/verification/verify.py --scale demo

The rules make again, in a copy, what follows from the translations, trees and checkpoints that are here: averaged
weights, scores, tables, figures.  All must have the same bytes.  What no rule makes again is checked by
``check_training.py``.  Nothing is trained or translated, and no result changes.  The exit status is 1 if anything
differs.
"""

import os
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from transformer.common.arguments import argument_parser
from transformer.common.artifacts import read_artifact
from transformer.common.errors import UserError, one_line, run_script
from transformer.common.yaml_files import read_yaml
from transformer.model.trained_by import notes_on_trainings
from transformer.settings.run_names import name_and_seed, seed_options
from transformer.tables.commit import describe_commit
from transformer.verification import published
from transformer.verification.check_training import check_training, has_checkpoints
from transformer.verification.remake import (
    AVERAGE,
    COPIES,
    RULES,
    SHOWN_BY,
    difference,
    link_results,
    made_again,
    make_again,
)
from transformer.verification.snakemake_records import is_made_from, record_of

COPIED = (".tex", ".csv", ".md", ".svg", ".pdf")


def main() -> int:
    parser = argument_parser(__doc__)
    parser.add_argument("--scale", help="whose results are checked (that of config/config.yaml)")
    about = "what else they were made with; not seeds"
    parser.add_argument("--config", nargs="+", default=[], metavar="KEY=VALUE", help=about)
    arguments = parser.parse_args()
    scale = arguments.scale or read_yaml("config/config.yaml")["scale"]
    verdict = verify(scale, arguments.config)
    of_published = published.verdict(scale) or ""
    for line in filter(None, [*verdict.lines(), f"checked by  commit {describe_commit()}", of_published]):
        print(line)
    differ = len(verdict.differs)
    print(f"{len(verdict.checked)} files: {len(verdict.checked) - differ} stand, {differ} differ")
    return int(bool(differ) or of_published.startswith("DIFFERS"))


@dataclass
class Verdict:
    """What was checked and found of the results of a scale."""

    checked: set[str] = field(default_factory=set)  # files
    differs: dict[str, list[str]] = field(default_factory=dict)  # file → what differs there
    unchecked: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)  # on the trainings

    def add(self, path: str, reasons: Iterable[str]) -> None:
        """Add a file that was checked, and the reasons why it differs, if it does."""
        self.checked.add(path)
        if lines := [one_line(reason) for reason in reasons]:
            self.differs[path] = list(dict.fromkeys([*self.differs.get(path, []), *lines]))

    def lines(self) -> Iterator[str]:
        """Yield each reason, what was not checked, and the notes."""
        yield from (f"DIFFERS  {reason}" for reasons in self.differs.values() for reason in reasons)
        yield from (f"not checked  {what}" for what in self.unchecked)
        yield from self.notes


def verify(scale: str, config: Sequence[str] = ()) -> Verdict:
    """Check all results of a scale in the working folder; ``config`` is what they were made with besides the seeds.

    Raises UserError when no table has been made.
    """
    results, data = Path("results", scale), Path("data", scale)
    verdict = Verdict()
    behind = {target: runs_behind(target, results) for target in _targets(verdict, results)}
    if not behind:
        raise UserError(f"{results}: no table has been made; make one first, e.g. results/table2.tex")
    runs = sorted(set().union(*behind.values()))
    for run in runs:
        verdict.add(f"{run}/training.json", check_training(run, data))
    rules = list(RULES)
    if count := sum(not has_checkpoints(run) for run in runs):
        rules.remove(AVERAGE)
        verdict.unchecked.append(
            f"whether models are the means of their checkpoints, since those of {count} are not here"
        )
    # On the disk that has room for results, unless it is read-only.
    hidden = Path(".snakemake") if os.access(".snakemake", os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="verify-", dir=hidden) as folder:
        copy = Path(folder).absolute()
        for seeds in sorted({seeds_of(of_target) for of_target in behind.values()}):
            targets = [target for target, of_target in behind.items() if seeds_of(of_target) == seeds]
            for reason in _wrong(results, copy, targets, rules, [f"scale={scale}", *seeds, *config]):
                verdict.add(reason.partition(":")[0], [f"cannot be made again: {reason}"])
        for path in made_again(copy):
            differs = difference(path, copy / path)
            verdict.add(str(path), [f"{path}: {differs}"] if differs else [])
    verdict.notes = notes_on_trainings(runs)
    return verdict


def _wrong(
    results: Path, copy: Path, targets: Sequence[str], rules: Sequence[str], config: Sequence[str]
) -> Iterator[str]:
    """Make ``targets`` again in the folder ``copy``, and yield what cannot be made.

    What follows from a file that cannot be made again is made from the file that is there.
    """
    for of_rules in (rules, SHOWN_BY, COPIES):
        made = [target for target in targets if (record_of(target) or {}).get("rule") in of_rules]
        link_results(results, copy)
        wrong = make_again(copy, made, of_rules, config) if made else []
        yield from wrong
        if not wrong:
            return


def _targets(verdict: Verdict, results: Path) -> Iterator[str]:
    """Yield the tables and figures of a scale, and what is copied or collected from it in ``results/``.

    Snakemake's records say which rule made a file, and from which scale, even of a file that was edited or removed.
    """
    tables = {path.with_suffix(".json") for path in results.glob("tables/*.*")}
    others = [path for place in ("*.*", "figures/*.*") for path in results.parent.glob(place)]
    for path in sorted([*tables, *results.glob("figures/*.*"), *others]):
        record = record_of(str(path))
        if record is None and path.suffix in COPIED and path.name != "README.md":
            verdict.unchecked.append(f"{path}: Snakemake has no record of what it was made from")
        elif (
            record
            and record.get("rule") in RULES
            and (path not in others or is_made_from(record, str(results)))
        ):
            yield str(path)


def runs_behind(path: str, results: Path) -> frozenset[Path]:
    """Return the folders of the runs that a file of a scale was made from, by Snakemake's records."""
    inputs = [str(file) for file in (record_of(path) or {}).get("input") or ()]
    runs = {Path(*Path(file).parts[:5]) for file in inputs if file.startswith(f"{results}/runs/")}
    shown = (file for file in inputs if Path(file).parent in (results / "tables", results / "figures"))
    return frozenset(runs).union(*(runs_behind(file, results) for file in shown))


def seeds_of(runs: Iterable[Path]) -> tuple[str, ...]:
    """Return the words of ``--config`` for the seeds of runs, whose folders are given."""
    seeds: dict[str, int] = {}
    for run in runs:
        try:
            seeds[run.parent.name] = read_artifact(run / "config.json", "config")["seed"]
        except UserError:  # it will be missed where it is needed
            seeds[run.parent.name] = name_and_seed(run.parent.name, 1)[1]
    return seed_options(seeds)


if __name__ == "__main__":
    run_script(main)
