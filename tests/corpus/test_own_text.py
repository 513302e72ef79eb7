"""Reading the user's own parallel text."""

import gzip
from pathlib import Path

import pytest

from transformer.common.errors import UserError
from transformer.corpus.own_text import OwnPart, gather


def part(folder: Path, source: bytes, target: bytes, name: str = "a") -> OwnPart:
    paths = (folder / f"{name}.el", folder / f"{name}.en")
    for path, content in zip(paths, (source, target), strict=True):
        path.write_bytes(content)
    return OwnPart(*paths)


def table(folder: Path, content: bytes, columns: tuple[int, int] = (2, 1), name: str = "a.tsv") -> OwnPart:
    path = folder / name
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    return OwnPart(path, path, columns)


def gathered(folder: Path, *parts: OwnPart) -> tuple[str, str]:
    outputs = (folder / "out" / "train.el", folder / "out" / "train.en")
    gather(parts, outputs)
    source, target = (path.read_text(encoding="utf-8") for path in outputs)
    return source, target


def test_files_and_columns_are_joined(tmp_path: Path) -> None:
    parts = [
        part(tmp_path, "α\n\nβ".encode(), b"a\n\nb\n"),
        table(tmp_path, "c\tγ\textra\nd\tδ\n".encode(), name="a.tsv.gz"),
    ]
    assert gathered(tmp_path, *parts) == ("α\n\nβ\nγ\nδ\n", "a\n\nb\nc\nd\n")


def test_windows_writes_a_mark_and_other_line_ends(tmp_path: Path) -> None:
    """Marks stay, for cleaning to take off and count."""
    first = table(tmp_path, "\ufeffa\tα\r\nb\tβ\r\n".encode())
    assert gathered(tmp_path, first) == ("α\nβ\n", "\ufeffa\nb\n")
    second = part(tmp_path, "\ufeffα\r\n\ufeffβ".encode(), b"a\r\nb", "b")
    assert gathered(tmp_path, second) == ("\ufeffα\n\ufeffβ\n", "a\nb\n")
    assert gathered(tmp_path, first, second) == ("α\nβ\n\ufeffα\n\ufeffβ\n", "\ufeffa\nb\na\nb\n")


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ("a\tα\nb\n".encode(), r"a\.tsv, line 2: it has 1 tab-separated columns, but column 2 is asked for"),
        (b"a\t\nb\t \n", r"a\.tsv: column 2 is empty in each of 2 lines"),
        ("a\tα\n".encode() + "b\tά\n".encode("iso8859-7"), r"a\.tsv, line 2: invalid UTF-8 \(byte 0xdc at column 3\)"),
        (b"", r"a\.tsv: the file is empty"),
    ],
)  # fmt: skip
def test_columns_that_cannot_be_read(tmp_path: Path, content: bytes, line: str) -> None:
    with pytest.raises(UserError, match=line):
        gathered(tmp_path, table(tmp_path, content))
    assert not any((tmp_path / "out").iterdir())


@pytest.mark.parametrize(
    ("source", "target", "line"),
    [
        (b"a\nb\n", b"a\n", r"a\.el has 2 lines but .*a\.en has 1: they are not sentence-aligned"),
        (b"\n\n", b"a\nb\n", r"a\.el: the text is empty in each of 2 lines"),
        (b"a\n\xe4\n", b"a\nb\n", r"a\.el, line 2: invalid UTF-8"),
        ("a\n".encode("utf-16"), b"a\n", r"a\.el, line 1: invalid UTF-8"),
    ],
)
def test_files_that_do_not_fit(tmp_path: Path, source: bytes, target: bytes, line: str) -> None:
    with pytest.raises(UserError, match=line):
        gathered(tmp_path, part(tmp_path, b"a\n", b"a\n", "good"), part(tmp_path, source, target))
    assert not any((tmp_path / "out").iterdir())
