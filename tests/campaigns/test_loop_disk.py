"""What a real file system has after a power cut."""

import os
import posix
from collections.abc import Iterator
from pathlib import Path

import pytest
from loop_disk import LoopDisk

from transformer.common.files import atomic_folder, write_json, write_text


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
