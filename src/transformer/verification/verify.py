"""Check the results of a scale against the files behind them.

    python src/transformer/verification/verify.py --scale demo

What follows from the translations, trees and checkpoints that are here is made again in a copy, by the commands that
Snakemake has recorded: averaged weights, scores, tables, figures.  All must have the same bytes.  What a training read
and counted is checked by ``check_training.py``.  Nothing is trained or translated, and no result changes.  The exit
status is 1 if anything differs.
"""

import os
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from transformer.common.arguments import argument_parser
from transformer.common.errors import UserError, one_line, run_script
from transformer.common.yaml_files import read_yaml
from transformer.model.trained_by import notes_on_trainings
from transformer.tables.commit import describe_commit
from transformer.verification import published
from transformer.verification.check_training import check_training, has_checkpoints
from transformer.verification.remake import AVERAGE, difference, jobs_of, make_again
from transformer.verification.snakemake_records import record_of

FORMATS = (".tex", ".csv", ".md", ".svg", ".pdf")  # of tables and figures


def main() -> int:
    parser = argument_parser(__doc__)
    parser.add_argument("--scale", help="whose results are checked (that of config/config.yaml)")
    scale = parser.parse_args().scale or read_yaml("config/config.yaml")["scale"]
    verdict = verify(scale)
    of_published = published.verdict(scale) or ""
    for line in filter(None, [*verdict.lines(), f"checked by  commit {describe_commit()}", of_published]):
        print(line)
    differ = sum(map(bool, verdict.files.values()))
    print(f"{len(verdict.files)} files: {len(verdict.files) - differ} stand, {differ} differ")
    return int(bool(differ) or of_published.startswith("DIFFERS"))


@dataclass
class Verdict:
    """What was checked and found of the results of a scale."""

    # The reasons why each file that was checked differs; none if it stands.
    files: dict[str, list[str]] = field(default_factory=dict)
    unchecked: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)  # on the trainings

    def add(self, path: Path | str, *reasons: str) -> None:
        """Add a file that was checked, and the reasons why it differs, if it does."""
        self.files.setdefault(str(path), []).extend(map(one_line, filter(None, reasons)))

    def lines(self) -> Iterator[str]:
        """Yield each reason, what was not checked, and the notes."""
        yield from (f"DIFFERS  {reason}" for reasons in self.files.values() for reason in reasons)
        yield from (f"not checked  {what}" for what in self.unchecked)
        yield from self.notes


def verify(scale: str) -> Verdict:
    """Check all results of a scale in the working folder.  Raises UserError when there is none."""
    data, results, verdict = Path("data", scale), Path("results", scale), Verdict()
    runs = sorted(path.parent for path in results.glob("runs/*/*/training.json"))
    jobs, verdict.unchecked = jobs_of((data, results)), list(_without_records(results))
    if not (runs or jobs or verdict.unchecked):
        raise UserError(f"{results}: no table has been made; make one first, e.g. results/table2.tex")
    for run in runs:
        verdict.add(run / "training.json", *check_training(run, data))
    if bare := {run for run in runs if not has_checkpoints(run)}:
        averages = [
            job for job, outputs in jobs.items() if job[0] == AVERAGE and bare & {*outputs[0].parents}
        ]
        jobs = {job: outputs for job, outputs in jobs.items() if job not in averages}
        verdict.unchecked.append(
            f"whether {len(bare)} models are the means of their checkpoints, which are not here"
        )
    # On the disk that has room for results, unless it is read-only.
    hidden = Path(".snakemake") if os.access(".snakemake", os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="verify-", dir=hidden) as folder:
        copy = Path(folder).absolute()
        for reason in make_again(jobs, (data, results), copy):
            verdict.add(reason.partition(":")[0], reason)
        for again in sorted(path for top in ("data", "results") for path in (copy / top).rglob("*")):
            if again.is_file() and not again.is_symlink():
                path = again.relative_to(copy)
                verdict.add(path, difference(path, again))
    verdict.notes = notes_on_trainings(runs)
    return verdict


def _without_records(results: Path) -> Iterator[str]:
    """Yield a line for each table and figure, and each copy in ``results/``, that Snakemake has no record of."""
    folders = (results.parent, results.parent / "figures", results / "tables", results / "figures")
    for path in sorted(path for folder in folders for path in folder.glob("*.*")):
        if path.suffix in FORMATS and path.name != "README.md" and record_of(str(path)) is None:
            yield f"{path}: Snakemake has no record of how it was made"


if __name__ == "__main__":
    run_script(main)
