"""Progress is lines in a log."""

import pytest

from transformer.common import progress as module
from transformer.common.progress import Progress


def test_a_log_gets_whole_lines(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(module, "EVERY", 0.0)
    with Progress(4, "steps") as progress:
        for _ in range(4):
            progress.update(1, loss="1.5")
        progress.note("a note")
    lines = capsys.readouterr().err.split("\n")
    assert len(lines) == 7  # each update, the note, the end
    assert [line.split(",")[0] for line in lines[:2]] == [
        "progress: 25%  1/4 steps",
        "progress: 50%  2/4 steps",
    ]
    assert all(line.endswith("loss 1.5") for line in lines[:4])
    assert " left, " in lines[0]
    assert lines[4] == "a note"
    assert lines[5].startswith("progress: 100%  4/4 steps, ")


def test_work_of_unknown_length_is_counted(capsys: pytest.CaptureFixture[str]) -> None:
    with Progress(None, "pairs") as progress:
        progress.update(12_000)
    assert capsys.readouterr().err.startswith("progress: 12,000 pairs, ")


def test_a_log_is_not_flooded(capsys: pytest.CaptureFixture[str]) -> None:
    with Progress(1000, "steps") as progress:
        for _ in range(1000):
            progress.update(1)
    assert len(capsys.readouterr().err.splitlines()) == 1
