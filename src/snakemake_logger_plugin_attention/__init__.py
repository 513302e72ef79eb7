"""A logger of Snakemake that tells a build in one line for each job, with a bar for each training on a terminal.

profiles/default chooses it, so that `--logger attention` need not be given.  What it leaves out is in Snakemake's own
log, below .snakemake/log.  With --dry-run, --quiet, --verbose, --debug-dag or --logger-attention-full, Snakemake's own
output is shown instead.  docs/terminal.md shows both.
"""

import os
import signal
import sys
import threading
from collections.abc import Iterable
from dataclasses import dataclass, field
from logging import LogRecord, makeLogRecord
from types import FrameType

from rich.console import Console
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text
from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.settings import LogHandlerSettingsBase

from snakemake_logger_plugin_attention.build import Build

EVERY = 0.5  # seconds between two looks at the jobs' logs


@dataclass
class LogHandlerSettings(LogHandlerSettingsBase):
    full: bool = field(
        default=False,
        metadata={"help": "Print all that Snakemake prints by itself, for each job.", "env_var": True},
    )


class LogHandler(LogHandlerBase):
    writes_to_stream = True
    writes_to_file = needs_rulegraph = False
    has_filter = has_formatter = False  # Snakemake adds its own

    def __post_init__(self) -> None:
        # Snakemake imports this module while it reads its command line, some of its own modules later.
        from snakemake.logging import ColorizingTextHandler

        common = self.common_settings
        stream = sys.stdout if common.stdout else sys.stderr
        full = isinstance(self.settings, LogHandlerSettings) and self.settings.full
        self._own: ColorizingTextHandler | None = None
        self._ended = threading.Event()
        if full or common.dryrun or common.quiet or common.verbose or common.debug_dag:
            self._own = ColorizingTextHandler(nocolor=common.nocolor, stream=stream)
            self._ended.set()
            return
        self._has_bars = stream.isatty() and os.environ.get("TERM", "dumb") != "dumb"
        console = Console(file=stream, force_terminal=self._has_bars, color_system=None)
        self._build = Build(self.format)
        self._bars = Live(console=console, get_renderable=self._table, auto_refresh=False, transient=True)
        self._notice_interrupts()
        self._bars.start()
        threading.Thread(target=self._watch, daemon=True).start()

    def emit(self, record: LogRecord) -> None:
        if self._own is None:
            self._show(self._build.lines(record), record)
        else:
            self._own.formatter = self.formatter
            self._own.handle(record)

    def close(self) -> None:
        """Write what comes last.  Snakemake calls this when the last record has been handled."""
        if not self._ended.is_set():
            self._ended.set()
            self._bars.stop()
            self._show(self._build.ending())
        super().close()

    def _watch(self) -> None:
        """Look at the logs of the jobs again and again, until the end."""
        while not self._ended.wait(EVERY):
            self._show(self._build.news(with_progress=not self._has_bars))

    def _show(self, lines: Iterable[str], record: LogRecord | None = None) -> None:
        """Print lines above the bars, and draw these anew."""
        try:
            assert self.lock
            with self.lock:  # the records come from one thread, the clock ticks in another
                for line in lines:
                    self._bars.console.print(Text(line), soft_wrap=True)
                self._bars.refresh()
        except Exception:  # a mistake here, or a terminal that is closed, must not end a run of days
            self.handleError(record or makeLogRecord({}))

    def _notice_interrupts(self) -> None:
        """Let the build know of Ctrl-C, by which the jobs fail as well, before Snakemake does."""
        before = signal.getsignal(signal.SIGINT)
        if not callable(before):  # ignored, as behind `&` in a script
            return

        def interrupt(number: int, frame: FrameType | None) -> None:
            self._build.interrupted = True
            before(number, frame)

        signal.signal(signal.SIGINT, interrupt)

    def _table(self) -> Table:
        """Return a bar for each training, and one for the whole build."""
        running = self._build.running.values()
        bars = [(job.name, 100, job.percent, job.progress) for job in running if job.is_training]
        if running:
            bars.append(("all", self._build.total, self._build.done, self._build.count))
        table = Table.grid(padding=(0, 1))
        for name, total, count, about in bars:
            table.add_row(f"{name:<24}", ProgressBar(total, count, width=20), Text(about, no_wrap=True))
        return table
