"""What a build says: a line for each job that has ended, and more for a training.

Programs say what the user is to know by lines in their logs (transformer/common/notes.py and progress.py): ``note: …``
at once, ``shown: …`` below the line of the job, ``progress: 41%  …`` how far a training is.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from logging import WARNING, LogRecord
from pathlib import Path
from typing import Any

LOG_LINES = 12  # of a failed job
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
    said: dict[str, list[str]] = field(default_factory=lambda: {"note": [], "shown": [], "progress": []})
    told: int = 0  # percent of a training when a line about it was printed last

    @property
    def progress(self) -> str:
        return (self.said["progress"] or ["starting"])[-1]

    @property
    def percent(self) -> int:
        percent = self.progress.partition("%")[0]
        return int(percent) if percent.isdecimal() else 0

    def log_from(self, start: int) -> bytes:
        """Return the log from a byte on; nothing if it is missing, or an earlier build wrote it."""
        log = Path(self.log)
        if not log.is_file() or log.stat().st_mtime < self.started - TICK:
            return b""
        with open(log, "rb") as file:
            file.seek(start)
            return file.read()

    def read_log(self) -> None:
        """Keep what the lines say that have been added to the log."""
        whole, newline, _ = self.log_from(self.read).rpartition(b"\n")
        self.read += len(whole) + len(newline)
        for line in whole.decode(errors="replace").split("\n"):
            kind, _, text = line.partition(": ")
            if kind in self.said:
                self.said[kind].append(text)

    def why(self, reason: str) -> Iterator[str]:
        """Yield what is known of its failure: what a cluster says, without its command, and the log's last lines."""
        yield from reason.partition("\n ")[0].splitlines()
        whole = self.log_from(0).decode(errors="replace")
        if lines := [line for line in whole.split("\n") if line.strip()]:
            yield from (f"the last lines of {self.log}:", *lines[-LOG_LINES:])
        if not any("error" in line.lower() for line in (reason, *lines)):
            yield "no error: if it was killed, memory may have run out; run fewer jobs at a time (--cores 1)"


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
            case "job_info":
                yield from self._start(record)
            case "job_finished":
                job = self.running.pop(record.job_id)
                yield from self._notes(job)
                self.done += 1
                about = f", {job.progress}" if job.is_training and job.percent else ""
                yield self._line(job, f"{_seconds(record.created - job.started)}{about}", self.done)
                yield from (f"    {line}" for line in job.said["shown"])
            case "job_error":
                # One that was never started, as when SLURM refuses it, has the log of an earlier build, if any.
                job = self.running.pop(record.jobid, Job(record.rule_name, record.created))
                ended = "stopped" if self.interrupted else "FAILED"
                yield self._line(job, f"{ended} after {_seconds(record.created - job.started)}")
                if not self.interrupted:
                    self.failed[record.jobid] = f"{job.name} ({job.log})" if job.log else job.name
                    yield from (f"    {line}" for line in job.why(getattr(record, "rule_msg", None) or ""))
            case event:
                yield from self._tell(record, event)

    def _start(self, record: Any) -> Iterator[str]:
        values = dict(record.wildcards)
        if {"source", "target"} <= values.keys():
            values["source"] += f"-{values.pop('target')}"
        name = " ".join([record.rule_name, *filter(None, values.values())])
        job = Job(name, record.created, "".join(record.log[:1]), is_training=record.rule_name == "train")
        self.running[record.jobid] = job
        again = " again" if self.failed.pop(record.jobid, None) else ""  # Snakemake tries it once more
        if job.is_training or again:
            yield self._line(job, f"started{again}; log: {job.log}")

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
        job.read_log()
        for note in job.said["note"]:
            if note not in self.noted:
                self.noted.add(note)
                yield f"{job.name}: note: {note}"

    def news(self, with_progress: bool) -> Iterator[str]:
        """Yield what the logs of running jobs say since the last call: notes, and of trainings each further tenth."""
        for job in self.running.values():
            yield from self._notes(job)
            if with_progress and job.is_training and job.percent >= job.told + 10:
                job.told = job.percent
                yield self._line(job, job.progress)

    def ending(self) -> Iterator[str]:
        """Yield what comes last: the result, or what failed and what to do."""
        logs = sorted(map(str, Path(".snakemake", "log").glob("*.log")))
        own_log = f".  Snakemake's own log: {logs[-1]}" if logs else "."
        if self.failed and not self.interrupted:
            yield f"failed: {'; '.join(self.failed.values())}{own_log}"
            yield f"Mend what is shown above, and run the same command again.  It keeps what is done ({self.count})."
        elif self.interrupted or (self.done < self.total and (self.done or self.running)):
            ended = "interrupted" if self.interrupted else "stopped"
            yield f"{ended} after {self.count}; the same command continues{own_log}"
        elif self.done:
            yield f"{self.count} done in {_seconds(time.time() - self.began)}{own_log}"
            yield from ["", *self.last] if self.last else ()
        elif not self.began:
            yield from self.last
        elif not (self.total or self.erred):
            yield "nothing to be done: what you asked for is up to date"

    @property
    def count(self) -> str:
        return f"{self.done} of {self.total} jobs"

    def _line(self, job: Job, text: str, done: int | None = None) -> str:
        count = "" if done is None else f"{done}/{self.total}"
        return f"{time.strftime('%H:%M:%S')}  {count:>{1 + 2 * len(str(self.total))}}  {job.name:<36} {text}"


def _seconds(seconds: float) -> timedelta:
    """Return a time that is printed as ``0:12:05``."""
    return timedelta(seconds=round(max(seconds, 0)))
