"""A stream that lines are written to, with lines below them on a terminal that change in place."""

import os
import shutil
import threading
from collections.abc import Sequence
from typing import TextIO


class Screen:
    """Writes lines to ``stream``.  On a terminal (``live``) it keeps a footer below the last line."""

    def __init__(self, stream: TextIO, live: bool) -> None:
        self.live = live
        self._stream = stream
        self._footer: list[str] = []
        self._lock = threading.Lock()

    @property
    def width(self) -> int:
        """The columns of the terminal, or 120 for a file."""
        return self._size().columns if self.live else 120

    def write(self, lines: Sequence[str], footer: Sequence[str] = ()) -> None:
        """Write lines, and then the footer in place of the one before."""
        size = self._size()
        # A line that wraps would take two rows, and the cursor would not go up far enough.
        shown = [line[: size.columns - 1] for line in footer[: size.lines - 1]] if self.live else []
        with self._lock:
            if not lines and shown == self._footer:
                return
            # Up to the first row of the old footer; what is below it is erased.
            erase = f"\x1b[{len(self._footer)}A\x1b[J" if self._footer else ""
            self._stream.write(erase + "".join(f"{line}\n" for line in [*lines, *shown]))
            self._stream.flush()
            self._footer = shown

    def _size(self) -> os.terminal_size:
        try:
            size = os.get_terminal_size(self._stream.fileno())
        except (OSError, ValueError):
            size = os.terminal_size((0, 0))
        # Some pseudo-terminals do not know their size, and call it 0.
        return size if size.columns and size.lines else shutil.get_terminal_size((120, 24))
