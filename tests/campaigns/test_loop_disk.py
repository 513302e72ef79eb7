"""What a real file system has after a power cut, and how the campaign of kills counts."""

import os
import posix
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from kills import _mistakes, summary
from loop_disk import LoopDisk

from transformer.common.durability import atomic_folder
from transformer.common.files import write_json, write_text


@pytest.fixture
def disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[LoopDisk]:
    if not LoopDisk.possible(tmp_path):
        pytest.skip("only root can mount a disk, and not everywhere")
    disk = LoopDisk(tmp_path / "disk.img", tmp_path / "disk")
    disk.mount()
    # The real one, which tests/conftest.py replaces.
    monkeypatch.setattr(os, "fsync", posix.fsync)
    yield disk
    disk.unmount()


def test_a_power_cut_spares_what_is_written_atomically(disk: LoopDisk) -> None:
    for write in (
        lambda: (disk.folder / "plain").write_text("not synced"),
        lambda: write_text(disk.folder / "text", "whole"),
        lambda: write_json(disk.folder / "text", ["another"]),
    ):
        write()
    with atomic_folder(disk.folder / "folder") as folder:
        (folder / "file").write_text("whole")
    (disk.folder / "later").write_text("not synced")
    disk.cut_power()
    with pytest.raises(OSError, match="Input/output error"):
        (disk.folder / "plain").read_text()
    disk.unmount()
    disk.mount()
    assert (disk.folder / "text").read_text() == '[\n  "another"\n]\n'
    assert (disk.folder / "folder" / "file").read_text() == "whole"
    assert (disk.folder / "plain").read_text() == ""  # its name was in the journal, its content nowhere
    assert not (disk.folder / "later").exists()


def test_it_fills_up_and_becomes_read_only(disk: LoopDisk) -> None:
    disk.fill(left=1 << 12)
    with pytest.raises(OSError, match="No space left"):
        write_text(disk.folder / "text", "x" * (1 << 20))
    disk.empty()
    write_text(disk.folder / "text", "x" * (1 << 20))
    disk.make_read_only()
    with pytest.raises(OSError, match="Read-only"):
        write_text(disk.folder / "text", "y")
    disk.unmount()
    subprocess.run(["e2fsck", "-p", disk.image], capture_output=True)
    disk.mount()
    assert (disk.folder / "text").read_text() == "x" * (1 << 20)


def test_the_counts() -> None:
    rows: list[dict[str, Any]] = [
        {"stage": "data", "files": 3},
        {"kind": "signal", "signal": "SIGKILL", "victim": "encode", "outcome": "clean"},
        {"kind": "signal", "signal": "SIGKILL", "victim": "clean", "outcome": "hung"},
        {"kind": "power cut", "signal": "", "victim": "disk", "outcome": "clean"},
        {"finished": 362, "differ": ["a"], "left": []},
    ]
    lines = summary(rows).splitlines()
    assert "| power cut | 1 | 1 | 0 | 0 | 0 | 0 |" in lines
    assert "| SIGKILL to another job | 1 | 0 | 0 | 1 | 0 | 0 |" in lines
    assert "| all | 3 | 2 | 0 | 1 | 0 | 0 |" in lines
    assert "artifacts compared: 362, of these different: 1" in lines[-1]


def test_an_interrupted_python_that_is_starting_is_no_mistake() -> None:
    traceback = 'Traceback (most recent call last):\n  File "a.py", line 1\n    import b\n'
    said = f"{traceback}KeyboardInterrupt\n====\n{traceback}ValueError: b\nmore"
    assert _mistakes(said) == ["ValueError: b"]
