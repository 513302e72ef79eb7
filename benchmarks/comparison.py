"""Two programs in turn, in one process: what slows the machine down for a while slows down both."""

import argparse
import os
import statistics
import sys
from collections.abc import Callable
from pathlib import Path

# As in the rule `train` (workflow/rules/train.smk): large blocks are kept instead of being returned to the system.
GLIBC_TUNABLES = (
    "glibc.malloc.mmap_threshold=17179869184:glibc.malloc.trim_threshold=17179869184:glibc.malloc.hugetlb=1"
)


def with_our_malloc_settings() -> None:
    """Start this script again with the pipeline's malloc settings, for both programs; glibc reads them at the start."""
    if os.environ.get("GLIBC_TUNABLES") != GLIBC_TUNABLES:
        os.environ["GLIBC_TUNABLES"] = GLIBC_TUNABLES
        os.execv(sys.executable, [sys.executable, *sys.argv])


def argument_parser(description: str | None) -> argparse.ArgumentParser:
    """The options that the benchmarks share."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="folder of token stores, e.g. data/small/binary/en-de")
    parser.add_argument("--threads", type=int, default=1, help="of each program (1)")
    parser.add_argument("--rounds", type=int, default=3, help="turns of each program (3)")
    return parser


def compare(plain: Callable[[], float], ours: Callable[[], float], rounds: int) -> None:
    """Run the two in turn; each returns its tokens a second.  Prints every round, the medians and their ratio."""
    print(f"{'tokens/s':>8} {'plain':>10} {'ours':>10} {'ratio':>7}", flush=True)
    speeds = []
    for number in range(1, rounds + 1):
        speeds.append((plain(), ours()))
        _print_row(f"round {number}", *speeds[-1])
    _print_row("median", *(statistics.median(column) for column in zip(*speeds, strict=True)))


def _print_row(name: str, plain: float, ours: float) -> None:
    print(f"{name:>8} {plain:10,.0f} {ours:10,.0f} {ours / plain:6.1f}x", flush=True)
