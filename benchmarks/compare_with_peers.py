"""Measure how fast this project and other programs train and translate, on the CPU and with the same work.

    python benchmarks/compare_with_peers.py --output docs/notes/performance.csv

The other programs are installed into environments of their own (``--environments``), at the first start.  The results
are written to the CSV file, and as tables into `performance.md` beside it, between two marks with the file's name.

    python benchmarks/compare_with_peers.py --only base-bf16 --rounds 1

This prints a part of the measurements; with ``--output``, it would write only this part.
"""

import argparse
import contextlib
import dataclasses
import datetime
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from peer_environments import NotInstalled, environment
from peer_workload import MIXED, SHAPES, flops_per_token, make_workload, write_workload
from performance_tables import OURS, OURS_PORTABLE, PAGE, Row, marks, tables, write_csv, write_into

from transformer.common.errors import UserError, run_script
from transformer.common.malloc import malloc_environment
from transformer.common.portable import portable_environment
from transformer.model.arithmetic import resolve_numerics
from transformer.model.device import device_name

ROOT = Path(__file__).parents[1]
# Other programs: the name of their requirements, and of their adapter in peers/.
PEERS = {
    "fairseq": "with_fairseq.py",
    "transformers": "with_transformers.py",
    "ctranslate2": "with_ctranslate2.py",
}
TRAIN = ("fairseq", "transformers")
DECODE = ("fairseq", "transformers", "ctranslate2")
ONE_THREAD_WORKERS = ("fp32, one thread a worker", "int8, one thread a worker")


@dataclasses.dataclass(frozen=True)
class Case:
    """One measurement, for which some programs take turns."""

    task: str  # training or decoding
    shape: str
    precision: str
    threads: int
    programs: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.task}-{self.shape}-{self.precision}-{self.threads}"


class Failed(Exception):
    """Raised when a program cannot do what is asked."""


class Program:
    """A process that measures one program."""

    def __init__(self, name: str, python: Path, log: Path) -> None:
        self.name = name
        self.log = log
        adapter = ROOT / "benchmarks" / "peers" / PEERS.get(name, "ours.py")
        variables = {
            **os.environ,
            **malloc_environment(),
            "HF_HUB_OFFLINE": "1",
            "PYTHONPATH": "" if name in PEERS else str(ROOT / "src"),
            **(portable_environment() if name == OURS_PORTABLE else {}),
        }
        with open(log, "wb") as messages:
            self.process = subprocess.Popen(
                [python, adapter], env=variables, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                stderr=messages,
            )  # fmt: skip

    def ask(self, **request: Any) -> dict[str, Any]:
        """Send a request and return the answer.  Raises Failed."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        try:
            print(json.dumps(request), file=self.process.stdin, flush=True)
            answer: dict[str, Any] = json.loads(self.process.stdout.readline())
        except (OSError, ValueError):
            last = self.log.read_text(encoding="utf-8", errors="replace").strip().splitlines()[-1:]
            raise Failed("".join(last) or "it ended") from None
        if "error" in answer:
            raise Failed(answer["error"])
        return answer

    def close(self) -> None:
        self.process.kill()
        self.process.wait()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--output", type=Path, help=f"CSV file; beside it is {PAGE} with the marks for the tables"
    )
    parser.add_argument(
        "--only", nargs="+", default=[], help="measure cases with one of these texts in their name"
    )
    parser.add_argument("--programs", nargs="+", choices=PEERS, default=list(PEERS), help="beside ours (all)")
    parser.add_argument("--rounds", type=int, default=3, help="turns of each program in a case (3)")
    parser.add_argument(
        "--seconds", type=float, default=1, help="length of a turn, which has at least one step (1)"
    )
    parser.add_argument(
        "--threads", nargs="+", type=int, default=[n for n in (1, 2) if n <= (os.cpu_count() or 1)]
    )
    parser.add_argument("--environments", type=Path, default=ROOT / ".venv-peers", help="(.venv-peers)")
    arguments = parser.parse_args()
    if arguments.output:
        page = arguments.output.with_name(PAGE)
        begin, _ = marks(arguments.output.name)
        if not page.exists() or begin not in page.read_text(encoding="utf-8"):
            raise UserError(f"{page} has no line {begin}; the tables are written after it")
    pythons, rows = {}, []
    for name in arguments.programs:
        try:
            pythons[name] = environment(name, arguments.environments)
        except NotInstalled as error:
            rows.append(Row("failure", program=name, value=str(error)))
    rows += measure(arguments, pythons)
    if arguments.output:
        write_csv(rows, arguments.output)
        write_into(page, arguments.output.name, rows)
    else:
        print(tables(rows))


def measure(arguments: argparse.Namespace, pythons: dict[str, Path]) -> list[Row]:
    """Measure all cases."""
    started = time.monotonic()
    rows = [Row("run", program=name, value=value) for name, value in machine().items()]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for shape, size in SHAPES.items():
            workload = make_workload(size, mixed=shape == MIXED)
            write_workload(workload, folder / shape)
            rows.append(Row("work", shape, value=f"{flops_per_token(size, workload):.0f}", unit="FLOP/token"))
        chosen = [case for case in cases(arguments.threads) if wanted(str(case), arguments.only)]
        for case in chosen:
            print(f"{time.monotonic() - started:5.0f} s  {case}", flush=True)
            # In processes of its own: an earlier case may have made a program slower.
            with programs_of(case, pythons, folder) as programs:
                rows += measure_case(case, programs, folder / case.shape, arguments.rounds, arguments.seconds)
    rows.append(Row("run", program="minutes", value=f"{(time.monotonic() - started) / 60:.1f}"))
    return rows


@contextlib.contextmanager
def programs_of(case: Case, pythons: dict[str, Path], folder: Path) -> Iterator[dict[str, Program]]:
    """Start the programs of a case, and ours, which measures the processor."""
    with contextlib.ExitStack() as stack:
        programs = {}
        for name, python in {**dict.fromkeys((OURS, OURS_PORTABLE), Path(sys.executable)), **pythons}.items():
            if name == OURS or name in case.programs:
                programs[name] = Program(name, python, folder / f"{name}.log")
                stack.callback(programs[name].close)
        yield programs


def wanted(name: str, only: list[str]) -> bool:
    """Return whether ``--only`` asks for the measurement of this name; without it, all are wanted."""
    return not only or any(text in name for text in only)


def cases(threads: list[int]) -> Iterator[Case]:
    """Yield the measurements.  Formats that this processor only emulates are left out."""
    bf16 = resolve_numerics("fast", torch.device("cpu")) == "bf16"
    for count in sorted(threads, reverse=True):
        for precision in ("bf16", "fp32") if bf16 else ("fp32",):
            ours = (OURS, OURS_PORTABLE) if precision == "fp32" else (OURS,)
            for shape in ("tiny", "base"):
                yield Case("training", shape, precision, count, (*ours, *TRAIN))
            for shape in ("base", MIXED):
                yield Case("decoding", shape, precision, count, (*ours, *DECODE))
        for shape in ("base", MIXED):
            for precision in ("int8", *(ONE_THREAD_WORKERS if count > 1 else ())):
                yield Case("decoding", shape, precision, count, ("ctranslate2",))


def measure_case(
    case: Case, programs: dict[str, Program], workload: Path, rounds: int, seconds: float
) -> list[Row]:
    """Let the programs of a case take turns, and measure the rate of matrix products in each round."""
    rows, ready = [], {}
    shape = dataclasses.asdict(SHAPES[case.shape])
    place = (case.shape, case.precision, case.threads)
    for name in case.programs:
        if name in programs:
            try:
                precision = "portable" if name == OURS_PORTABLE else case.precision
                ready[name] = programs[name].ask(
                    do="prepare", task=case.task, shape=shape, precision=precision, threads=case.threads,
                    workload=str(workload), warm_up=seconds / 2,
                )["version"]  # fmt: skip
            except Failed as failure:
                rows.append(Row("failure", *place, name, "", case.task, value=str(failure)))
    for number in range(1, rounds + 1):
        if case.precision in ("fp32", "bf16"):
            peaks = programs[OURS].ask(do="peak", precision=case.precision, threads=case.threads)["rates"]
            for name, rates in peaks.items():
                by_clock, by_processor = (f"{rate / 1e9:.1f}" for rate in rates)
                rows.append(Row("peak", "", *place[1:], name, "", number, by_clock, "GFLOP/s", by_processor))
        for name, version in ready.items():
            turn = programs[name].ask(do="turn", seconds=seconds)
            speed, by_processor = turn["tokens"] / turn["seconds"], turn["tokens"] / turn["cpu_seconds"]
            rows.append(
                Row(
                    case.task,
                    *place,
                    name,
                    version,
                    number,
                    f"{speed:.1f}",
                    "tokens/s",
                    f"{by_processor:.1f}",
                )
            )
            print(f"    {number} {name:14} {speed:9,.0f} {by_processor:9,.0f} a processor second", flush=True)
    return rows


def machine() -> dict[str, str]:
    """Return what a reader must know about this run."""
    git = ["git", "-C", str(ROOT)]
    commit = subprocess.run(
        [*git, "rev-parse", "--short", "HEAD"], capture_output=True, text=True
    ).stdout.strip()
    changed = subprocess.run(
        [*git, "status", "--porcelain", "--", "src"], capture_output=True, text=True
    ).stdout
    return {
        "CPU": device_name(torch.device("cpu")),
        "instructions": torch.backends.cpu.get_cpu_capability(),
        "cores": str(os.cpu_count()),
        "load before": f"{os.getloadavg()[0]:.1f}",
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "torch": torch.__version__,
        "commit": commit + (" with changes" if changed else ""),
    }


if __name__ == "__main__":
    run_script(main)
