"""What a file is, is found from its content; each kind is read, or named in one line."""

import bz2
import gzip
import io
import lzma
import os
import tarfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from transformer.common.errors import UserError
from transformer.corpus.file_formats import check_whole, kind_of
from transformer.corpus.text import Part, read_pair_blocks, read_text

LINES = [f"línea {number}" for number in range(3000)]
TEXT = "".join(f"{line}\n" for line in LINES).encode()
# The time in a gzip would give the same case another name in each of pytest's processes.
PACKED = {"gzip": gzip.compress(TEXT, mtime=0), "bzip2": bz2.compress(TEXT), "xz": lzma.compress(TEXT)}


def written(folder: Path, content: bytes, name: str = "a.txt") -> Path:
    (folder / name).write_bytes(content)
    return folder / name


def refused(path: Path, message: str) -> None:
    with pytest.raises(UserError, match=message):
        list(read_text(path))


def tarred(members: Mapping[str, bytes | tarfile.TarInfo], mode: str = "w") -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode) as tar:  # type: ignore[call-overload]
        for name, content in members.items():
            member = content if isinstance(content, tarfile.TarInfo) else tarfile.TarInfo(name)
            data = b"" if isinstance(content, tarfile.TarInfo) else content
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
    return buffer.getvalue()


def zipped(members: Mapping[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


READ = [
    TEXT,
    TEXT.decode().encode("utf-16"),
    TEXT.replace(b"\n", b"\r\n"),
    TEXT.removesuffix(b"\n"),
    *PACKED.values(),
    lzma.compress(TEXT, lzma.FORMAT_ALONE),
    b"".join(gzip.compress(part, mtime=0) for part in (TEXT[:1000], b"", TEXT[1000:])),
    PACKED["gzip"] + bytes(5000),  # zeros, as on a tape
    bz2.compress(TEXT[:1000]) + bz2.compress(TEXT[1000:]),
]


@pytest.mark.parametrize("name", ["a.txt", "a.gz"])
@pytest.mark.parametrize("content", READ)
def test_text_is_read_whatever_its_name(tmp_path: Path, content: bytes, name: str) -> None:
    assert list(read_text(written(tmp_path, content, name))) == LINES


@pytest.mark.parametrize("kind", PACKED)
def test_bytes_behind_are_said(tmp_path: Path, kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert list(read_text(written(tmp_path, PACKED[kind] + b"\r\n"))) == LINES
    assert f"a.txt: 2 bytes behind the end of its {kind} data are ignored\n" in capsys.readouterr().err
    refused(written(tmp_path, PACKED[kind] + b"x" * 5000), f"behind the first {kind} data is something else")


@pytest.mark.parametrize("kind", PACKED)
@pytest.mark.parametrize("keep", [-1, 0.5, 12])
def test_truncated(tmp_path: Path, kind: str, keep: float) -> None:
    content = PACKED[kind]
    path = written(tmp_path, content[: int(keep * len(content) if keep == 0.5 else keep)])
    refused(path, rf"a\.txt: damaged or truncated \(the {kind} data ends too early\)")
    with pytest.raises(UserError, match="damaged or truncated"):
        check_whole(path)


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"\x28\xb5\x2f\xfd\0\0", "compressed by zstd; unpack it with zstd -d"),
        (gzip.compress(tarred({"a": b""}), mtime=0), "a tar archive; name it as `archive`"),
        (zipped({"a.txt": b"a"}), "a zip archive, as office documents are; name it as `archive`"),
        *(
            (begin + b"\n", "PDF, RTF, Parquet or rar; ")
            for begin in (b"%PDF-1.4", b"{\\rtf1", b"PAR1", b"Rar!")
        ),
        (b'{"de": "a", "en": "b"}\n', "JSON; "),
        (b'[\n  {\n    "de": "a",\n', "JSON; "),
        (b'\xef\xbb\xbf{"de": "a", "en": "b"}\n', "JSON; "),
        (b'{"text": "' + b"a " * 40000, "JSON; "),
        (b"<!DOCTYPE html><title>Please log in</title>", r"a web page \(HTML\); get the file itself"),
        (b'\n<html lang="en">\n<body>', r"a web page \(HTML\); "),
        (b"version https://git-lfs.github.com/spec/v1\n", "a pointer of Git LFS, not the file; "),
        ("año 1\n".encode("utf-16-le"), r"binary data \(b'a.*, or text in UTF-16 without a mark"),
        (b"\xd0\xcf\x11\xe0" + bytes(range(256)) * 3, r"binary data \(b'\\xd0"),
        (b"\x1f\x9d\x90\0\x02\x03\xff", "binary data"),
        (gzip.compress(PACKED["gzip"], mtime=0), "compressed twice; decompress it once"),
    ],
)
def test_what_is_no_text_is_named(tmp_path: Path, content: bytes, what: str) -> None:
    refused(written(tmp_path, content), rf"a\.txt: {what}")


@pytest.mark.parametrize(
    "line", ['{"a": 1} is a set.', "<html> begins a page.", "<!-- begins a comment", "PK is"]
)
def test_a_sentence_about_markup_is_text(tmp_path: Path, line: str) -> None:
    assert list(read_text(written(tmp_path, line.encode() + b"\n"))) == [line]


# Archives: `ARCHIVE/MEMBER` is a text.

MEMBERS = {"training/a.en": TEXT, "other/c": b"x\n", "b.gz": PACKED["gzip"]}
ARCHIVES = {
    "tgz": tarred(MEMBERS, "w:gz"),
    "tar": tarred(MEMBERS),
    "tar.xz": lzma.compress(tarred(MEMBERS)),
    "zip": zipped(MEMBERS),
}


@pytest.mark.parametrize("kind", ARCHIVES)
def test_members(tmp_path: Path, kind: str) -> None:
    archive = written(tmp_path, ARCHIVES[kind], "download")
    assert kind_of(archive) == "archive"
    check_whole(archive)
    for member in ("training/a.en", "b.gz"):
        assert list(read_text(archive / member)) == LINES
    for member in ("a.fr", "training"):
        refused(archive / member, rf"download: no file {member} in it, but b\.gz, other/c, training/a\.en; ")
    assert list(tmp_path.iterdir()) == [archive]


@pytest.mark.parametrize("kind", ARCHIVES)
@pytest.mark.parametrize("keep", [20, 0.5, -5])
def test_a_truncated_archive(tmp_path: Path, kind: str, keep: float) -> None:
    noise = {name: os.urandom(50_000).hex().encode() for name in ("a", "b")}
    made = {"tgz": tarred(noise, "w:gz"), "tar": tarred(noise), "tar.xz": lzma.compress(tarred(noise))}
    content = (made | {"zip": zipped(noise)})[kind]
    path = written(tmp_path, content[: int(keep * len(content) if keep == 0.5 else keep)], "x")
    if kind == "tar" and keep == -5:
        return  # the zeros behind its last member say nothing
    refused(path / "b", "x: (damaged or truncated|no tar or zip archive, or damaged)")
    if keep != 20:
        with pytest.raises(UserError, match="damaged or truncated"):
            check_whole(path)


@pytest.mark.parametrize("name", ["/data/train.en", "./data/train.en"])
def test_names_are_read_as_tar_unpacks_them(tmp_path: Path, name: str) -> None:
    archive = written(tmp_path, tarred({name: TEXT}), "a.tgz")
    assert list(read_text(archive / "data/train.en")) == LINES
    refused(archive / "TRAIN.EN", "no file TRAIN.EN in it, but data/train.en")


def linked() -> tarfile.TarInfo:
    link = tarfile.TarInfo("link")
    link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
    return link


def spoiled(offset: int, value: int) -> bytes:
    """A zip whose directory says something else of its only member."""
    content = bytearray(zipped({"texts\\a.en": TEXT}))
    content[content.rindex(b"PK\x01\x02") + offset] = value
    return bytes(content)


@pytest.mark.parametrize(
    ("content", "member", "message"),
    [
        (tarred({"link": linked()}), "link", "link is no file but a link to '/etc/passwd'"),
        (spoiled(8, 1), "texts/a.en", r"texts/a\.en cannot be read \(.*encrypted"),
        (spoiled(10, 93), "texts/a.en", r"texts/a\.en cannot be read \(.*compression"),
        (b"7z\xbc\xaf\x27\x1c\0", "a", "no tar or zip archive, or damaged"),
        (b"text\n", "a", "no tar or zip archive, or damaged"),
    ],
)
def test_members_that_cannot_be_read(tmp_path: Path, content: bytes, member: str, message: str) -> None:
    refused(written(tmp_path, content, "a.zip") / member, rf"a\.zip: {message}")


def test_two_members_of_one_name(tmp_path: Path) -> None:
    both = tarred({"a": b"old\n"})[:1024] + tarred({"a": b"new\n"})
    refused(written(tmp_path, both) / "a", r"a\.txt: a is in it twice")


def test_damage_is_said_of_the_damaged_file(tmp_path: Path) -> None:
    """Of two files that are open at once; and of a member, after all of its lines."""
    good, bad = (
        written(tmp_path, content, name) for content, name in ((TEXT, "good"), (PACKED["gzip"][:-1], "bad"))
    )
    with pytest.raises(UserError, match=r"bad: damaged or truncated"):
        list(read_pair_blocks(Part(bad, good)))
    archive = written(tmp_path, tarred({"a": TEXT, "b": TEXT}, "w:gz")[:-1])
    refused(archive / "a", r"a\.txt: damaged or truncated")
