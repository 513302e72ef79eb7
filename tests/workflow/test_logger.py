"""The logger `attention`: what it says of each event, and the bars on a terminal."""

import contextlib
import logging
import os
import pty
import re
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from snakemake.logging import DefaultFormatter
from snakemake_interface_logger_plugins.common import LogEvent

from snakemake_logger_plugin_attention import LogHandler, LogHandlerSettings
from snakemake_logger_plugin_attention.build import Build

HALF = (
    "progress: 9%  165/1,800 steps, 16.5/s, 0:01:39 left, loss 5.614\n"
    "step 400  epoch 0  loss 3.28678  seconds 23.8\n"
    "progress: 50%  900/1,800 steps, 18.0/s, 0:00:50 left, loss 2.447\n"
)
LAST = "50%  900/1,800 steps, 18.0/s, 0:00:50 left, loss 2.447"


def record(event: LogEvent | None = None, message: str = "", level: int = logging.INFO, **extra: Any) -> Any:
    made = logging.makeLogRecord({"msg": message, "levelno": level, "levelname": logging.getLevelName(level)})
    vars(made).update(extra, **({"event": event} if event else {}))
    return made


def job_info(number: int, rule: str, log: Path | str = "some.log", **wildcards: str) -> Any:
    names: dict[str, Any] = {"jobid": number, "rule_name": rule, "wildcards": wildcards, "log": [str(log)]}
    return record(LogEvent.JOB_INFO, **names)


def training(number: int, log: Path | str) -> Any:
    return job_info(number, "train", log, run="base", source="en", target="de")


def begin(build: Build, jobs: int) -> None:
    for event in (
        record(LogEvent.WORKFLOW_STARTED),
        record(LogEvent.RUN_INFO, stats={"train": jobs, "total": jobs}),
    ):
        list(build.lines(event))


@pytest.fixture
def build() -> Build:
    return Build(plain=logging.Formatter().format)


def test_in_a_log_a_training_says_after_each_tenth_how_far_it_is(build: Build, tmp_path: Path) -> None:
    log = tmp_path / "en-de.log"
    begin(build, 1)
    list(build.lines(training(1, log)))
    log.write_text(HALF.splitlines(keepends=True)[0])
    assert list(build.news(with_progress=True)) == []
    log.write_text(HALF)
    (line,) = build.news(with_progress=True)
    assert LAST in line
    assert list(build.news(with_progress=True)) == []  # no further than before


def test_what_a_job_notes_in_its_log_is_said_once(build: Build, tmp_path: Path) -> None:
    log = tmp_path / "en-de.log"
    log.write_text("note: of an earlier run\n")
    os.utime(log, (0, 0))
    begin(build, 1)
    list(build.lines(job_info(1, "clean", log, pair="en-de", split="train")))
    assert list(build.news(with_progress=False)) == []
    log.write_text("reading\nnote: half of it is dr")
    assert list(build.news(with_progress=False)) == []
    with log.open("a") as file:
        file.write("opped\n")
    assert list(build.news(with_progress=False)) == ["clean en-de train: note: half of it is dropped"]
    with log.open("a") as file:
        file.write("note: done\n")
    said = list(build.lines(record(LogEvent.JOB_FINISHED, job_id=1)))
    assert said[0] == "clean en-de train: note: done"
    assert len(said) == 2


def test_ctrl_c_is_no_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The jobs get it, too: their logs end in tracebacks, and Snakemake reports them as failed."""
    before = signal.getsignal(signal.SIGINT)
    log = tmp_path / "log"
    try:
        with (
            open(tmp_path / "said", "w", encoding="utf-8") as file,
            handler(file, monkeypatch) as made,
        ):
            made.emit(record(LogEvent.WORKFLOW_STARTED))
            made.emit(record(LogEvent.RUN_INFO, stats={"train": 1, "total": 1}))
            made.emit(training(1, log))
            with pytest.raises(KeyboardInterrupt):
                signal.raise_signal(signal.SIGINT)
            log.write_text("Traceback (most recent call last):\nKeyboardInterrupt\n")
            made.emit(record(None, "Terminating processes on user request, this might take some time."))
            made.emit(failure(log))
            made.emit(
                record(LogEvent.ERROR, "CalledProcessError: died with <Signals.SIGINT: 2>", logging.ERROR)
            )
            made.close()
    finally:
        signal.signal(signal.SIGINT, before)
    said = (tmp_path / "said").read_text()
    assert "FAILED" not in said
    assert "Traceback" not in said
    assert "wrong" not in said
    assert "interrupted after 0 of 1 jobs; the same command continues" in said


def test_what_a_job_shows_stands_below_its_line(build: Build, tmp_path: Path) -> None:
    log = tmp_path / "bleu.log"
    log.write_text("shown: BLEU 81.3\n1000 sentences\nshown: reference  Der Hund\n")
    begin(build, 1)
    list(build.lines(job_info(1, "score_bleu", log, run="base", source="en", target="de")))
    assert list(build.news(with_progress=False)) == []
    said = list(build.lines(record(LogEvent.JOB_FINISHED, job_id=1)))
    assert "score_bleu base en-de" in said[0]
    assert said[1:] == ["    BLEU 81.3", "    reference  Der Hund"]


def test_a_job_that_succeeds_at_its_second_try_has_not_failed(build: Build, tmp_path: Path) -> None:
    begin(build, 1)
    failure: dict[str, Any] = {"rule_name": "train", "jobid": 1, "log": [], "aux": {}}
    for event in (
        training(1, tmp_path / "log"),
        record(LogEvent.JOB_ERROR, level=logging.ERROR, **failure),
        training(1, tmp_path / "log"),
        record(LogEvent.JOB_FINISHED, job_id=1),
    ):
        list(build.lines(event))
    assert next(build.ending()).startswith("1 of 1 jobs done in 0:00:00.")


def failure(log: Path, **more: Any) -> Any:
    names: dict[str, Any] = {"rule_name": "train", "jobid": 1, "log": [str(log)], "aux": {}}
    return record(LogEvent.JOB_ERROR, level=logging.ERROR, **names, **more)


def test_a_job_that_slurm_refuses_is_shown_with_its_reason_and_not_with_an_earlier_log(
    build: Build, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    log.write_text("the end of an earlier, successful build\n")
    os.utime(log, (0, 0))
    begin(build, 1)
    list(build.lines(training(1, log)))
    reason = "SLURM sbatch failed. The error message was 'invalid partition'."
    line, *told = build.lines(failure(log, rule_msg=f"{reason}\n    sbatch call:\n        sbatch --x"))
    assert "FAILED" in line
    assert told == [f"    {reason}"]


@pytest.mark.parametrize(
    ("text", "killed"), [("error: x\n", False), ("ValueError: x\n", False), ("5%\n", True)]
)
def test_a_job_that_names_no_error_may_have_been_killed(
    build: Build, tmp_path: Path, text: str, killed: bool
) -> None:
    log = tmp_path / "log"
    begin(build, 1)
    list(build.lines(training(1, log)))
    log.write_text(text)
    _, *told = build.lines(failure(log))
    assert told[0] == f"    the last lines of {log}:"
    assert ("memory may have run out" in told[-1]) == killed
    assert next(build.ending()).startswith(f"failed: train base en-de ({log}).")


def test_a_build_that_has_nothing_to_do_says_so_unless_the_snakefile_refuses_it(build: Build) -> None:
    list(build.lines(record(LogEvent.WORKFLOW_STARTED)))
    assert [*build.ending()] == ["nothing to be done: what you asked for is up to date"]
    begin(build, 1)  # the Snakefile may still refuse it, in one line of its own
    assert list(build.ending()) == []


def test_other_errors_and_warnings_are_shown_in_full(build: Build) -> None:
    begin(build, 1)
    error = "MissingOutputException in rule clean:\nJob completed, but files are missing"
    told = build.lines(record(LogEvent.ERROR, error, logging.ERROR, exception="MissingOutputException"))
    assert list(told) == error.splitlines()
    assert list(build.lines(record(None, "the disk is full", logging.WARNING))) == ["the disk is full"]
    assert list(build.lines(record(None, "Select jobs to execute..."))) == []


def test_without_a_build_what_snakemake_says_is_the_result(build: Build) -> None:
    """As of --lint and --unlock."""
    assert list(build.lines(record(None, "Unlocked working directory."))) == []
    assert [*build.ending()] == ["Unlocked working directory."]


def test_what_follows_a_failed_job_is_not_told_twice(build: Build, tmp_path: Path) -> None:
    begin(build, 1)
    list(build.lines(training(1, tmp_path / "log")))
    command = record(LogEvent.ERROR, "Command 'x' failed", logging.ERROR, exception="CalledProcessError")
    assert list(build.lines(command)) == []
    assert list(build.lines(failure(tmp_path / "log")))
    last = record(LogEvent.ERROR, "At least one job failed", logging.ERROR, exception="WorkflowError")
    assert list(build.lines(last)) == []
    assert list(build.lines(record(None, "Exiting because a job failed", logging.ERROR))) == []


COMMON = {
    "printshellcmds": True, "nocolor": False, "quiet": None, "debug_dag": False, "verbose": False,
    "show_failed_logs": True, "stdout": False, "dryrun": False,
}  # fmt: skip


@contextlib.contextmanager
def handler(
    stream: Any, monkeypatch: pytest.MonkeyPatch, full: bool = False, **common: Any
) -> Iterator[LogHandler]:
    monkeypatch.setattr("sys.stderr", stream)
    made = LogHandler(SimpleNamespace(**COMMON | common), LogHandlerSettings(full=full))  # type: ignore[arg-type]
    made.setFormatter(DefaultFormatter())  # as Snakemake does
    try:
        yield made
    finally:
        made.close()


def run(made: LogHandler, log: Path) -> None:
    """Let a handler see a run with one training, which is at its half for two seconds."""
    made.emit(record(LogEvent.WORKFLOW_STARTED))
    made.emit(record(LogEvent.RUN_INFO, stats={"train": 1, "total": 1}))
    made.emit(record(None, "Trainings: base en-de.", local=True))
    made.emit(training(1, log))
    log.write_text(HALF)
    time.sleep(2)
    made.emit(record(LogEvent.JOB_FINISHED, job_id=1))
    made.emit(record(None, "Table 2\nresults/table2.tex", result=True))


def on_a_terminal(log: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return what a run writes to a pseudo-terminal."""
    reading, writing = pty.openpty()
    with open(writing, "w", encoding="utf-8") as terminal, handler(terminal, monkeypatch) as made:
        run(made, log)
        made.close()
    parts = []
    with contextlib.suppress(OSError):  # its end
        while part := os.read(reading, 65536):
            parts.append(part)
    os.close(reading)
    return b"".join(parts).decode().replace("\r\n", "\n")


def test_on_a_terminal_a_training_has_a_bar(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    said = on_a_terminal(tmp_path / "en-de.log", monkeypatch)
    assert re.search(r"train base en-de +━{9,10}╸? +50%  900/1,800 steps, 18.0", said)
    assert re.search(r"all +0 of 1 jobs", said)
    *_, last = said.split("\x1b[2K")  # the bars are drawn again in their place
    assert "━" not in last  # and are gone in the end
    assert last.endswith("Table 2\nresults/table2.tex\n")


def test_a_log_and_a_terminal_that_can_only_write_have_no_bars_and_no_colours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    with open(tmp_path / "said", "w", encoding="utf-8") as file, handler(file, monkeypatch) as made:
        run(made, tmp_path / "en-de.log")
        made.close()
    monkeypatch.setenv("TERM", "dumb")
    for said in (on_a_terminal(tmp_path / "en-de.log", monkeypatch), (tmp_path / "said").read_text()):
        assert "\x1b" not in said
        assert "━" not in said
        assert said.endswith("Table 2\nresults/table2.tex\n")


@pytest.mark.parametrize(
    "options", [{"dryrun": True}, {"quiet": {"progress"}}, {"verbose": True}, {"full": True}]
)
def test_on_request_snakemake_speaks_for_itself(
    options: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (
        open(tmp_path / "said", "w", encoding="utf-8") as file,
        handler(file, monkeypatch, **options) as made,
    ):
        made.emit(record(None, "Select jobs to execute..."))
        made.emit(record(LogEvent.PROGRESS, done=1, total=2))
    said = (tmp_path / "said").read_text()
    assert said.splitlines()[0] == "Select jobs to execute..."
    assert "1 of 2 steps (50%) done" in said
