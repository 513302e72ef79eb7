"""What a build says: a line for each job that has ended, and more for a training.

Programs say what the user is to know by lines in their logs (transformer/common/notes.py and progress.py): ``note: …``
at once, ``shown: …`` below the line of the job, ``progress: 41%  …`` how far a training is.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from logging import WARNING, LogRecord
from pathlib import Path
from typing import Any

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
    log: str = ""
    is_training: bool = False
    read: int = 0  # bytes of the log
    progress: str = "starting"
    shown: list[str] = field(default_factory=list)
    told: tuple[float, float] = (0, 0)  # when a line about it was written last, and its share then

    @property
    def share(self) -> float:
        """How far it is, from 0 to 1."""
        percent = self.progress.partition("%")[0]
        return int(percent) / 100 if percent.isdecimal() else 0

    def notes(self) -> Iterator[str]:
        """Read what has been added to the log, keep what it says of the job, and yield its notes."""
        whole, newline, _ = self.read_log()[self.read :].rpartition(b"\n")
        self.read += len(whole) + len(newline)
        for line in whole.decode("utf-8", errors="replace").splitlines():
            kind, _, text = line.partition(": ")
            if kind == "note":
                yield text
            elif kind == "shown":
                self.shown.append(text)
            elif kind == "progress":
                self.progress = text

    def read_log(self) -> bytes:
        """Return the log; nothing if it is missing, or an earlier build wrote it."""
        log = Path(self.log)
        is_new = log.is_file() and log.stat().st_mtime >= self.started - TICK
        return log.read_bytes() if is_new else b""


class Build:
    """Turns the records of one build into lines; ``plain`` is Snakemake's own text of a record."""

    def __init__(self, plain: Callable[[LogRecord], str]) -> None:
        self.plain = plain
        self.began = 0.0
        self.running: dict[int, Job] = {}
        self.total = self.done = 0
        self.failed: dict[int, str] = {}  # number of the job → its name and log
        self.interrupted = False  # by Ctrl-C, which ends the jobs, too
        self.erred = False  # whether something else than a job has failed
        self.noted: set[str] = set()
        self.last: list[str] = []  # the result; without a build, as by --lint, all that Snakemake says

    def lines(self, record: Any) -> Iterator[str]:
        """Yield the lines that a record is worth."""
        match getattr(record, "event", None):
            case "workflow_started":
                self.began, self.last = record.created, []
            case "run_info":
                self.total = record.stats["total"]
                rules = ", ".join(
                    f"{count} {rule}" for rule, count in record.stats.items() if rule != "total"
                )
                yield f"{self.total} {'job' if self.total == 1 else 'jobs'}: {rules}"
            case "job_info":
                yield from self._start(record)
            case "job_finished":
                yield from self._finish(self.running.pop(record.job_id), record.created)
            case "job_error":
                # One that was never started, as when SLURM refuses it, has the log of an earlier build, if any.
                job = self.running.pop(record.jobid, Job(record.rule_name, record.created))
                ended = "stopped" if self.interrupted else "FAILED"
                yield self._line(record.created, job, f"{ended} after {clock(record.created - job.started)}")
                if not self.interrupted:
                    self.failed[record.jobid] = f"{job.name} ({job.log})" if job.log else job.name
                    yield from (f"    {line}" for line in why(job, getattr(record, "rule_msg", None) or ""))
            case event:
                yield from self._tell(record, event)

    def _start(self, record: Any) -> Iterator[str]:
        values = dict(record.wildcards)
        if {"source", "target"} <= values.keys():
            values["source"] += f"-{values.pop('target')}"
        name = " ".join([record.rule_name, *filter(None, values.values())])
        job = Job(name, record.created, "".join(record.log[:1]), is_training=record.rule_name == "train")
        job.told = record.created, 0
        self.running[record.jobid] = job
        again = " again" if self.failed.pop(record.jobid, None) else ""  # Snakemake tries it once more
        if job.is_training or again:
            yield self._line(record.created, job, f"started{again}; log: {job.log}")

    def _finish(self, job: Job, now: float) -> Iterator[str]:
        yield from self._notes(job)
        self.done += 1
        about = f", {job.progress}" if job.is_training and job.share else ""
        yield self._line(now, job, clock(now - job.started) + about, f"{self.done}/{self.total}")
        yield from (f"    {line}" for line in job.shown)

    def _tell(self, record: Any, event: str | None) -> Iterator[str]:
        """What the workflow has for its user, and errors and warnings that do not repeat that a job has failed."""
        text = self.plain(record).splitlines()
        if getattr(record, "result", False) or not (event or self.began):
            self.last += text
        elif hasattr(record, "result"):
            yield from text
        elif record.levelno >= WARNING:
            is_known = getattr(record, "exception", None) in REPEATED and (self.failed or self.running)
            if not (self.interrupted or is_known or (event is None and self.failed)):
                self.erred = True
                yield from text

    def _notes(self, job: Job) -> Iterator[str]:
        """Yield each note once: several jobs may find the same in the same data."""
        for note in job.notes():
            if note not in self.noted:
                self.noted.add(note)
                yield f"{job.name}: note: {note}"

    def news(self, now: float, with_progress: bool) -> Iterator[str]:
        """Yield what the logs of running jobs say since the last call: their notes, and how far trainings are.

        Of a training that is once a minute at most, and after another tenth of it.
        """
        for job in self.running.values():
            yield from self._notes(job)
            then, share = job.told
            if with_progress and job.is_training and now - then >= LINE_EVERY and job.share - share >= 0.1:
                job.told = now, job.share
                yield self._line(now, job, job.progress)

    def bars(self) -> Iterator[tuple[str, float, str]]:
        """Yield name, share and text of the bars below a build: one for each training, and one for the whole."""
        others = [job.name for job in self.running.values() if not job.is_training]
        yield from ((job.name, job.share, job.progress) for job in self.running.values() if job.is_training)
        if self.running:
            about = f"{self.done} of {self.total} jobs{'; running: ' if others else ''}{', '.join(others)}"
            yield "all", self.done / self.total, about

    def ending(self, now: float) -> Iterator[str]:
        """Yield what comes last: the result, or what failed and what to do."""
        logs = sorted(map(str, Path(".snakemake", "log").glob("*.log")))
        jobs = f"{self.done} of {self.total} jobs"
        own_log = f".  Snakemake's own log: {logs[-1]}" if logs else "."
        if self.interrupted:
            yield f"interrupted after {jobs}; the same command continues{own_log}"
        elif self.failed:
            yield f"failed: {'; '.join(self.failed.values())}{own_log}"
            yield "What is shown above says what is wrong.  When that is fixed, run the same command again.  It keeps"
            yield f"    what is done ({jobs}), and a training continues from its last checkpoint."
        elif self.done < self.total and (self.done or self.running):
            yield f"stopped after {jobs}; the same command continues{own_log}"
        elif self.done:
            yield f"{jobs} done in {clock(now - self.began)}{own_log}"
            yield from ["", *self.last] if self.last else ()
        elif not self.began:
            yield from self.last
        elif not (self.total or self.erred):
            yield "nothing to be done: what you asked for is up to date"

    def _line(self, when: float, job: Job, text: str, count: str = "") -> str:
        width = len(f"{self.total}/{self.total}")
        return f"{time.strftime('%H:%M:%S', time.localtime(when))}  {count:>{width}}  {job.name:<36} {text}"


def why(job: Job, reason: str) -> Iterator[str]:
    """Yield what is known of a failure: what a cluster says, without the command that follows, and the log's end."""
    told = reason.partition("\n ")[0].splitlines()
    log = job.read_log().decode("utf-8", errors="replace")
    if lines := [line for line in log.splitlines() if line.strip()]:
        told += [f"the last lines of {job.log}:", *lines[-LOG_LINES:]]
    yield from told
    if "error" not in f"{reason}{log}".lower():
        yield "no error: if it was killed, memory may have run out; run fewer jobs at a time (--cores 1)"


def clock(seconds: float) -> str:
    """Return a time as ``0:46``, ``12:05`` or ``3:20:00``."""
    minutes, second = divmod(round(max(seconds, 0)), 60)
    hours, minute = divmod(minutes, 60)
    return f"{hours}:{minute:02}:{second:02}" if hours else f"{minute}:{second:02}"
