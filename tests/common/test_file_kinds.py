"""What a file is, is found from its content; each kind is read or named in one line."""

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
from pathlib import Path

import pytest

from transformer.common.errors import UserError
from transformer.common.files import read_lines

LINES = [f"línea {number}" for number in range(3000)]
TEXT = "".join(f"{line}\n" for line in LINES).encode()
# The time in a gzip would give the same case another name in each of pytest's processes.
PACKED = {"gzip": gzip.compress(TEXT, mtime=0), "bzip2": bz2.compress(TEXT), "xz": lzma.compress(TEXT)}


def written(folder: Path, content: bytes, name: str = "a.txt") -> Path:
    (folder / name).write_bytes(content)
    return folder / name


def tarred() -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        tar.addfile(tarfile.TarInfo("a"))
    return buffer.getvalue()


def zipped(name: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(name, "a")
    return buffer.getvalue()


READ = [
    TEXT,
    *PACKED.values(),
    lzma.compress(TEXT, lzma.FORMAT_ALONE),
    b"".join(gzip.compress(part, mtime=0) for part in (TEXT[:1000], b"", TEXT[1000:])),
    PACKED["gzip"] + bytes(5000),  # zeros, as on a tape
    bz2.compress(TEXT[:1000]) + bz2.compress(TEXT[1000:]),
    gzip.compress(PACKED["xz"], mtime=0),
]


@pytest.mark.parametrize("name", ["a.txt", "a.gz"])
@pytest.mark.parametrize("content", READ)
def test_text_is_read_whatever_its_name(tmp_path: Path, content: bytes, name: str) -> None:
    assert list(read_lines(written(tmp_path, content, name))) == LINES


@pytest.mark.parametrize("kind", PACKED)
def test_bytes_behind_are_said(tmp_path: Path, kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert list(read_lines(written(tmp_path, PACKED[kind] + b"\r\n"))) == LINES
    assert f"a.txt: 2 bytes behind the end of its {kind} data are ignored\n" in capsys.readouterr().err
    expected = rf"after line 3000: .*behind the first {kind} data is something else"
    with pytest.raises(UserError, match=expected):
        list(read_lines(written(tmp_path, PACKED[kind] + b"x" * 5000)))


@pytest.mark.parametrize("kind", PACKED)
def test_truncated(tmp_path: Path, kind: str) -> None:
    content = PACKED[kind]
    for keep in (len(content) - 1, len(content) // 2, 12):
        expected = rf"a\.txt(, after line \d+)?: damaged or truncated \(the {kind} data ends"
        with pytest.raises(UserError, match=expected):
            list(read_lines(written(tmp_path, content[:keep])))


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"\x28\xb5\x2f\xfd\0\0", "compressed by zstd; unpack it with zstd -d"),
        (b"\x1f\x9d\x90\0", r"compressed by compress \(.Z\); unpack it with gzip -d"),
        (b"7z\xbc\xaf\x27\x1c\0", "a 7z archive; unpack it with 7z x"),
        (gzip.compress(tarred(), mtime=0), "a tar archive; name it as `archive`"),
        (zipped("a.txt"), "a zip archive; name it as `archive`"),
        (zipped("[Content_Types].xml"), "an office document; save it as text"),
        (b'{"de": "a", "en": "b"}\n', "JSON; "),
        (b'[\n  {\n    "de": "a",\n', "JSON; "),
        (b'\xef\xbb\xbf{"de": "a", "en": "b"}\n', "JSON; "),
        (b"/annex/objects/SHA256E-s9--0a.txt\n", "a pointer of git-annex, not the file; run git annex get"),
        (b'{\n  "de": "a"\n}\n', "JSON; "),
        (b'{"text": "' + b"a " * 40000, "JSON; "),
        (b"<!DOCTYPE html><title>Please log in</title>", r"a web page \(HTML\); get the file itself"),
        (b'\n<html lang="en">\n<body>', r"a web page \(HTML\); "),
        ("año\n".encode("utf-16"), "text in UTF-16; convert it to UTF-8: iconv -f UTF-16 -t UTF-8"),
        ("año 1\n".encode("utf-16-le"), "text in UTF-16LE without a mark; .*iconv -f UTF-16LE"),
        ("一个 人一个\n".encode("utf-16-be") * 9, "text in UTF-16BE without a mark"),
        (bytes(range(256)) * 3, "binary data, no text"),
        (
            gzip.compress(gzip.compress(gzip.compress(b"a", mtime=0), mtime=0), mtime=0),
            "compressed by gzip more than twice",
        ),
    ],
)
def test_what_is_no_text_is_named(tmp_path: Path, content: bytes, what: str) -> None:
    with pytest.raises(UserError, match=rf"a\.txt: {what}"):
        list(read_lines(written(tmp_path, content)))


@pytest.mark.parametrize("line", ['{"a": 1} is a set.', "<html> begins a page.", "<!-- begins a comment"])
def test_a_sentence_about_markup_is_text(tmp_path: Path, line: str) -> None:
    assert list(read_lines(written(tmp_path, line.encode() + b"\n"))) == [line]


def test_a_few_nuls_are_left_to_cleaning(tmp_path: Path) -> None:
    assert len(list(read_lines(written(tmp_path, TEXT + b"a\0b\n")))) == 3001
