"""Progress of long work: lines of a log, with rate and time left."""

import contextlib
import sys
import time
from collections.abc import Iterable, Iterator
from datetime import timedelta
from typing import TypeVar

Item = TypeVar("Item")
PROGRESS = "progress: "  # how such a line begins; Snakemake's logger shows that of a training
EVERY = 10.0  # seconds between two lines


class Progress:
    """Counts ``unit`` towards ``total``, if there is one, and says from time to time how far it is.

    A line is ``progress: 41%  735/1,800 steps, 18.3/s, 0:00:58 left, loss 2.511``.
    """

    def __init__(self, total: int | None, unit: str, *, initial: int = 0) -> None:
        self._total, self._unit = total, unit
        self._initial = self._count = initial
        self._figures: dict[str, str] = {}
        self._began = self._printed = time.monotonic()

    def update(self, count: int, **figures: str) -> None:
        """Advance by ``count``; ``figures`` (loss, tokens/s …) are shown after the rate."""
        self._count += count
        self._figures = figures or self._figures
        if time.monotonic() - self._printed >= EVERY:
            self.report()

    def report(self) -> None:
        """Say how far it is."""
        self.note(f"{PROGRESS}{self}")
        self._printed = time.monotonic()

    def note(self, text: str) -> None:
        """Print a line."""
        # A terminal may be closed, of which a signal tells a little later.
        with contextlib.suppress(OSError):
            print(text, file=sys.stderr, flush=True)

    def __str__(self) -> str:
        rate = (self._count - self._initial) / max(time.monotonic() - self._began, 1e-9)
        parts = [f"{self._count:,} {self._unit}"]
        if self._total:
            parts = [f"{100 * self._count // self._total}%  {self._count:,}/{self._total:,} {self._unit}"]
        if rate:
            parts.append(f"{rate:,.{int(rate < 100)}f}/s")
            if self._total and 0 < self._count < self._total:
                parts.append(f"{timedelta(seconds=round((self._total - self._count) / rate))} left")
        return ", ".join([*parts, *(f"{name} {value}" for name, value in self._figures.items())])

    def __enter__(self) -> "Progress":
        return self

    def __exit__(self, *_: object) -> None:
        self.report()


def track(items: Iterable[Item], total: int | None, unit: str) -> Iterator[Item]:
    """Yield ``items`` while reporting progress."""
    with Progress(total, unit) as progress:
        for item in items:
            yield item
            progress.update(1)
