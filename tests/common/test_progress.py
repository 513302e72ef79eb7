"""Progress is a bar on a terminal, and lines in a log."""

import io

import pytest

from transformer.common import progress as module
from transformer.common.progress import Progress


def test_a_log_gets_whole_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    log = io.StringIO()
    monkeypatch.setattr("sys.stderr", log)
    monkeypatch.setattr(module, "EVERY", 0.0)
    with Progress(4, "step", "training") as progress:
        for _ in range(4):
            progress.update(1, loss="1.5")
        progress.note("a note")
    lines = log.getvalue().splitlines()
    assert "\r" not in log.getvalue()
    assert len(lines) == 6  # each update, the note, the end
    assert all(line.startswith("training: ") and "loss=1.5" in line for line in lines[:4])
    assert "1/4" in lines[0]
    assert lines[4] == "a note"
    assert "100%" in lines[5]


def test_a_log_is_not_flooded(capsys: pytest.CaptureFixture[str]) -> None:
    with Progress(1000, "step", "training") as progress:
        for _ in range(1000):
            progress.update(1)
    assert len(capsys.readouterr().err.splitlines()) == 1
