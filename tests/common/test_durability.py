"""Files are synced before they get their names, folders after it, and nothing of killed processes stays behind."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from transformer.common.durability import atomic_folder, temporary_beside
from transformer.common.files import write_text


def write_folder(path: Path) -> None:
    with atomic_folder(path) as folder:
        (folder / "inner").mkdir()
        (folder / "inner" / "file").write_text("new")


@pytest.mark.parametrize(
    ("write", "synced"),
    [(lambda path: write_text(path, "new"), 1), (write_folder, 3)],
    ids=["file", "folder"],
)
def test_everything_is_synced_before_the_rename_and_the_name_after_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write: Callable[[Path], None], synced: int
) -> None:
    done: list[str] = []
    fsync, replace = os.fsync, os.replace
    path = tmp_path / "made"

    def note_fsync(descriptor: int) -> None:
        at = Path(os.readlink(f"/proc/self/fd/{descriptor}"))
        done.append("folder" if at == tmp_path else "content")
        fsync(descriptor)

    def note_replace(source: Path, target: Path) -> None:
        done.append("renamed")
        replace(source, target)

    monkeypatch.setattr(os, "fsync", note_fsync)
    monkeypatch.setattr(os, "replace", note_replace)
    write(path)
    assert done == [*synced * ["content"], "renamed", "folder"]


def test_an_existing_folder_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "made"
    path.mkdir()
    (path / "old").touch()
    write_folder(path)
    assert sorted(file.name for file in tmp_path.rglob("*")) == ["file", "inner", "made"]


def test_a_failure_leaves_the_old_folder_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "made"
    write_folder(path)

    def fail() -> None:
        with atomic_folder(path) as folder:
            (folder / "half").touch()
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert sorted(file.name for file in tmp_path.rglob("*")) == ["file", "inner", "made"]


def test_what_killed_processes_left_is_removed_and_what_others_write_stays(tmp_path: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, text=True
    )
    dead = int(ended.stdout)
    (tmp_path / f".a*.{dead}.tmp").touch()
    (tmp_path / f".folder.{dead}.tmp" / "new").mkdir(parents=True)
    others = [f".a*.{os.getppid()}.tmp", f".b.{dead}.tmp", f".a*.txt.{dead}.tmp", f".ab.{dead}.tmp"]
    for name in others:
        (tmp_path / name).touch()
    temporary_beside(tmp_path / "a*")
    temporary_beside(tmp_path / "folder")
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(others)
