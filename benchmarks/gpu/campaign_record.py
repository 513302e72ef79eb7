"""What a campaign has measured so far, in one JSON file, so that a later call continues where the last one stopped.

Each stage consists of items.  The file is written before and after each item.  An item that was begun and did not end,
because its process was killed or crashed, is tried once more.
"""

import gc
import math
import os
import sys
import time
import traceback
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from transformer.common.files import read_json, write_json

ATTEMPTS = 2
FORMAT = 1


@dataclass(frozen=True)
class Item:
    """One measurement: its name, the seconds that it takes at most on a GPU, and the function that returns it."""

    name: str
    seconds: float
    measure: Callable[[], dict[str, Any]]


class Record:
    """The content of ``campaign.json``.

    ``stages`` holds for each stage its ``seconds`` so far and its ``items`` by name: the number of ``attempts``, and
    after the end ``result`` or ``error``.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.content: dict[str, Any] = (
            read_json(path) if path.exists() else {"format": FORMAT, "calls": 0, "machine": {}, "stages": {}}
        )

    def save(self) -> None:
        """Write the file, atomically."""
        write_json(self.path, finite(self.content))

    def stage(self, name: str) -> dict[str, Any]:
        """Return the record of a stage."""
        stage: dict[str, Any] = self.content["stages"].setdefault(name, {"seconds": 0.0, "items": {}})
        return stage

    def results(self, stage: str) -> dict[str, dict[str, Any]]:
        """Return the results of the items of a stage that ended without an error, by name."""
        return {name: item["result"] for name, item in self.stage(stage)["items"].items() if "result" in item}

    def is_closed(self, stage: str, name: str) -> bool:
        """Return whether an item has a result, or has been tried too often."""
        item = self.stage(stage)["items"].get(name, {"attempts": 0})
        return "result" in item or item["attempts"] >= ATTEMPTS

    def begin(self, stage: str, name: str) -> None:
        """Note that an item is tried."""
        items = self.stage(stage)["items"]
        items[name] = {"attempts": items.get(name, {"attempts": 0})["attempts"] + 1}
        self.save()

    def end(self, stage: str, name: str, **outcome: Any) -> None:
        """Note the ``result`` or the ``error`` of an item."""
        self.stage(stage)["items"][name] |= outcome
        self.save()

    def forget_attempt(self, stage: str, name: str) -> None:
        """Let an item that was interrupted on purpose be tried as often as before."""
        self.stage(stage)["items"][name]["attempts"] -= 1
        self.save()


def run_items(record: Record, stage: str, items: Iterable[Item], until: float, hurried: bool = False) -> None:
    """Measure the items that have no result yet, in their order, as far as the time ``until`` allows.

    ``until`` is in seconds of ``time.time``.  An item that would take too long is left for a later call.  With
    ``hurried``, as in a rehearsal, the items' own seconds do not count.  An error of the device ends the process, since
    nothing else can be measured in it.
    """
    parent = os.getppid()
    for item in items:
        if os.getppid() != parent:
            sys.exit("the campaign that started this stage has ended")
        if record.is_closed(stage, item.name):
            continue
        if time.time() + (1 if hurried else item.seconds) > until:
            print(f"{item.name}: no time left in this call", flush=True)
            continue
        record.begin(stage, item.name)
        started = time.time()
        try:
            result = item.measure() | {"seconds": round(time.time() - started, 1)}
        except Exception as error:
            traceback.print_exc()
            record.end(stage, item.name, error=first_line(error))
            if "CUDA error" in str(error):
                sys.exit("the device does not answer any more")
        else:
            record.end(stage, item.name, result=result)
            print(f"{item.name}: {finite(result)}", flush=True)
        gc.collect()
        if torch.cuda.is_available():
            torch.cuda.empty_cache()


def finite(value: Any) -> Any:
    """Return a JSON value in which numbers that JSON does not know are texts."""
    if isinstance(value, dict):
        return {key: finite(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [finite(part) for part in value]
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def first_line(error: Exception) -> str:
    """Return the kind of an error and the first line of its message."""
    return f"{type(error).__name__}: {str(error).partition(chr(10))[0]}"
