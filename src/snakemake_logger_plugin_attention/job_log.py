"""What a job's log says for the user: notes, and how far a training is, as transformer.common.progress writes it."""

import re
from dataclasses import dataclass
from pathlib import Path

# tqdm's line, as in `training:  41%|████▏   | 735/1800 [00:40<00:58, 18.32step/s, loss=2.511, tokens_per_s=13,902]`.
_REPORT = re.compile(r"training: +(\d+)%\|[^|]*\| *(\S+ \[[\d:]+<[^\]]*\])")
TICK = 0.05  # seconds by which a file's time may be behind the clock; Linux counts it in ticks of up to 10 ms
NOTE = "note: "  # what a script wants its user to know
SHOWN = "shown: "  # what is worth a look when it has ended
_TAIL = 8192  # bytes from the end of a log that are read: several reports


@dataclass(frozen=True)
class Report:
    """What a training wrote last."""

    share: float  # of its steps, 0 to 1
    text: str  # the share, then steps, times, rate and loss as tqdm writes them


def is_new(log: Path, since: float) -> bool:
    """Return whether a log was written after ``since``, and not by an earlier run."""
    try:
        return log.stat().st_mtime >= since - TICK
    except OSError:
        return False


def last_report(log: Path, since: float) -> Report | None:
    """Return the last report in a training's log; None if there is none, or if the log was written before ``since``."""
    if not is_new(log, since):
        return None
    found = _REPORT.findall(_tail(log))
    if not found:
        return None
    percent, text = found[-1]
    return Report(int(percent) / 100, f"{percent}%  {text}")


def notes(log: Path, since: float, offset: int) -> tuple[list[str], int]:
    """Return the lines from ``offset`` on that begin with ``note: ``, and the offset at which reading goes on.

    There are none if the log was written before ``since``.
    """
    if not is_new(log, since):
        return [], offset
    try:
        with log.open("rb") as file:
            file.seek(offset)
            whole, newline, _ = file.read().rpartition(b"\n")
    except OSError:
        return [], offset
    lines = whole.decode("utf-8", errors="replace").splitlines()
    return [line for line in lines if line.startswith(NOTE)], offset + len(whole) + len(newline)


def shown(log: Path) -> list[str]:
    """Return the lines at the end of a log that begin with ``shown: ``, without this."""
    return [line.removeprefix(SHOWN) for line in _tail(log).splitlines() if line.startswith(SHOWN)]


def _tail(log: Path) -> str:
    """Return the end of a log; an empty text if it cannot be read."""
    try:
        with log.open("rb") as file:
            file.seek(max(log.stat().st_size - _TAIL, 0))
            return file.read().decode("utf-8", errors="replace")
    except OSError:
        return ""
