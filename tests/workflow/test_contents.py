"""A file of the user's own is known by its content, whatever its size and its date, and is read once in each state."""

import os
from pathlib import Path

import pytest

from transformer.common.files import sha256_of
from transformer.workflow import contents
from transformer.workflow.contents import KNOWN, content_of


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(contents, "SETTLED", -1.0)  # files of this moment may be remembered
    file = tmp_path / "train.de"
    file.write_text("a\nb\n")
    return file


def test_the_same_size_and_an_older_date_are_another_content(file: Path) -> None:
    before = content_of(file)
    file.write_text("b\na\n")
    os.utime(file, (1, 1))
    assert content_of(file) == sha256_of(file) != before


def test_a_file_is_read_once_in_each_state(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[Path] = []

    def noted(path: Path) -> str:
        read.append(path)
        return sha256_of(path)

    monkeypatch.setattr(contents, "sha256_of", noted)
    assert content_of(file) == content_of(file) == sha256_of(file)
    assert read == [file]
    KNOWN.write_text("{")
    assert content_of(file) == sha256_of(file)
    file.touch()
    content_of(file)
    assert len(read) == 3


def test_a_young_file_is_not_remembered(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contents, "SETTLED", 3600.0)
    content_of(file)
    assert not KNOWN.exists()
