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
    atomic_folder,
    atomic_path,
    file_record,
    read_json,
    read_lines,
    sha256_of,
    temporary_beside,
    write_json,
    write_text,
)

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


def test_lines_of_windows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "text").write_bytes(b"a\r\n" * 100 + b"b\rc\n")
    assert list(read_lines(tmp_path / "text")) == [*["a"] * 100, "b\rc"]
    assert (
        "text, line 101: a carriage return (CR) inside the line, as in 1 of 101 lines"
        in capsys.readouterr().err
    )


def test_lines_of_an_old_mac(tmp_path: Path) -> None:
    (tmp_path / "text").write_bytes(b"a\rb\r\rc")
    assert list(read_lines(tmp_path / "text")) == ["a", "b", "", "c"]


@pytest.mark.parametrize("content", [b"a\nb\rc\n", b"a\rb\r\n", b"a\r" * 40_000 + b"b\nc\r"])
def test_lines_that_end_in_two_ways(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "text").write_bytes(content)
    with pytest.raises(UserError, match=r"text, line \d+: .*; end all lines in one way"):
        list(read_lines(tmp_path / "text"))


def test_invalid_utf8_is_reported_with_line_and_column(tmp_path: Path) -> None:
    (tmp_path / "text").write_bytes("gut\nü\xff\n".encode("latin-1"))
    expected = r"text, line 2: invalid UTF-8 \(byte 0xfc at column 1, in Latin-1 ü\)"
    with pytest.raises(UserError, match=expected):
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


def test_the_file_appears_at_the_end(tmp_path: Path) -> None:
    with atomic_path(tmp_path / "file") as temporary:
        temporary.write_bytes(b"x")
        assert not (tmp_path / "file").exists()
        assert temporary.parent == tmp_path  # on the same disk, so that it can be renamed
    assert (tmp_path / "file").read_bytes() == b"x"


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
