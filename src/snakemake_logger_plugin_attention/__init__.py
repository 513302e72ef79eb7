"""A logger of Snakemake that tells a build in one line for each job, with a bar for each training on a terminal.

profiles/default chooses it, so that `--logger attention` need not be given.  What it leaves out is in Snakemake's own
log, below .snakemake/log.  With --dry-run, --quiet, --verbose, --debug-dag or --logger-attention-full, Snakemake's own
output is shown instead.  docs/terminal.md shows both.
"""

import contextlib
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Iterable
from dataclasses import dataclass, field
from logging import LogRecord
from types import FrameType

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn
from rich.table import Column
from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.settings import LogHandlerSettingsBase

from snakemake_logger_plugin_attention.story import Story

REDRAWN, READ = 0.5, 5.0  # seconds between two looks at the jobs' logs, on a terminal and elsewhere


@dataclass
class LogHandlerSettings(LogHandlerSettingsBase):
    full: bool = field(
        default=False,
        metadata={"help": "Print all that Snakemake prints by itself, for each job.", "env_var": True},
    )


class LogHandler(LogHandlerBase):
    writes_to_stream = True
    writes_to_file = False
    has_filter = True
    has_formatter = True
    needs_rulegraph = False

    def __post_init__(self) -> None:
        # Snakemake imports this module while it reads its command line, some of its own modules later.
        from snakemake.logging import ColorizingTextHandler, DefaultFilter, DefaultFormatter

        common = self.common_settings
        stream = sys.stdout if common.stdout else sys.stderr
        self._own = ColorizingTextHandler(nocolor=common.nocolor, stream=stream)
        self._own.addFilter(
            DefaultFilter(
                common.quiet, common.debug_dag, common.verbose, common.dryrun, common.printshellcmds
            )
        )
        self._own.setFormatter(DefaultFormatter(common.quiet, common.show_failed_logs))
        full = isinstance(self.settings, LogHandlerSettings) and self.settings.full
        self._is_own = bool(full or common.dryrun or common.quiet or common.verbose or common.debug_dag)
        self._story = Story(self._own.format)
        # In CI and in a job of SLURM, a terminal is a log as well.
        is_log = os.environ.get("TERM", "dumb") == "dumb" or {"CI", "SLURM_JOB_ID"} & os.environ.keys()
        self._console = Console(file=stream, color_system=None, highlight=False, markup=False, emoji=False)
        self._bars = Progress(
            TextColumn("{task.description:<24}", table_column=Column(min_width=24, no_wrap=True)),
            BarColumn(20, table_column=Column(min_width=20)),
            TextColumn("{task.fields[about]}", table_column=Column(no_wrap=True)),
            console=self._console,
            disable=bool(is_log) or not stream.isatty(),
            auto_refresh=False,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        self._lock_story = threading.RLock()  # the records come from one thread, the clock ticks in another
        self._ended = threading.Event()
        if not self._is_own:
            self._notice_interrupts()
            self._bars.start()
            threading.Thread(target=self._watch, daemon=True).start()

    def emit(self, record: LogRecord) -> None:
        if self._is_own:
            self._own.handle(record)
            return
        try:
            with self._lock_story:
                self._show(self._story.lines(record))
        except Exception:  # a mistake here must not end a run of days
            with contextlib.suppress(OSError):
                traceback.print_exc()

    def close(self) -> None:
        """Write what comes last.  Snakemake calls this when the last record has been handled."""
        if not (self._is_own or self._ended.is_set()):
            self._ended.set()
            with self._lock_story:
                self._bars.stop()
                self._print(self._story.ending(time.time()))
        super().close()

    def _watch(self) -> None:
        """Look at the logs of the jobs again and again, until the end."""
        while not self._ended.wait(READ if self._bars.disable else REDRAWN):
            with self._lock_story, contextlib.suppress(OSError, ValueError):  # the stream may be closed
                if self._ended.is_set():
                    return
                reports = list(self._story.reports(time.time()))
                self._show([*self._story.notes(), *(reports if self._bars.disable else [])])

    def _show(self, lines: Iterable[str]) -> None:
        """Print lines above the bars, and draw these anew."""
        self._print(lines)
        if self._bars.disable or not self._story.is_local:
            return
        for task in self._bars.task_ids:
            self._bars.remove_task(task)
        for name, share, about in self._story.bars(time.time()):
            self._bars.add_task(name, total=100, completed=round(100 * share), about=about)
        self._bars.refresh()

    def _print(self, lines: Iterable[str]) -> None:
        for line in lines:
            self._console.print(line, soft_wrap=True)

    def _notice_interrupts(self) -> None:
        """Let the story know of Ctrl-C, by which the jobs fail as well, before Snakemake does."""
        before = signal.getsignal(signal.SIGINT)
        if not callable(before) or threading.current_thread() is not threading.main_thread():
            return

        def interrupt(number: int, frame: FrameType | None) -> None:
            self._story.interrupted = True
            signal.signal(number, before)
            before(number, frame)

        signal.signal(signal.SIGINT, interrupt)
