"""The sha256 of files that are not JSON."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from transformer.common import checksums
from transformer.common.checksums import cached_sha256, check_sha256, check_sums, read_sums, write_sums
from transformer.common.errors import UserError
from transformer.common.files import sha256_of


@pytest.fixture
def sums(tmp_path: Path) -> Path:
    for name in ("a", "b c"):
        (tmp_path / name).write_text(name)
    path = tmp_path / "x.sha256"
    write_sums(path, {name: sha256_of(tmp_path / name) for name in ("a", "b c")})
    return path


def test_sha256sum_reads_them(sums: Path) -> None:
    done = subprocess.run(
        ["sha256sum", "--check", "--strict", sums.name], cwd=sums.parent, capture_output=True, text=True
    )
    assert (done.returncode, done.stdout) == (0, "a: OK\nb c: OK\n")


def test_a_file_that_is_another_one(sums: Path) -> None:
    a = sums.with_name("a")
    check_sums(sums, a, sums.with_name("b c"))
    a.write_text("b")
    with pytest.raises(
        UserError, match=f"{a}: not the file that was written: {sums} has another sha256 of it; delete"
    ):
        check_sums(sums, a)
    a.unlink()
    with pytest.raises(UserError, match=f"{a}: no such file, though {sums} has its sha256; train again"):
        check_sha256(a, "0" * 64, sums, "train again")
    with pytest.raises(UserError, match=f"{sums}: no sha256 of other; delete it"):
        check_sums(sums, sums.with_name("other"))


@pytest.mark.parametrize(
    "edit",
    [
        lambda text: text.upper(),
        lambda text: text.replace("  a", "  ../a"),
        lambda text: text + text[:67] + "\n",  # of a file that it has already
        lambda text: text[:-1],
        lambda text: "",
    ],
)
def test_sums_that_are_none(sums: Path, edit: Callable[[str], str]) -> None:
    sums.write_text(edit(sums.read_text()))
    with pytest.raises(UserError, match=r"x.sha256: the list of sha256 sums is damaged or cut off; delete"):
        read_sums(sums)


def test_sums_that_are_missing_or_no_text(sums: Path) -> None:
    sums.write_bytes(b"\xff")
    with pytest.raises(UserError, match=r"x.sha256, line 1: no list of sha256 sums \(not UTF-8\); delete it"):
        read_sums(sums)
    sums.unlink()
    with pytest.raises(UserError, match="x.sha256: no such file"):
        read_sums(sums)


def test_a_large_file_is_read_once_in_each_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []

    def counted(path: str) -> str:
        read.append(path)
        return sha256_of(path)

    monkeypatch.setattr(checksums, "sha256_of", counted)
    monkeypatch.setattr(checksums, "SETTLED", 0.0)
    file = tmp_path / "weights"
    file.write_text("first")
    first = cached_sha256(file)
    assert cached_sha256(file) == cached_sha256(str(file)) == first
    assert len(read) == 1
    file.write_text("other")  # of the same size
    os.utime(file, ns=(1, 1))
    assert cached_sha256(file) == sha256_of(file) != first
    assert len(read) == 2


def test_a_file_that_may_still_change_is_read_again(tmp_path: Path) -> None:
    """Two writes within a tick of the clock leave the same times."""
    file = tmp_path / "weights"
    for text in ("first", "other"):
        file.write_text(text)
        assert cached_sha256(file) == sha256_of(file)
