"""How far a training is, from the lines that transformer.common.progress.Progress writes to its log."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

# tqdm's line, as in `training:  41%|████▏   | 735/1800 [00:40<00:58, 18.32step/s, loss=2.511, tokens_per_s=13,902]`.
_REPORT = re.compile(
    r"training: +\d+%\|[^|]*\| *(?P<done>[\d.]+[kMG]?)/(?P<total>[\d.]+[kMG]?)"
    r" \[[^<\]]*<(?P<left>[\d:]+|\?), +(?P<rate>[\d.]+|\?)(?P<unit>k?step/s|s/step)(?P<figures>[^\]]*)\]"
)
_FACTORS = {"k": 1e3, "M": 1e6, "G": 1e9}
TICK = 0.05  # seconds by which a file's time may be behind the clock; Linux counts it in ticks of up to 10 ms
_TAIL = 8192  # bytes from the end of a log that are read: several reports


@dataclass(frozen=True)
class Report:
    """How far a training was when it wrote a line."""

    done: float  # steps
    total: float  # steps
    rate: float | None  # steps per second; None before the first step
    loss: str | None
    written: float  # seconds since the epoch

    def steps_at(self, now: float) -> float:
        """Return the steps that are done ``now``, if training went on at the same rate since the line was written."""
        return min(self.done + (self.rate or 0) * max(now - self.written, 0), self.total)

    def seconds_left(self, now: float) -> float | None:
        """Return how long the rest takes at the same rate; None if there is no rate yet."""
        return (self.total - self.steps_at(now)) / self.rate if self.rate else None


def last_report(log: Path, since: float) -> Report | None:
    """Return the last report in a training's log; None if there is none, or if the log was written before ``since``."""
    try:
        written = log.stat().st_mtime
        if written < since - TICK:  # by an earlier run
            return None
        with log.open("rb") as file:
            file.seek(max(log.stat().st_size - _TAIL, 0))
            tail = file.read().decode("utf-8", errors="replace")
    except OSError:
        return None
    reports = list(_reports(tail, written))
    return reports[-1] if reports else None


def _reports(text: str, written: float) -> Iterator[Report]:
    for found in _REPORT.finditer(text):
        rate = None if found["rate"] == "?" else float(found["rate"])
        if rate is not None:
            rate = 1 / rate if found["unit"] == "s/step" and rate else rate
            rate *= 1e3 if found["unit"].startswith("k") else 1
        loss = re.search(r"loss=([\d.]+)", found["figures"])
        yield Report(
            _number(found["done"]), _number(found["total"]), rate, loss[1] if loss else None, written
        )


def _number(text: str) -> float:
    """Return a number that tqdm may have shortened, as in ``9.21k``."""
    return float(text.rstrip("kMG")) * _FACTORS.get(text[-1], 1)
