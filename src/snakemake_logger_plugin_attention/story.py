"""What a run of Snakemake says: a line for each job that has ended, and two for a training."""

import difflib
import itertools
import os
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from logging import ERROR, WARNING, LogRecord
from pathlib import Path
from typing import Any

from snakemake_logger_plugin_attention.job_log import Report, is_new, last_report, notes, shown
from snakemake_logger_plugin_attention.wording import (
    bar,
    clock,
    is_training,
    label,
    last_lines,
    made_file,
    wrapped,
)

# What can be asked for by name; workflow/Snakefile sets it.
TARGETS: list[str] = []

LINE_EVERY = 60  # seconds between two lines about a training, at least; and it has gone on by a tenth

# Of what Snakemake says without an event while it runs, this is for the user.  The rest is in its own log.
_SPOKEN = ("Nothing to be done", "Trying to restart", "Terminating processes", "Will exit after")
# This is not for the user even before a run, when there is no such log.
_NOISE = (
    "Assuming unrestricted shared filesystem",
    "Config file ",
    "Building DAG",
    "Select jobs",
    "Job rate limit",
)
_LOCKED = "Error: Directory cannot be locked"
_IN_USE = (
    "error: another Snakemake in this folder is at work on some of the same files, or was killed at it; "
    "wait until it has ended, or if none is running: `snakemake --unlock`; then run the same command again"
)
_NO_RULE = re.compile(r"No rule to produce (\S+)")
_TORN = re.compile(r"Ignore corrupted or currently written metadata record (\S+)\.$")
# A job that failed is reported by its own event, which says more.
_REPEATED = ("Exiting because a job execution failed", "At least one job did not complete")
_COMMAND_FAILED = ("returned non-zero exit status", "died with <Signals")
_KILLED = ("returned non-zero exit status 137", "<Signals.SIGKILL: 9>")


@dataclass
class Job:
    """A job that has started, and how far it is if it is a training."""

    label: str
    started: float
    log: Path | None
    training: bool
    report: Report | None = None
    read: int = 0  # bytes of the log
    told: float = 0  # when a line about it was written last
    told_share: float = 0  # how much of it was done then


class Story:
    """Turns the records of one run into lines.

    ``plain`` is Snakemake's own text of a record, for those that this class does not shorten.
    """

    def __init__(self, plain: Callable[[LogRecord], str]) -> None:
        self.began: float | None = None
        self.local = True  # whether jobs run on this machine
        self.plain = plain
        self.running: dict[int, Job] = {}
        self.total = 0
        self.done = 0
        self.failed: dict[int, str] = {}  # number of the job → its name and log
        self.explained = False  # whether what is shown of a failed job says what is wrong
        self.interrupted = False  # by Ctrl-C, which ends the jobs, too
        self.result: str | None = None
        self.noted_before: set[str] = set()
        self.own_log: str | None = None

    def lines(self, record: LogRecord) -> Iterator[str]:
        """Yield the lines that a record is worth."""
        handler = getattr(self, f"_on_{getattr(record, 'event', None) or 'message'}", None)
        if record.levelno >= ERROR and _LOCKED in record.getMessage():
            yield _IN_USE
        elif record.levelno >= ERROR and (unknown := _NO_RULE.search(record.getMessage())):
            yield f"error: {unknown[1]}: no rule makes this; {_nearest(unknown[1])}"
        elif torn := _TORN.match(record.getMessage()):
            yield (
                f"warning: {made_file(torn[1])}: a power cut has torn Snakemake's record of it, so no change of its "
                "settings would be noticed; delete this file to have it made again"
            )
        elif handler is not None:
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
        job = Job(
            label(record.rule_name, record.wildcards),
            record.created,
            Path(record.log[0]) if record.log else None,
            is_training(record),
        )
        self.running[record.jobid] = job
        self.failed.pop(record.jobid, None)  # Snakemake tries it again
        if job.training:
            job.told = record.created
            yield self._line(record.created, job.label, f"started; log: {job.log}")

    def _on_job_finished(self, record: Any) -> Iterator[str]:
        job = self.running.pop(record.job_id, None)
        self.done += 1
        if job is not None:
            yield from self._notes(job)
            took = clock(record.created - job.started)
            if job.training and (report := job.log and last_report(job.log, job.started)):
                took += f", {report.text}"
            yield self._line(record.created, job.label, took, f"{self.done}/{self.total}")
            yield from (f"    {line}" for line in (shown(job.log) if job.log else ()))

    def _on_job_error(self, record: Any) -> Iterator[str]:
        job = self.running.pop(record.jobid, None)
        name = job.label if job else record.rule_name
        after = f" after {clock(record.created - job.started)}" if job else ""
        if self.interrupted:
            yield self._line(record.created, name, f"stopped{after}")
            return
        # A job that was never started, as when SLURM refuses it, has the log of an earlier build, if any.
        logs = [Path(log) for log in record.log if not job or is_new(Path(log), job.started)]
        self.failed[record.jobid] = f"{name} ({logs[0]})" if logs else name
        yield self._line(record.created, name, f"FAILED{after}")
        # What a cluster says of it; the command that was submitted follows, indented.
        reason = (getattr(record, "rule_msg", None) or "").splitlines()
        told = [f"{about}: {value}" for about, value in record.aux.items()]
        told += itertools.takewhile(lambda line: not line.startswith(" "), reason)
        for log in logs:
            if text := last_lines(log):
                told += [f"the last lines of {log}:", *text]
        self.explained |= bool(told)
        yield from (f"    {line.strip()}" for line in told or ["it has written no log"])

    def _on_group_error(self, record: Any) -> Iterator[str]:
        """A job of SLURM that did several steps; the event of each follows, even if it did not fail."""
        if not self.interrupted:
            output = (
                f"its output: {', '.join(record.aux_logs)}" if record.aux_logs else "it has left no output"
            )
            yield f"A job of SLURM failed, which did all of the following steps; {output}"

    def _on_error(self, record: Any) -> Iterator[str]:
        """An exception, or a command that failed; the event of its job says more about the latter."""
        text = self.plain(record)
        if self.interrupted:
            return
        if any(part in text for part in _KILLED):
            yield "A job was killed, most likely because memory ran out; run fewer at a time, e.g. with --cores 1."
        known = any(part in text for part in _COMMAND_FAILED) or (
            self.failed and any(part in text for part in _REPEATED)
        )
        yield from () if known else text.splitlines()

    def _on_message(self, record: Any) -> Iterator[str]:
        text = record.getMessage()
        self.local = getattr(record, "local", self.local)
        if getattr(record, "result", False):
            self.result = text
        elif text.startswith("Complete log"):
            self.own_log = os.path.relpath(text.partition(": ")[2])
        elif self._is_spoken(record, text):
            yield from text.splitlines()

    def _is_spoken(self, record: Any, text: str) -> bool:
        if record.levelno >= WARNING:
            return not (self.failed and text.startswith(_REPEATED))
        if self.began is None:  # --lint, --unlock and others: their messages are their results
            return not text.startswith(_NOISE)
        return hasattr(record, "local") or text.startswith(_SPOKEN)

    def noted(self) -> Iterator[str]:
        """Yield the notes that running jobs have written since the last call."""
        for job in self.running.values():
            yield from self._notes(job)

    def _notes(self, job: Job) -> Iterator[str]:
        """Yield what a job's log notes for the user, each line once."""
        if job.log is not None:
            lines, job.read = notes(job.log, job.started, job.read)
            # Several jobs may find the same in the same data.
            new = [line for line in dict.fromkeys(lines) if line not in self.noted_before]
            self.noted_before.update(new)
            yield from (f"{job.label}: {line}" for line in new)

    def tick(self, now: float) -> Iterator[str]:
        """Read how far the trainings are, and yield a line for each that has gone on by a tenth."""
        for job in self.running.values():
            if not job.training or job.log is None:
                continue
            report = job.report = last_report(job.log, job.started) or job.report
            if report and now - job.told >= LINE_EVERY and report.share - job.told_share >= 0.1:
                job.told, job.told_share = now, report.share
                yield self._line(now, job.label, report.text)

    def footer(self, now: float, utf8: bool) -> Iterator[str]:
        """Yield the lines below a run on a terminal: a bar for each training, the other jobs, and the whole run."""
        if not self.running:
            return
        trainings = [job for job in self.running.values() if job.training]
        for job in trainings:
            share = job.report.share if job.report else 0
            about = job.report.text if job.report else f"starting, {clock(now - job.started)}"
            yield f"{job.label:<24} {bar(share, utf8)} {about}"
        others = [job.label for job in self.running.values() if not job.training]
        if others:
            yield f"running: {', '.join(others)}"
        share = self.done / self.total if self.total else 0
        yield f"{'all':<24} {bar(share, utf8)} {self.done} of {self.total} jobs"

    def ending(self, now: float) -> Iterator[str]:
        """Yield what comes last: the result, or what failed and what to do."""
        own_log = f"  Snakemake's own log: {self.own_log}" if self.own_log else ""
        if self.began is None or not (self.done or self.running or self.failed or self.interrupted):
            return  # nothing has run
        if self.interrupted:
            yield f"interrupted after {self.done} of {self.total} jobs; the same command continues.{own_log}"
        elif self.failed:
            yield f"failed: {'; '.join(self.failed.values())}.{own_log}"
            where = (
                "What is shown above says what is wrong.  When that is fixed, run"
                if self.explained
                else "Run"
            )
            yield from wrapped(
                f"{where} the same command again.  "
                f"It keeps what is done ({self.done} of {self.total} jobs), and a training "
                "continues from its last checkpoint."
            )
        elif self.done < self.total:
            yield f"stopped after {self.done} of {self.total} jobs; the same command continues.{own_log}"
        else:
            yield f"{self.total} of {self.total} jobs done in {clock(now - self.began)}.{own_log}"
            if self.result:
                yield from ["", *self.result.splitlines()]

    def _line(self, when: float, name: str, text: str, count: str = "") -> str:
        width = len(f"{self.total}/{self.total}")
        return f"{time.strftime('%H:%M:%S', time.localtime(when))}  {count:>{width}}  {name:<36} {text}"


def _nearest(target: str) -> str:
    """Return which target was probably meant, also by an absolute path, or else what a target must be."""
    named = {Path(known).stem: known for known in reversed(TARGETS)} | {known: known for known in TARGETS}
    if near := difflib.get_close_matches(os.path.relpath(target), named, n=1, cutoff=0.7):
        return f"did you mean {named[near[0]]}?"
    return (
        "--config scale=… must name the scale in a path, and this scale must have its run and its language pair "
        "(config/README.md)"
    )
