"""Runs of pytest, each in a fork of a process that has already imported the large libraries."""

import contextlib
import importlib
import json
import math
import os
import resource
import signal
import sys
import threading
import time
import traceback
from collections.abc import Collection, Generator, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

LIBRARIES = ("numpy", "torch", "torch.distributed", "safetensors.torch", "hypothesis", "sacrebleu")
OPTIONS = (
    "-q --tb=no -p no:cacheprovider -p pytest_timeout -p _hypothesis_pytestplugin --hypothesis-seed 0".split()
)
WAIT = 20  # how much longer than its processor time a run may take by the clock
MEMORY = 16 << 30  # bytes of address space; a mutant may ask for more and more


@dataclass(frozen=True)
class Outcome:
    """What a run of tests showed."""

    failed: list[str]  # names of the tests, or of files that could not be imported
    seconds: float  # of processor time
    timed_out: bool = False
    # Of each test, its time by the clock, and the lines of each file that it executed.  The test "" stands for what
    # fixtures and imports execute, which all tests of a file may need.
    test_seconds: dict[str, float] = field(default_factory=dict)
    lines: Mapping[str, Mapping[str, Collection[int]]] = field(default_factory=dict)

    @property
    def killed(self) -> bool:
        """Whether the tests noticed that the code is a mutant."""
        return self.timed_out or bool(self.failed)


def prepare() -> None:
    """Import what all runs need; the library itself must be imported by each of them."""
    for name in LIBRARIES:
        importlib.import_module(name)
    assert "transformer" not in sys.modules


def run_tests(
    folder: Path,
    tests: Iterable[str],
    left_out: Iterable[str],
    *,
    seconds: float,
    first_only: bool,
    trace: bool,
) -> Outcome:
    """Run ``tests`` in ``folder``; with ``first_only``, up to the first failure.

    They may take ``seconds`` of processor time, so that a busy machine makes no difference, and by the clock WAIT times
    as much.  With ``trace``, the outcome has the lines of the library that each test executed.
    """
    tests = list(tests)
    if not tests:
        return Outcome([], 0)
    report = folder / "report.json"
    report.unlink(missing_ok=True)
    options = [
        *OPTIONS,
        *(f"--ignore={name}" for name in left_out),
        f"--basetemp={folder / 'tmp'}",
        *(["-x"] if first_only else []),
    ]
    child = os.fork()
    if child == 0:
        run_in_child(folder, [*options, *tests], report, math.ceil(seconds), trace)
    status, used = waited(child, time.monotonic() + WAIT * seconds)
    if status is None or (os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGXCPU):
        return Outcome([], used, timed_out=True)
    if not report.exists():
        return Outcome(["a crash of the tests' process"], used)
    content = json.loads(report.read_text(encoding="utf-8"))
    return Outcome(content["failed"], used, test_seconds=content["seconds"], lines=content["lines"])


def waited(child: int, until: float) -> tuple[int | None, float]:
    """Wait for a process, and end what it has started; return its status and its processor time in seconds.

    The status is None if the process has not ended in time.
    """
    process, status, usage = os.wait4(child, os.WNOHANG)
    while not process and time.monotonic() < until:
        time.sleep(0.02)
        process, status, usage = os.wait4(child, os.WNOHANG)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child, signal.SIGKILL)
    if not process:
        os.waitpid(child, 0)
    return status if process else None, usage.ru_utime + usage.ru_stime


def run_in_child(folder: Path, arguments: list[str], report: Path, seconds: int, trace: bool) -> None:
    """Run pytest and write the report.  Does not return."""
    try:
        os.setsid()
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
        with open(folder / "output.txt", "w") as output:
            for stream in (1, 2):
                os.dup2(output.fileno(), stream)
        os.chdir(folder)
        os.environ |= {
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",  # plugins of other packages, which take long to import
            "PYTHONPATH": str(folder / "src"),
            "PYTHONDONTWRITEBYTECODE": "1",
            "CUDA_VISIBLE_DEVICES": "",
        }
        sys.dont_write_bytecode = True
        sys.path.insert(0, str(folder / "src"))
        record = Record(folder, trace)
        status = pytest.main(arguments, [record])
        if status not in (
            pytest.ExitCode.OK,
            pytest.ExitCode.TESTS_FAILED,
            pytest.ExitCode.NO_TESTS_COLLECTED,
        ):
            record.failed.append(f"pytest, which ended with status {int(status)}")
        used = sys.modules.get("transformer")
        assert used is None or str(used.__file__).startswith(str(folder)), (
            "another copy of the library was tested"
        )
        content = {"failed": record.failed, "seconds": record.seconds, "lines": record.lines}
        report.write_text(json.dumps(content, default=sorted), encoding="utf-8")  # a set is no JSON
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0)


class Record:
    """A plugin of pytest that notes which tests fail, their times, and the lines of the library that they execute."""

    def __init__(self, folder: Path, trace: bool) -> None:
        self.failed: list[str] = []
        self.seconds: dict[str, float] = {}
        self.lines: dict[str, dict[str, set[int]]] = {}
        self._test = ""
        self._folder, self._library = f"{folder}/", f"{folder}/src/transformer/"
        if trace:
            threading.settrace(self._enter)
            sys.settrace(self._enter)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None]:
        self._test = item.nodeid
        try:
            return (yield)
        finally:
            self._test = ""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed and report.nodeid not in self.failed:
            self.failed.append(report.nodeid)
        if report.when == "call":
            self.seconds[report.nodeid] = report.duration

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.failed.append(report.nodeid)

    def _enter(self, frame: FrameType, event: str, argument: Any) -> Any:
        """Trace the lines of a function of the library, and no others."""
        name = frame.f_code.co_filename
        if not name.startswith(self._library):
            return None
        lines = self.lines.setdefault(self._test, {}).setdefault(name.removeprefix(self._folder), set())
        lines.add(frame.f_lineno)

        def note(frame: FrameType, event: str, argument: Any) -> Any:
            lines.add(frame.f_lineno)
            return note

        return note
