"""A logger of Snakemake that tells a run in one line for each job, with a bar for each training on a terminal.

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
from dataclasses import dataclass, field
from logging import LogRecord
from types import FrameType
from typing import TextIO

from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.settings import LogHandlerSettingsBase

from snakemake_logger_plugin_attention.screen import Screen
from snakemake_logger_plugin_attention.story import Story

REDRAWN, READ = 0.5, 5.0  # seconds between two looks at the trainings, on a terminal and in a log


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
        self._screen = Screen(stream, live=_can_move_cursor(stream))
        self._utf8 = "utf" in (stream.encoding or "").lower()
        self._lock_story = threading.RLock()  # the records come from one thread, the clock ticks in another
        self._ended = threading.Event()
        if not self._is_own:
            self._notice_interrupts()
            threading.Thread(target=self._watch, daemon=True).start()

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

    def emit(self, record: LogRecord) -> None:
        if self._is_own:
            self._own.handle(record)
            return
        try:
            with self._lock_story:
                lines = list(self._story.lines(record))
                self._screen.live = self._screen.live and self._story.local
                self._screen.write(lines, self._footer())
        except Exception:  # a mistake here must not end a run of days
            with contextlib.suppress(OSError):
                traceback.print_exc()

    def close(self) -> None:
        """Write what comes last.  Snakemake calls this when the last record has been handled."""
        if not (self._is_own or self._ended.is_set()):
            self._ended.set()
            with self._lock_story:
                self._screen.write(list(self._story.ending(time.time())))
        super().close()

    def _watch(self) -> None:
        """Look at the trainings again and again, until the end."""
        while not self._ended.wait(REDRAWN if self._screen.live else READ):
            with self._lock_story, contextlib.suppress(OSError, ValueError):  # the stream may be closed
                if self._ended.is_set():
                    return
                noted, lines = list(self._story.noted()), list(self._story.tick(time.time()))
                # On a terminal, the bars say the same as the latter.
                self._screen.write(noted if self._screen.live else [*noted, *lines], self._footer())

    def _footer(self) -> list[str]:
        if not self._screen.live:
            return []
        return list(self._story.footer(time.time(), self._utf8))


def _can_move_cursor(stream: TextIO) -> bool:
    """Return whether a footer can be shown: on a terminal, but not in CI or in a job of SLURM."""
    if os.environ.get("TERM", "dumb") == "dumb" or {"CI", "SLURM_JOB_ID"} & os.environ.keys():
        return False
    return stream.isatty()
