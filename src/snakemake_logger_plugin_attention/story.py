"""What a build says: a line for each job that has ended, and more for a training.

Programs say what the user is to know by lines in their logs (transformer/common/notes.py and progress.py): ``note: …``
at once, ``shown: …`` below the line of the job, ``progress: 41%  …`` how far a training is.
"""

import difflib
import itertools
import os
import sys
import textwrap
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from logging import WARNING, LogRecord
from pathlib import Path
from typing import Any

# What can be asked for by name; workflow/rules/report.smk sets it.
TARGETS: list[str] = []

WIDTH = 100  # columns of text that is wrapped
LOG_LINES = 12  # of a failed job
LINE_EVERY = 60  # seconds between two lines about a training, at least; and it has gone on by a tenth
TICK = 0.05  # seconds by which a file's time may be behind the clock; Linux counts it in ticks of up to 10 ms
# Exceptions that repeat that a job has failed, of which its own event says more.
REPEATED = ("CalledProcessError", "RuleException", "WorkflowError")


@dataclass
class Job:
    """A job that has started, and what its log has said so far."""

    name: str
    started: float
    log: Path | None
    is_training: bool
    read: int = 0  # bytes of the log
    share: float = 0  # of a training, 0 to 1
    about: str = ""
    shown: list[str] = field(default_factory=list)
    told: tuple[float, float] = (0, 0)  # when a line about it was written last, and its share then

    def notes(self) -> Iterator[str]:
        """Read what has been added to the log, keep what it says of the job, and yield its notes."""
        if self.log is None or not is_new(self.log, self.started):
            return
        with self.log.open("rb") as file:
            file.seek(self.read)
            whole, newline, _ = file.read().rpartition(b"\n")
        self.read += len(whole) + len(newline)
        for line in whole.decode("utf-8", errors="replace").splitlines():
            kind, _, text = line.partition(": ")
            if kind == "note":
                yield f"{self.name}: {line}"
            elif kind == "shown":
                self.shown.append(text)
            elif kind == "progress":
                self.about, percent = text, text.partition("%")[0]
                self.share = int(percent) / 100 if percent.isdecimal() else 0


class Story:
    """Turns the records of one build into lines.

    ``plain`` is Snakemake's own text of a record, for those that this class does not shorten.
    """

    def __init__(self, plain: Callable[[LogRecord], str]) -> None:
        self.plain = plain
        self.began: float | None = None
        self.is_local = True  # whether jobs run on this machine
        self.before: list[str] = []  # what was said before the build, or without one, as by --lint
        self.running: dict[int, Job] = {}
        self.total = self.done = 0
        self.failed: dict[int, str] = {}  # number of the job → its name and log
        self.erred = False  # whether something else than a job has failed
        self.interrupted = False  # by Ctrl-C, which ends the jobs, too
        self.result = ""
        self.noted: set[str] = set()

    def lines(self, record: LogRecord) -> Iterator[str]:
        """Yield the lines that a record is worth."""
        handler = getattr(self, f"_on_{getattr(record, 'event', None) or 'message'}", None)
        if handler is not None:
            yield from handler(record)
        elif record.levelno >= WARNING:
            yield from self.plain(record).splitlines()

    def _on_workflow_started(self, record: Any) -> Iterator[str]:
        self.began = record.created
        yield from ()

    def _on_run_info(self, record: Any) -> Iterator[str]:
        """The number of jobs by rule, in the order of the work."""
        self.total = record.stats["total"]
        rules = ", ".join(f"{count} {rule}" for rule, count in record.stats.items() if rule != "total")
        yield from wrapped(f"{self.total} {'job' if self.total == 1 else 'jobs'}: {rules}")

    def _on_job_info(self, record: Any) -> Iterator[str]:
        values = dict(record.wildcards)
        if {"source", "target"} <= values.keys():
            values["source"] += f"-{values.pop('target')}"
        name = " ".join(filter(None, [record.rule_name, *values.values()]))
        log = Path(record.log[0]) if record.log else None
        job = Job(name, record.created, log, record.rule_name == "train")
        self.running[record.jobid] = job
        again = self.failed.pop(record.jobid, None) is not None  # Snakemake tries it again
        if job.is_training or again:
            job.told = record.created, 0
            yield self._line(record.created, name, f"started{' again' if again else ''}; log: {log}")

    def _on_job_finished(self, record: Any) -> Iterator[str]:
        job = self.running.pop(record.job_id, None)
        self.done += 1
        if job is not None:
            yield from self._new(job.notes())
            took = clock(record.created - job.started) + (
                f", {job.about}" if job.is_training and job.about else ""
            )
            yield self._line(record.created, job.name, took, f"{self.done}/{self.total}")
            yield from (f"    {line}" for line in job.shown)

    def _on_job_error(self, record: Any) -> Iterator[str]:
        job = self.running.pop(record.jobid, None)
        name = job.name if job else record.rule_name
        after = f" after {clock(record.created - job.started)}" if job else ""
        if self.interrupted:
            yield self._line(record.created, name, f"stopped{after}")
            return
        # A job that was never started, as when SLURM refuses it, has the log of an earlier build, if any.
        logs = [Path(log) for log in record.log if not job or is_new(Path(log), job.started)]
        self.failed[record.jobid] = f"{name} ({logs[0]})" if logs else name
        # What a cluster says of it; the command that was submitted follows, indented.
        reason = (getattr(record, "rule_msg", None) or "").splitlines()
        told = [f"{about}: {value}" for about, value in record.aux.items()]
        told += itertools.takewhile(lambda line: not line.startswith(" "), reason)
        texts = {log: text for log in logs if (text := last_lines(log))}
        for log, text in texts.items():
            told += [f"the last lines of {log}:", *text]
        if not any("error" in line.lower() for line in itertools.chain(reason, *texts.values())):
            told.append(
                "no error: if it was killed, memory may have run out; run fewer jobs at a time (--cores 1)"
            )
        yield self._line(record.created, name, f"FAILED{after}")
        yield from (f"    {line}" for line in told)

    def _on_group_error(self, record: Any) -> Iterator[str]:
        """A job of SLURM that did several steps; the event of each follows, even if it did not fail."""
        if not self.interrupted:
            output = (
                f"its output: {', '.join(record.aux_logs)}" if record.aux_logs else "it has left no output"
            )
            yield f"A job of SLURM failed, which did all of the following steps; {output}"

    def _on_error(self, record: Any) -> Iterator[str]:
        """An exception.  That a command failed, the event of its job says."""
        if self.interrupted or ((self.failed or self.running) and record.exception in REPEATED):
            return
        self.erred = True
        yield from self.plain(record).splitlines()
        if record.exception == "MissingRuleException":
            yield from nearest(sys.argv[1:])

    def _on_message(self, record: Any) -> Iterator[str]:
        text = record.getMessage()
        if getattr(record, "result", False):
            self.result = text
        elif hasattr(record, "local"):
            self.is_local = record.local
            yield from text.splitlines()
        elif record.levelno >= WARNING:
            self.erred = True
            yield from () if self.failed or self.interrupted else text.splitlines()
        elif self.began is None:
            self.before.append(text)

    def notes(self) -> Iterator[str]:
        """Yield the notes that running jobs have written since the last call."""
        for job in self.running.values():
            yield from self._new(job.notes())

    def _new(self, notes: Iterable[str]) -> Iterator[str]:
        """Yield each note once: several jobs may find the same in the same data."""
        for note in notes:
            text = note.partition(": ")[2]
            if text not in self.noted:
                self.noted.add(text)
                yield note

    def reports(self, now: float) -> Iterator[str]:
        """Yield a line for each training that has gone on by a tenth, and of which nothing was said for a minute."""
        for job in self.running.values():
            then, share = job.told
            if job.is_training and now - then >= LINE_EVERY and job.share - share >= 0.1:
                job.told = now, job.share
                yield self._line(now, job.name, job.about)

    def bars(self, now: float) -> Iterator[tuple[str, float, str]]:
        """Yield name, share and text of the bars below a build: one for each training, and one for the whole."""
        for job in self.running.values():
            if job.is_training:
                yield job.name, job.share, job.about or f"starting, {clock(now - job.started)}"
        if self.running:
            others = ", ".join(job.name for job in self.running.values() if not job.is_training)
            about = f"{self.done} of {self.total} jobs{others and f'; running: {others}'}"
            yield "all", self.done / self.total if self.total else 0, about

    def ending(self, now: float) -> Iterator[str]:
        """Yield what comes last: the result, or what failed and what to do."""
        logs = sorted(Path(".snakemake", "log").glob("*.log"))
        own_log = f"  Snakemake's own log: {logs[-1]}" if logs else ""
        jobs = f"{self.done} of {self.total} jobs"
        if self.began is None:
            yield from self.before  # of --lint, --unlock and others, it is the result
        elif self.interrupted:
            yield f"interrupted after {jobs}; the same command continues.{own_log}"
        elif self.failed:
            yield f"failed: {'; '.join(self.failed.values())}.{own_log}"
            yield from wrapped(
                "What is shown above says what is wrong.  When that is fixed, run the same command again.  It keeps "
                f"what is done ({jobs}), and a training continues from its last checkpoint."
            )
        elif self.done < self.total and (self.done or self.running):
            yield f"stopped after {jobs}; the same command continues.{own_log}"
        elif self.done:
            yield f"{jobs} done in {clock(now - self.began)}.{own_log}"
            yield from ["", *self.result.splitlines()] if self.result else ()
        elif not (self.total or self.erred):
            yield "nothing to be done: what you asked for is up to date"

    def _line(self, when: float, name: str, text: str, count: str = "") -> str:
        width = len(f"{self.total}/{self.total}")
        return f"{time.strftime('%H:%M:%S', time.localtime(when))}  {count:>{width}}  {name:<36} {text}"


def is_new(log: Path, since: float) -> bool:
    """Return whether a log was written after ``since``, and not by an earlier build."""
    try:
        return log.stat().st_mtime >= since - TICK
    except OSError:
        return False


def last_lines(log: Path) -> list[str]:
    """Return the end of a log, without empty lines; an empty list if there is none."""
    try:
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []
    return [line for line in lines if line.strip()][-LOG_LINES:]


def nearest(words: Iterable[str]) -> Iterator[str]:
    """Yield for each word of a command that is no target, also an absolute path, which target was probably meant."""
    named = {Path(known).stem: known for known in reversed(TARGETS)} | {known: known for known in TARGETS}
    for word in words:
        near = difflib.get_close_matches(os.path.relpath(word), named, n=1, cutoff=0.7)
        if near and word not in TARGETS and not word.startswith("-"):
            yield f"{word}: did you mean {named[near[0]]}?"


def clock(seconds: float) -> str:
    """Return a time as ``0:46``, ``12:05`` or ``3:20:00``."""
    minutes, second = divmod(round(max(seconds, 0)), 60)
    hours, minute = divmod(minutes, 60)
    return f"{hours}:{minute:02}:{second:02}" if hours else f"{minute}:{second:02}"


def wrapped(text: str) -> list[str]:
    """Return text in lines of WIDTH columns."""
    return textwrap.wrap(
        text, WIDTH, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False
    )
