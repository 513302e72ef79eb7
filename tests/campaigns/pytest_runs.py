"""Runs of pytest, each in a fork of a process that has already imported the large libraries."""

import contextlib
import importlib
import json
import os
import resource
import signal
import sys
import threading
import time
import traceback
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

LIBRARIES = ("numpy", "torch", "torch.distributed", "safetensors.torch", "hypothesis", "sacrebleu")
OPTIONS = (
    "-q",
    "--tb=no",
    "-p",
    "no:cacheprovider",
    "-p",
    "_hypothesis_pytestplugin",
    "-m",
    "not slow and not very_slow",
)
HYPOTHESIS = ("--hypothesis-profile", "quick", "--hypothesis-seed", "0")
MEMORY = 16 << 30  # bytes of address space; a mutant may ask for more and more


@dataclass(frozen=True)
class Outcome:
    """What a run of tests showed."""

    failed: list[str]  # names of the tests, or of files that could not be imported
    seconds: float
    timed_out: bool = False
    lines: dict[str, set[int]] = field(default_factory=dict)  # of each file, those that were executed

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
    """Run ``tests`` of the project in ``folder``, for at most ``seconds``; with ``first_only`` up to the first failure.

    With ``trace``, the outcome has the lines of the library that were executed.
    """
    tests = list(tests)
    if not tests:
        return Outcome([], 0)
    report = folder / "report.json"
    report.unlink(missing_ok=True)
    options = [
        *OPTIONS,
        *HYPOTHESIS,
        *(f"--ignore={name}" for name in left_out),
        f"--basetemp={folder / 'tmp'}",
    ]
    started = time.monotonic()
    child = os.fork()
    if child == 0:
        run_in_child(folder, [*options, *(["-x"] if first_only else []), *tests], report, trace)
    ended = waited(child, started + seconds)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child, signal.SIGKILL)  # also what the tests have started
    if not ended:
        os.waitpid(child, 0)
        return Outcome([], time.monotonic() - started, timed_out=True)
    if not report.exists():
        return Outcome(["a crash of the tests' process"], time.monotonic() - started)
    content = json.loads(report.read_text(encoding="utf-8"))
    lines = {name: set(numbers) for name, numbers in content["lines"].items()}
    return Outcome(content["failed"], time.monotonic() - started, lines=lines)


def waited(child: int, until: float) -> bool:
    """Wait for a process; return whether it ended in time."""
    while os.waitpid(child, os.WNOHANG) == (0, 0):
        if time.monotonic() > until:
            return False
        time.sleep(0.02)
    return True


def run_in_child(folder: Path, arguments: list[str], report: Path, trace: bool) -> None:
    """Run pytest and write the report.  Does not return."""
    try:
        os.setsid()
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
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
        lines = {name: sorted(numbers) for name, numbers in record.lines.items()}
        report.write_text(json.dumps({"failed": record.failed, "lines": lines}), encoding="utf-8")
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0)


class Record:
    """A plugin of pytest that notes the tests that fail, and the lines of the library that are executed."""

    def __init__(self, folder: Path, trace: bool) -> None:
        self.failed: list[str] = []
        self.lines: dict[str, set[int]] = {}
        self._folder, self._library = f"{folder}/", f"{folder}/src/transformer/"
        if trace:
            threading.settrace(self._enter)
            sys.settrace(self._enter)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed and report.nodeid not in self.failed:
            self.failed.append(report.nodeid)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.failed.append(report.nodeid)

    def _enter(self, frame: FrameType, event: str, argument: Any) -> Any:
        """Trace the lines of a function of the library, and no others."""
        name = frame.f_code.co_filename
        if not name.startswith(self._library):
            return None
        lines = self.lines.setdefault(name.removeprefix(self._folder), set())
        lines.add(frame.f_lineno)

        def note(frame: FrameType, event: str, argument: Any) -> Any:
            lines.add(frame.f_lineno)
            return note

        return note
