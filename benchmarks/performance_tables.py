"""The tables of `docs/notes/performance.md`, from the measurements of `compare_with_peers.py`.

    python benchmarks/performance_tables.py docs/notes/performance.csv

This writes the tables anew, from measurements made earlier.
"""

import argparse
import csv
import dataclasses
import statistics
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

PAGE = "performance.md"  # in the folder of the measurements
OURS = "ours"
OURS_PORTABLE = "ours, portable"  # the same with portable numerics, beside fp32
QUIET = 0.5  # mean number of running processes in the minute before the measurements
# OpenNMT-py and JoeyNMT were measured until 2026-11-25.
NAMES = {
    OURS: "this project", OURS_PORTABLE: "this project, portable numerics", "fairseq": "fairseq",
    "transformers": "Hugging Face transformers", "opennmt-py": "OpenNMT-py", "joeynmt": "JoeyNMT",
    "ctranslate2": "CTranslate2",
}  # fmt: skip


@dataclasses.dataclass(frozen=True)
class Row:
    """A line of the CSV file: one program's turn, or a fact about the run."""

    measurement: str  # training, decoding, peak, work, run or failure
    shape: str = ""
    precision: str = ""
    threads: int | str = ""
    program: str = ""
    version: str = ""
    round: int | str = ""  # of a failure, the task
    value: str = ""
    unit: str = ""
    by_processor_time: str = ""  # the value, if the time is the processor's

    @property
    def place(self) -> tuple[str, str, str]:
        return self.shape, self.precision, str(self.threads)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("csv", type=Path)
    path = parser.parse_args().csv
    with open(path, encoding="utf-8", newline="") as file:
        rows = [Row(**row) for row in csv.DictReader(file)]
    write_into(path.with_name(PAGE), path.name, rows)


def write_csv(rows: Sequence[Row], path: Path) -> None:
    """Write the measurements."""
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, [field.name for field in dataclasses.fields(Row)], lineterminator="\n")
        writer.writeheader()
        writer.writerows(map(dataclasses.asdict, rows))


def marks(name: str) -> tuple[str, str]:
    """Return the lines between which the tables of the measurements ``name`` stand."""
    return f"<!-- {name}: begin -->", f"<!-- {name}: end -->"


def write_into(page: Path, name: str, rows: Sequence[Row]) -> None:
    """Replace what is between the two marks of ``name`` in a Markdown file by the tables.

    Raises ValueError without the marks.
    """
    first, last = marks(name)
    before, begin, rest = page.read_text(encoding="utf-8").partition(first)
    _, end, after = rest.partition(last)
    if not begin or not end:
        raise ValueError(f"{page} has no marks {first} and {last}")
    page.write_text(f"{before}{begin}\n\n{tables(rows)}\n{end}{after}", encoding="utf-8")


def tables(rows: Sequence[Row]) -> str:
    """Return all tables as Markdown."""
    run = {row.program: row.value for row in rows if row.measurement == "run"}
    versions = {row.program: row.version for row in rows if row.version and not row.program.startswith(OURS)}
    minutes = f", {run['minutes']} minutes in all" if "minutes" in run else ""
    parts = [
        f"{run['CPU']}, {run['instructions']}, {run['cores']} cores, load {run['load before']} before the start; "
        f"{run['date']}, commit {run['commit']}, torch {run['torch']}{minutes}. "
        + "Versions: " + ", ".join(f"{NAMES[name]} {version}" for name, version in versions.items()) + "."
    ]  # fmt: skip
    if float(run["load before"]) > QUIET:
        parts.append("**Other programs ran at the same time, so these figures are only a rehearsal.**")
    for task, title in (("training", "Training"), ("decoding", "Beam search")):
        parts += speed_tables([row for row in rows if row.measurement == task], title)
    parts += utilisation_table(rows) + failures(rows)
    return "\n\n".join(parts) + "\n"


def speed_tables(rows: Sequence[Row], title: str) -> list[str]:
    """Return a table for each number of threads: the speed of each program in each shape and precision."""
    parts = []
    for threads in sorted({str(row.threads) for row in rows}):
        speeds = by_place([row for row in rows if str(row.threads) == threads])
        places = sorted({place for _, place in speeds}, key=lambda place: (place[0] != "tiny", column(place)))
        programs = sorted({name for name, _ in speeds}, key=list(NAMES).index)
        parts += [f"### {title}, tokens a second, {count_of(threads)}"]
        parts += [
            markdown(
                ["", *map(column, places)],
                [[NAMES[name], *(cell(speeds, name, place) for place in places)] for name in programs],
            )
        ]
    return parts


def cell(
    speeds: dict[tuple[str, tuple[str, str, str]], list[float]], name: str, place: tuple[str, str, str]
) -> str:
    """Return a median with its range, and how the program compares with ours in the same rounds."""
    values, ours = speeds.get((name, place)), speeds.get((OURS, place))
    if not values:
        return "–"
    text = f"{statistics.median(values):,.0f} ({min(values):,.0f}–{max(values):,.0f})"
    if name != OURS and ours:
        text += f", {statistics.median(a / b for a, b in zip(values, ours, strict=True)):.0%}"
    return text


def utilisation_table(rows: Sequence[Row]) -> list[str]:
    """Return the share of the processor's peak that each program's training reaches."""
    work = {row.shape: float(row.value) for row in rows if row.measurement == "work"}
    peaks = by_place([row for row in rows if row.measurement == "peak"])
    training = by_place([row for row in rows if row.measurement == "training"])
    programs = sorted({name for name, _ in training}, key=list(NAMES).index)
    lines = []
    for place in sorted({place for _, place in training}, key=lambda place: (place[2], place[1], place[0])):
        shape, precision, threads = place
        rates = {
            name: statistics.median(values)
            for (name, at), values in peaks.items()
            if at == ("", precision, threads)
        }
        shares = [
            f"{statistics.median(training[name, place]) * work[shape] / 1e9 / max(rates.values()):.0%}"
            if (name, place) in training
            else "–"
            for name in programs
        ]
        peak = ", ".join(f"{name} {rate:,.0f}" for name, rate in rates.items())
        lines.append([f"{count_of(threads)}, {shape}, {precision}", peak, *shares])
    if not lines:
        return []
    header = ["", "matrix products, GFLOP/s", *(NAMES[name] for name in programs)]
    return ["### Training, share of the processor's rate of matrix products", markdown(header, lines)]


def failures(rows: Sequence[Row]) -> list[str]:
    """Return what was not measured, and why."""
    found: dict[tuple[str, str], list[str]] = defaultdict(list)
    for row in rows:
        if row.measurement == "failure":
            case = (
                f"{row.round}, {row.shape}, {row.precision}, {count_of(str(row.threads))}"
                if row.shape
                else "all"
            )
            found[row.program, row.value].append(case)
    lines = [f"- {NAMES[name]} ({'; '.join(where)}): `{reason}`" for (name, reason), where in found.items()]
    return ["### Not measured", "\n".join(lines)] if lines else []


def by_place(rows: Iterable[Row]) -> dict[tuple[str, tuple[str, str, str]], list[float]]:
    """Return the values of each program at each shape, precision and number of threads, in the order of the rounds.

    Those of one thread are by processor time, which other programs on the machine disturb less than the clock's.
    """
    values: dict[tuple[str, tuple[str, str, str]], list[float]] = defaultdict(list)
    for row in rows:
        values[row.program, row.place].append(
            float(row.by_processor_time if str(row.threads) == "1" and row.by_processor_time else row.value)
        )
    return values


def column(place: tuple[str, str, str]) -> str:
    shape, precision, _ = place
    return f"{shape}, {precision}"


def count_of(threads: str) -> str:
    return {"1": "one thread", "2": "two threads"}.get(threads, f"{threads} threads")


def markdown(header: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    return "\n".join(f"| {' | '.join(line)} |" for line in (header, ["---"] * len(header), *lines))


if __name__ == "__main__":
    main()
