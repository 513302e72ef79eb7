"""Files are complete or do not exist, and lines end at line feeds only.

They are synced before they get their names, folders after it, and nothing of killed processes stays behind.
"""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import tiny
from hypothesis import given
from hypothesis import strategies as st

from transformer.common.errors import UserError
from transformer.common.files import (
    file_record,
    read_json,
    read_lines,
    sha256_of,
    temporary_beside,
    write_json,
    write_text,
)
from transformer.common.folders import atomic_folder

LINE = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n\r"))


@given(st.lists(LINE), st.booleans())
def test_lines_end_at_line_feeds_only(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str], final: bool
) -> None:
    """U+2028, U+0085, form feeds and similar characters are part of a line."""
    path = tmp_path_factory.mktemp("lines") / "text"
    path.write_bytes("\n".join(lines).encode() + (b"\n" if final and lines else b""))
    expected = lines if final or not lines or lines[-1] else lines[:-1]
    assert list(read_lines(path)) == expected


def test_invalid_utf8_is_reported_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "text").write_bytes(b"gut\n" * 20_000 + "ü\n".encode("latin-1"))
    with pytest.raises(UserError, match=r"text, line 20001: invalid UTF-8"):
        list(read_lines(tmp_path / "text"))


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    for read in (read_json, sha256_of, lambda path: list(read_lines(path))):
        with pytest.raises(UserError, match="nowhere: no such file"):
            read(tmp_path / "nowhere")


def test_a_full_disk_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "file"
    write_text(path, "old")
    with pytest.raises(OSError, match="File too large"):
        tiny.with_file_size_limit(100, lambda: write_text(path, "x" * 1000))
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_invalid_json(tmp_path: Path) -> None:
    path = tmp_path / "value.json"
    with pytest.raises(ValueError, match="Out of range float"):
        write_json(path, {"loss": float("nan")})
    path.write_text('{\n"a": 1,\nb}')
    with pytest.raises(UserError, match=r"value\.json, line 3: not valid JSON"):
        read_json(path)
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(UserError, match="not UTF-8"):
        read_json(path)


def test_sha256(tmp_path: Path) -> None:
    write_text(tmp_path / "file", "abc")  # the example of FIPS 180-2
    sha256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert sha256_of(tmp_path / "file") == sha256
    assert file_record(tmp_path / "file") == {"name": "file", "sha256": sha256}


def write_folder(path: Path) -> None:
    with atomic_folder(path) as folder:
        (folder / "inner").mkdir()
        (folder / "inner" / "file").write_text("new")


@pytest.mark.parametrize(
    ("write", "synced"),
    [(lambda path: write_text(path, "new"), 1), (write_folder, 4)],
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


@pytest.mark.parametrize("is_there", [True, False])
def test_the_file_that_a_link_names_is_written(tmp_path: Path, is_there: bool) -> None:
    (tmp_path / "disk").mkdir()
    (tmp_path / "link").symlink_to("disk/file")
    if is_there:
        (tmp_path / "disk" / "file").write_text("old")
    write_text(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "disk" / "file").read_text() == "new"


def test_a_file_that_only_its_owner_may_read_stays_so(tmp_path: Path) -> None:
    write_text(tmp_path / "private", "old")
    (tmp_path / "private").chmod(0o600)
    write_text(tmp_path / "private", "new")
    assert (tmp_path / "private").stat().st_mode & 0o777 == 0o600


def test_a_pipe_gets_the_text_and_stays(tmp_path: Path) -> None:
    """As ``script --output >(head)``."""
    os.mkfifo(tmp_path / "pipe")
    with subprocess.Popen(["cat", str(tmp_path / "pipe")], stdout=subprocess.PIPE) as reader:
        write_text(tmp_path / "pipe", "new")
        assert reader.communicate(timeout=30) == (b"new", None)
    assert (tmp_path / "pipe").is_fifo()


def test_what_killed_processes_left_is_removed_and_what_others_write_stays(tmp_path: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, text=True
    )
    dead, node = int(ended.stdout), os.uname().nodename
    (tmp_path / f".a*.{node}-{dead}.tmp").touch()
    (tmp_path / f".folder.{node}-{dead}.tmp" / "new").mkdir(parents=True)
    others = [f".a*.{node}-{os.getppid()}.tmp", f".a*.elsewhere-{dead}.tmp", f".ab.{node}-{dead}.tmp"]
    for name in others:
        (tmp_path / name).touch()
    temporary_beside(tmp_path / "a*")
    temporary_beside(tmp_path / "folder")
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(others)
