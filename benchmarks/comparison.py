"""Measure two programs in turn, so that other load on the machine slows both of them down."""

import argparse
import contextlib
import dataclasses
import multiprocessing
import os
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from transformer.common.malloc import malloc_environment


def with_our_malloc_settings() -> None:
    """Restart this script with the memory allocator of the rule `train`, which is chosen when a process starts."""
    if "LD_PRELOAD" not in os.environ and "GLIBC_TUNABLES" not in os.environ:
        os.environ.update(malloc_environment())
        os.execv(sys.executable, [sys.executable, *sys.argv])


@contextlib.contextmanager
def own_process(
    make: Callable[..., Callable[[], int]], *arguments: Any, our_malloc_settings: bool
) -> Iterator[Callable[[], "Turn"]]:
    """Start a process that calls ``make`` once.  Each call of the yielded function runs and measures its result."""
    environment = os.environ.copy()
    for name in ("LD_PRELOAD", "GLIBC_TUNABLES"):
        os.environ.pop(name, None)
    if our_malloc_settings:
        os.environ.update(malloc_environment())
    here, there = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=_serve, args=(there, make, arguments))
    process.start()
    os.environ.clear()
    os.environ.update(environment)

    def turn() -> Turn:
        here.send(True)
        measured: Turn = here.recv()
        return measured

    try:
        here.recv()  # wait until it is ready
        yield turn
    finally:
        process.kill()
        process.join()


def _serve(
    connection: Connection, make: Callable[..., Callable[[], int]], arguments: tuple[Any, ...]
) -> None:
    work = make(*arguments)
    connection.send(True)
    while connection.recv():
        connection.send(measure(work))


def argument_parser(description: str | None, data_required: bool = True) -> argparse.ArgumentParser:
    """Return a parser with the options that the benchmarks share."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--data",
        type=Path,
        required=data_required,
        help="folder of tokenized datasets, e.g. data/small/tokenized/en-de",
    )
    parser.add_argument("--threads", type=int, default=1, help="threads of each program (1)")
    parser.add_argument("--rounds", type=int, default=3, help="turns of each program (3)")
    return parser


@dataclasses.dataclass(frozen=True)
class Turn:
    """The measurements of one program in one turn."""

    tokens: int
    seconds: float
    cpu_seconds: float  # summed over its threads; on a shared machine, less than the elapsed time

    @property
    def speed(self) -> float:
        """Tokens a second."""
        return self.tokens / self.seconds

    @property
    def cpu_speed(self) -> float:
        """Tokens a second of processor time."""
        return self.tokens / self.cpu_seconds


def measure(work: Callable[[], int]) -> Turn:
    """Measure ``work``, which returns the number of tokens that it processed."""
    started, cpu_started = time.perf_counter(), time.process_time()
    tokens = work()
    return Turn(tokens, time.perf_counter() - started, time.process_time() - cpu_started)


def compare(plain: Callable[[], Turn], ours: Callable[[], Turn], rounds: int) -> None:
    """Run the two in turn and print tokens a second, by the clock and by processor time, for each round and as medians.

    The last ratio is the median of the rounds' ratios, because the two turns of a round ran under similar load.
    """
    print(f"{'':8} {'tokens/s':^28} {'tokens/s of processor time':^28}")
    print(f"{'':8}" + f"{'plain':>10} {'ours':>10} {'ratio':>7}" * 2, flush=True)
    rows = []
    for number in range(1, rounds + 1):
        p, o = plain(), ours()
        rows.append(
            (p.speed, o.speed, o.speed / p.speed, p.cpu_speed, o.cpu_speed, o.cpu_speed / p.cpu_speed)
        )
        _print_row(f"round {number}", rows[-1])
    _print_row("median", [statistics.median(column) for column in zip(*rows, strict=True)])


def _print_row(name: str, row: Sequence[float]) -> None:
    cells = (f"{plain:10,.0f} {ours:10,.0f} {ratio:6.1f}x" for plain, ours, ratio in (row[:3], row[3:]))
    print(f"{name:8}" + "".join(cells), flush=True)
