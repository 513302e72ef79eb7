"""What a campaign remembers, and in which order it measures."""

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from campaign_record import Item, Record, run_items


def later() -> float:
    return time.time() + 1000


def measurement(name: str, calls: list[str], seconds: float = 1) -> Item:
    def measure() -> dict[str, Any]:
        calls.append(name)
        return {"value": len(calls)}

    return Item(name, seconds, measure)


def failing(error: Exception) -> Callable[[], dict[str, Any]]:
    def measure() -> dict[str, Any]:
        raise error

    return measure


def test_a_second_call_measures_only_what_is_left(tmp_path: Path) -> None:
    path, calls = tmp_path / "campaign.json", list[str]()
    run_items(Record(path), "speed", [measurement("one", calls)], later())
    run_items(Record(path), "speed", [measurement("one", calls), measurement("two", calls)], later())
    assert calls == ["one", "two"]
    assert {name: result["value"] for name, result in Record(path).results("speed").items()} == {
        "one": 1,
        "two": 2,
    }


def test_an_item_that_would_take_too_long_is_left_for_a_later_call(tmp_path: Path) -> None:
    path, calls = tmp_path / "campaign.json", list[str]()
    items = [measurement("long", calls, 100), measurement("short", calls)]
    run_items(Record(path), "speed", items, time.time() + 50)
    assert calls == ["short"]
    assert not Record(path).is_closed("speed", "long")


def test_an_error_ends_only_its_item_and_is_tried_twice(tmp_path: Path) -> None:
    path, calls = tmp_path / "campaign.json", list[str]()
    items = [Item("broken", 1, failing(ValueError("no such kernel\ndetails"))), measurement("next", calls)]
    for _ in range(3):
        run_items(Record(path), "tests", items, later())
    assert calls == ["next"]
    broken = json.loads(path.read_text())["stages"]["tests"]["items"]["broken"]
    assert broken == {"attempts": 2, "error": "ValueError: no such kernel"}


def test_an_error_of_the_device_ends_the_process(tmp_path: Path) -> None:
    """After an illegal access, no other measurement in the process would work."""
    path, calls = tmp_path / "campaign.json", list[str]()
    items = [
        Item("broken", 1, failing(RuntimeError("CUDA error: an illegal memory access"))),
        measurement("a", calls),
    ]
    with pytest.raises(SystemExit):
        run_items(Record(path), "tests", items, later())
    assert calls == []
    assert "error" in Record(path).stage("tests")["items"]["broken"]


def test_an_item_that_kills_the_process_is_not_tried_for_ever(tmp_path: Path) -> None:
    record = Record(tmp_path / "campaign.json")
    for _ in range(2):
        assert not record.is_closed("tests", "deadly")
        record.begin("tests", "deadly")
        record = Record(tmp_path / "campaign.json")
    assert record.is_closed("tests", "deadly")
