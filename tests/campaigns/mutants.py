"""Change the project in one place at a time, and see whether a test notices.

    python tests/campaigns/mutants.py named                       # changes chosen by hand; about three a minute
    python tests/campaigns/mutants.py generated --sample 100      # changes made by rule; about ten a minute
    python tests/campaigns/mutants.py generated --packages model  # all of one package

A changed copy of the project is a mutant.  A test that fails kills it; a mutant that survives shows what no test
checks, or a change that makes no difference.  Mutants run in a copy of the project in a temporary folder, by one
process at a time for each of ``--processes``.  The recorded losses of ``tests/training/test_golden_losses.py`` take no
part: they are renewed whenever training changes on purpose, so they do not say what is right.

``named`` gives a mutant to the tests of its group (``named_mutants.py``), and if it survives them to all tests of `make
test`.

``generated`` adds a line of JSON to ``--results`` for each mutant, and repeats of those there only the ones that
survived without an explanation.  The lines that each test executes are kept beside it.  Delete both when code or tests
have changed.  A mutant meets the tests that may notice it, ``SECONDS`` of them by the clock of the first run.
``survivors.toml`` explains the known survivors, and all others are listed at the end.
"""

import argparse
import concurrent.futures
import contextlib
import json
import multiprocessing
import os
import random
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from mutant_rules import Mutant, mutants_of
from named_mutants import GROUPS, NAMED
from pytest_runs import Outcome, prepare, run_tests

ROOT = Path(__file__).parents[2]
# What is mutated, and the folders of the tests that may notice.
PACKAGES = {
    "model": ("tests/model", "tests/training", "tests/decoding"),
    "training": ("tests/training",),
    "decoding": ("tests/decoding", "tests/parsing"),
    "scoring": ("tests/scoring",),
    "dataset/batching.py": ("tests/dataset", "tests/training"),
}
EXPLANATIONS = Path(__file__).with_name("survivors.toml")
# The campaigns' own tests say nothing of the project.
LEFT_OUT = ("tests/training/test_golden_losses.py", "tests/campaigns")
# A mutant counts as killed if its tests take this many times as much processor time as they should, and SPARE seconds.
SLOWER, SPARE = 4, 20
# The most that the tests of a generated mutant take.
SECONDS = 60


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("which", choices=["named", "generated"])
    parser.add_argument(
        "--only", default="", help="named: those with this text in their name or in that of their group"
    )
    parser.add_argument(
        "--packages",
        nargs="+",
        default=list(PACKAGES),
        choices=PACKAGES,
        help=f"generated: of {', '.join(PACKAGES)}",
    )
    parser.add_argument("--sample", type=int, help="generated: this many, chosen at random")
    parser.add_argument("--seed", type=int, default=0, help="of the sample")
    parser.add_argument("--results", type=Path, default=Path("build/mutants.jsonl"))
    parser.add_argument("--processes", type=int, default=1)
    arguments = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = "1"
    check_texts()
    if arguments.which == "named":
        return run_named(arguments.only, arguments.processes)
    mutants = [mutant for package in arguments.packages for mutant in generated_mutants(package)]
    print(f"{len(mutants)} mutants in {', '.join(arguments.packages)}")
    if arguments.sample is not None and arguments.sample < len(mutants):
        mutants = random.Random(arguments.seed).sample(mutants, arguments.sample)
    folders = list(dict.fromkeys(folder for package in arguments.packages for folder in PACKAGES[package]))
    records = without_survivors(known_results(arguments.results), mutants)
    waiting = [mutant for mutant in mutants if mutant.name not in records]
    if waiting:
        with pool(arguments.processes) as executor:
            runs = runs_of_tests(folders, executor, arguments.results.with_suffix(".lines.json"))
            jobs = [job_of(mutant, runs) for mutant in waiting]
            run_generated(jobs, executor, records, arguments.results)
    return report(mutants, records)


def check_texts() -> None:
    """Raise SystemExit when a named mutant or an explanation names a text that the present code does not have."""
    for mutant in NAMED:
        mutant.applied_to((ROOT / mutant.path).read_bytes())
    places = {mutant.place for package in PACKAGES for mutant in generated_mutants(package)}
    for place in explained_places() - places:
        raise SystemExit(
            f"error: {EXPLANATIONS.name} explains what is no mutant of the present code: {place}"
        )


def generated_mutants(package: str) -> list[Mutant]:
    """Return all mutants of a package that are made by rule."""
    return [
        mutant
        for path in source_files(package)
        for mutant in mutants_of(path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8"))
    ]


def source_files(package: str) -> list[Path]:
    """Return the files of a package, or the one file that ``package`` names."""
    path = ROOT / "src" / "transformer" / package
    return sorted(path.rglob("*.py")) if path.is_dir() else [path]


@dataclass(frozen=True)
class Job:
    """Tests to be run on a mutant, or on the code as it is."""

    mutant: Mutant | None
    tests: tuple[str, ...]
    seconds: float = 3600  # of processor time
    trace: bool = False  # whether to record the lines that are executed


class Workplace:
    """A copy of the project, in which one mutant at a time replaces a file."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        for name in subprocess.check_output(listed, cwd=ROOT, text=True).split("\0")[:-1]:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)

    def outcome(self, job: Job) -> Outcome:
        """Run the tests of a job."""
        path = self.folder / (job.mutant.path if job.mutant else "pyproject.toml")
        original = path.read_bytes()
        if job.mutant:
            path.write_bytes(job.mutant.applied_to(original))
        try:
            # Of a mutant, one test that fails is enough.
            return run_tests(
                self.folder,
                job.tests,
                LEFT_OUT,
                seconds=job.seconds,
                first_only=job.mutant is not None,
                trace=job.trace,
            )
        finally:
            path.write_bytes(original)


_workplace: Workplace


def open_workplace(folder: str) -> None:
    """Give this process of the pool a copy of the project."""
    global _workplace
    prepare()
    _workplace = Workplace(Path(tempfile.mkdtemp(dir=folder)))


def judge(job: Job) -> Outcome:
    """Do a job in a process of the pool."""
    return _workplace.outcome(job)


@contextlib.contextmanager
def pool(processes: int) -> Iterator[concurrent.futures.ProcessPoolExecutor]:
    """Processes with a workplace each."""
    context = multiprocessing.get_context("spawn")
    with (
        tempfile.TemporaryDirectory(prefix="mutants-") as folder,
        concurrent.futures.ProcessPoolExecutor(processes, context, open_workplace, (folder,)) as executor,
    ):
        yield executor


def run_named(only: str, processes: int) -> int:
    """Try the named mutants with ``only`` in their group or name; return 1 if one survives all tests, otherwise 0."""
    tried, alive = 0, []
    with pool(processes) as executor:
        for group, (tests, mutants) in GROUPS.items():
            chosen = [mutant for mutant in mutants if only in f"{group}: {mutant.name}"]
            tried += len(chosen)
            alive += survivors_of(executor, group, tests, chosen)
        alive = survivors_of(executor, "survivors, by all tests", ("tests",), alive)
    print(f"{tried} mutants, {tried - len(alive)} killed, {len(alive)} survived")
    return int(bool(alive))


def survivors_of(
    executor: concurrent.futures.Executor, group: str, tests: tuple[str, ...], mutants: list[Mutant]
) -> list[Mutant]:
    """Return those mutants of a group that ``tests`` do not kill, and print which test kills each of the others."""
    if not mutants:
        return []
    plain = executor.submit(judge, Job(None, tests)).result()
    if plain.killed:
        raise SystemExit(f"error: without any change these tests fail: {', '.join(plain.failed)}")
    print(f"{group}: the code as it is passes in {plain.seconds:.0f} s", flush=True)
    alive = []
    jobs = [Job(mutant, tests, SPARE + SLOWER * plain.seconds) for mutant in mutants]
    for mutant, outcome in zip(mutants, executor.map(judge, jobs), strict=True):
        print(f"  {mutant.name}: {verdict(outcome)}", flush=True)
        if not outcome.killed:
            alive.append(mutant)
    print(f"{group}: {len(mutants)} mutants, {len(mutants) - len(alive)} killed", flush=True)
    return alive


def verdict(outcome: Outcome) -> str:
    """Return what became of a mutant."""
    if outcome.timed_out:
        return "killed, as the tests do not end"
    return f"killed by {outcome.failed[0]}" if outcome.killed else "SURVIVED"


def run_generated(
    jobs: list[Job],
    executor: concurrent.futures.Executor,
    records: dict[str, dict[str, Any]],
    results: Path,
) -> None:
    """Do the jobs, and add each outcome to ``records`` and to the file of results."""
    futures = {executor.submit(judge, job): job.mutant for job in jobs}
    with open(results, "a", encoding="utf-8") as log:
        for number, future in enumerate(concurrent.futures.as_completed(futures), start=1):
            mutant, outcome = futures[future], future.result()
            assert mutant is not None
            by = "timeout" if outcome.timed_out else next(iter(outcome.failed), "")
            records[mutant.name] = {"name": mutant.name, "killed": outcome.killed, "by": by}
            log.write(json.dumps(records[mutant.name], ensure_ascii=False) + "\n")
            log.flush()
            print(f"{number}/{len(jobs)}  {mutant.name}: {verdict(outcome)}", flush=True)


def report(mutants: list[Mutant], records: dict[str, dict[str, Any]]) -> int:
    """Print the counts of each file and the survivors without an explanation; return 1 if there is one, else 0."""
    explained = explained_places()
    tried, killed = Counter[str](), Counter[str]()
    unexplained = []
    for mutant in mutants:
        tried[mutant.path] += 1
        killed[mutant.path] += records[mutant.name]["killed"]
        if not records[mutant.name]["killed"] and mutant.place not in explained:
            unexplained.append(mutant)
    for path, number in tried.items():
        print(f"{path:48}{number:6}{killed[path]:6}{killed[path] / number:8.1%}")
    alive = len(mutants) - killed.total()
    print(
        f"{len(mutants)} mutants, {killed.total()} killed ({killed.total() / len(mutants):.1%}), {alive} survived, "
        f"{len(unexplained)} of them without an explanation in {EXPLANATIONS.name}"
    )
    print(*(mutant.place for mutant in unexplained), sep="\n")
    return int(bool(unexplained))


def explanations() -> list[dict[str, Any]]:
    """Return the entries of survivors.toml: each has a ``reason`` and the places of the ``mutants`` it explains."""
    entries: list[dict[str, Any]] = tomllib.loads(EXPLANATIONS.read_text(encoding="utf-8"))["survivors"]
    return entries


def explained_places() -> set[str]:
    """Return the places of all mutants that survivors.toml explains."""
    return {place for entry in explanations() for place in entry["mutants"]}


def runs_of_tests(
    folders: list[str], executor: concurrent.futures.Executor, kept: Path
) -> dict[str, Outcome]:
    """Run each file of tests on the code as it is, and return what its tests execute; ``kept`` has earlier runs."""
    runs = (
        {name: Outcome(**run) for name, run in json.loads(kept.read_text()).items()} if kept.exists() else {}
    )
    files = [
        path.relative_to(ROOT).as_posix()
        for folder in folders
        for path in sorted((ROOT / folder).glob("test_*.py"))
    ]
    files = [name for name in files if name not in LEFT_OUT]
    missing = [name for name in files if name not in runs]
    print(f"running {len(missing)} files of tests on the code as it is", flush=True)
    outcomes = executor.map(judge, [Job(None, (name,), trace=True) for name in missing])
    for name, run in zip(missing, outcomes, strict=True):
        if run.failed:
            raise SystemExit(f"error: without any change these tests fail: {', '.join(run.failed)}")
        runs[name] = run
    kept.write_text(json.dumps({name: asdict(run) for name, run in runs.items()}, default=sorted))
    return {name: runs[name] for name in files}


def job_of(mutant: Mutant, runs: dict[str, Outcome]) -> Job:
    """Return the job of a generated mutant: the tests that may notice it."""
    tests = tests_that_may_notice(mutant, runs)
    limit = SPARE + SLOWER * time_of(tests, runs)
    return Job(mutant, tests, limit)


def time_of(tests: tuple[str, ...], runs: dict[str, Outcome]) -> float:
    """Return about how many seconds these tests take in one run, with imports, which their files share."""
    used = [runs[name] for name in {test.partition("::")[0] for test in tests}]
    around = max((run.seconds - sum(run.test_seconds.values()) for run in used), default=0.0)
    # On a busy machine, tests take longer by the clock than the processor time of the whole run.
    return max(0.0, around) + sum(run.test_seconds.get(test, 0.0) for run in used for test in tests)


def tests_that_may_notice(mutant: Mutant, runs: dict[str, Outcome]) -> tuple[str, ...]:
    """Return the tests of files that execute a line of the mutant, as many as fit into ``SECONDS``.

    First come those that belong to the mutant's file, then the others, and of both first those that execute the line
    themselves, then those that use the file, then the rest, each from the fastest on.  A test may notice a line that it
    does not execute: fixtures and caches keep what came of it.
    """
    own_tests = f"test_{Path(mutant.path).name}"
    found = []
    for run in runs.values():
        if any(touches(mutant, lines) for lines in run.lines.values()):
            for test, seconds in run.test_seconds.items():
                lines = run.lines.get(test, {})
                order = 0 if touches(mutant, lines) else 1 if mutant.path in lines else 2
                found.append((not test.partition("::")[0].endswith(own_tests), order, seconds, test))
    chosen: list[str] = []
    total = 0.0
    for *_, seconds, test in sorted(found):
        total += seconds
        if total > SECONDS and chosen:
            break
        chosen.append(test)
    return tuple(chosen)


def touches(mutant: Mutant, lines: Mapping[str, Collection[int]]) -> bool:
    """Return whether the lines of files include one of the mutant."""
    return not set(mutant.lines).isdisjoint(lines.get(mutant.path, ()))


def known_results(path: Path) -> dict[str, dict[str, Any]]:
    """Return the records of a file of results by the names of the mutants; none if there is no file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return {record["name"]: record for record in map(json.loads, lines)}


def without_survivors(records: dict[str, dict[str, Any]], mutants: list[Mutant]) -> dict[str, dict[str, Any]]:
    """Return the records of the mutants that were killed, or whose survival is explained."""
    explained = explained_places()
    settled = {mutant.name for mutant in mutants if mutant.place in explained}
    return {name: record for name, record in records.items() if record["killed"] or name in settled}


if __name__ == "__main__":
    sys.exit(main())
