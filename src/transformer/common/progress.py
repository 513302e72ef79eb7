"""Progress of long work: a bar on a terminal or plain lines in a log, with rate and time left."""

import contextlib
import math
import sys
import time
from collections.abc import Iterable, Iterator
from typing import TypeVar

from tqdm import tqdm

Item = TypeVar("Item")
EVERY = 10.0  # seconds between two lines in a log


class Progress:
    """Counts towards ``total``, and shows a bar on a terminal, or else prints a line every ``EVERY`` seconds.

    tqdm writes both.  In a log, the carriage returns of its bar would make one endless line, so each report is printed
    on a line of its own.
    """

    def __init__(self, total: int | None, unit: str, description: str, initial: int = 0) -> None:
        self._stream = sys.stderr
        self._terminal = self._stream.isatty()
        self._printed = time.monotonic()
        self._bar = tqdm(
            total=total,
            initial=initial,
            unit=unit,
            desc=description,
            file=self._stream,
            delay=0 if self._terminal else math.inf,  # in a log, tqdm never draws a bar by itself
            unit_scale=total is None or total >= 100_000,
            dynamic_ncols=self._terminal,
            mininterval=0.2,
            ncols=None if self._terminal else 100,
        )

    def update(self, count: int, **figures: str) -> None:
        """Advance by ``count``; ``figures`` (loss, tokens/s …) are shown after the rate."""
        if figures:
            self._bar.set_postfix(figures, refresh=False)
        self._bar.update(count)
        if not self._terminal and time.monotonic() - self._printed >= EVERY:
            self._report()

    def note(self, text: str) -> None:
        """Print a line without breaking the bar."""
        if self._terminal:
            # The terminal may be closed, of which a signal tells a little later.
            with contextlib.suppress(OSError):
                self._bar.write(text, file=self._stream)
        else:
            print(text, file=self._stream, flush=True)

    def close(self) -> None:
        """End the bar, or print the last line."""
        if not self._terminal:
            self._report()
        self._bar.close()

    def _report(self) -> None:
        print(str(self._bar).strip(), file=self._stream, flush=True)
        self._printed = time.monotonic()

    def __enter__(self) -> "Progress":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def track(items: Iterable[Item], total: int | None, unit: str, description: str) -> Iterator[Item]:
    """Yield ``items`` while reporting progress."""
    with Progress(total, unit, description) as progress:
        for item in items:
            yield item
            progress.update(1)
