"""A stream that lines are written to, with lines below them on a terminal that change in place."""

import os
from collections.abc import Sequence
from typing import TextIO


class Screen:
    """Writes lines to ``stream``.  On a terminal (``live``) it keeps a footer below the last line."""

    def __init__(self, stream: TextIO, live: bool) -> None:
        self.live = live
        self._stream = stream
        self._footer: list[str] = []

    def write(self, lines: Sequence[str], footer: Sequence[str] = ()) -> None:
        """Write lines, and then the footer in place of the one before; what does not fit of the footer is cut off."""
        shown = self._cut(footer) if self.live else []
        if not lines and shown == self._footer:
            return
        # Up to the first row of the old footer; what is below it is erased.
        erase = f"\x1b[{len(self._footer)}A\x1b[J" if self._footer else ""
        self._stream.write(erase + "".join(f"{line}\n" for line in [*lines, *shown]))
        self._stream.flush()
        self._footer = shown

    def _cut(self, footer: Sequence[str]) -> list[str]:
        """Return what fits of lines.  One that wraps would take two rows, and the cursor would not go up far enough."""
        columns, rows = os.get_terminal_size(self._stream.fileno())
        # Some pseudo-terminals do not know their size, and call it 0.
        return [line[: (columns or 120) - 1] for line in footer[: (rows or 24) - 1]]
