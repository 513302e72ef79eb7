"""The fuzzer tells apart what can become of an input, and goes on where it was interrupted."""

import json
import os
import random
import time
from pathlib import Path

import fuzz
import pytest
from fuzz_target import Misaligned, Target

from transformer.common.errors import UserError


def number(rng: random.Random) -> bytes:
    return b"%d" % rng.randrange(7)


def read(path: Path) -> None:
    """End in a way that the input says."""
    match path.read_bytes():
        case b"0":
            raise UserError(f"{path}: no")
        case b"1":
            raise UserError("no file is named")
        case b"2":
            raise ValueError
        case b"3":
            os._exit(7)
        case b"4":
            time.sleep(60)
        case b"5":
            raise Misaligned("by one line")


TARGET = Target("numbers", number, read, damaged=0)
KINDS = ("refused", "unclear", "traceback", "traceback", "hang", "misaligned", "read")


def test_each_outcome_is_counted_and_a_campaign_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fuzz, "WALL_SECONDS", 0.5)
    expected = dict.fromkeys(fuzz.OUTCOMES, 0)
    for n in range(16):
        expected[KINDS[int(number(random.Random(f"numbers 0 {n}")))]] += 1
    for inputs in (7, 16):  # the second campaign reads what the first has written
        campaign = fuzz.Campaign(TARGET, 0, tmp_path)
        campaign.run(inputs)
    assert {**expected, **campaign.counts} == expected
    state = json.loads((tmp_path / "numbers.json").read_text())
    assert state["next"] == campaign.counts.total() == 16
    kept = {file.read_bytes() for file in (tmp_path / "numbers").glob("*/input")}
    assert kept == {b"1", b"2", b"3", b"4", b"5"}


@pytest.mark.parametrize(
    ("message", "outcome"),
    [
        ("file: wrong", "refused"),
        ("file: " + "x" * 395, "unclear"),
        ("file: two\nlines", "unclear"),
        ("file: \x1b", "unclear"),
        ("something is wrong", "unclear"),
    ],
)
def test_which_messages_are_clear(tmp_path: Path, message: str, outcome: str) -> None:
    (tmp_path / "file").touch()
    assert fuzz.judged_message(message, TARGET, tmp_path / "file")[0] == outcome
