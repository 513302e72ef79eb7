import gzip
import io
import os
import re
import stat
import tarfile
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from transformer.common.errors import UserError
from transformer.corpus.archives import check_archive, unpack

TEXT = b"".join(b"line %d\n" % number for number in range(1000))


def make_tar(path: Path, members: Mapping[str, bytes | tarfile.TarInfo]) -> Path:
    with tarfile.open(path, "w:gz") as tar:
        for name, content in members.items():
            member = content if isinstance(content, tarfile.TarInfo) else tarfile.TarInfo(name)
            data = b"" if isinstance(content, tarfile.TarInfo) else content
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
    return path


def make_zip(path: Path, members: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as zipped:
        for name, content in members.items():
            zipped.writestr(name, content)
    return path


MAKERS = [(make_tar, "corpus.tgz"), (make_zip, "corpus.zip")]


def unpack_fails(archive: Path, message: str) -> None:
    """Check that unpacking raises UserError and leaves nothing, inside or outside the output."""
    before = sorted(archive.parent.iterdir())
    with pytest.raises(UserError, match=message):
        unpack(archive, archive.parent / "output")
    assert sorted(archive.parent.iterdir()) == before


def test_gzip(tmp_path: Path) -> None:
    (tmp_path / "train.en.gz").write_bytes(gzip.compress(TEXT))
    unpack(tmp_path / "train.en.gz", tmp_path / "output")
    assert (tmp_path / "output").read_bytes() == TEXT


@pytest.mark.parametrize("keep", [0, 5, 15, -1, -9])
def test_truncated_gzip(tmp_path: Path, keep: int) -> None:
    archive = tmp_path / "train.en.gz"
    archive.write_bytes(gzip.compress(TEXT)[:keep])
    unpack_fails(archive, r"train\.en\.gz: damaged or truncated")


def test_damaged_gzip(tmp_path: Path) -> None:
    archive = tmp_path / "train.en.gz"
    damaged = bytearray(gzip.compress(TEXT))
    damaged[len(damaged) // 2] ^= 0xFF
    archive.write_bytes(damaged)
    unpack_fails(archive, r"train\.en\.gz: damaged or truncated")
    archive.write_bytes(b"<html>not found</html>")
    unpack_fails(archive, r"train\.en\.gz: damaged or truncated")


@pytest.mark.parametrize(("make", "name"), MAKERS)
def test_folders(tmp_path: Path, make: object, name: str) -> None:
    assert callable(make)
    archive = make(tmp_path / name, {"a/train.en": TEXT, "a/b/train.de": b"x\n", "top": b""})
    (tmp_path / "output").mkdir()
    (tmp_path / "output" / "stale").touch()
    unpack(archive, tmp_path / "output")
    files = {
        path.relative_to(tmp_path / "output"): path.read_bytes()
        for path in tmp_path.glob("output/**/*")
        if path.is_file()
    }
    assert files == {Path("a/train.en"): TEXT, Path("a/b/train.de"): b"x\n", Path("top"): b""}
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.parametrize(("make", "name"), MAKERS)
@pytest.mark.parametrize(
    "member", ["../outside", "a/../../outside", "/outside", "..\\outside", "C:\\outside"]
)
def test_a_member_that_climbs_out(tmp_path: Path, make: object, name: str, member: str) -> None:
    assert callable(make)
    unpack_fails(make(tmp_path / name, {"fine": b"", member: b"evil"}), r"is outside its folder")


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE])
def test_a_tar_member_that_is_not_a_plain_file(tmp_path: Path, kind: bytes) -> None:
    link = tarfile.TarInfo("link")
    link.type, link.linkname = kind, "/etc/passwd"
    unpack_fails(make_tar(tmp_path / "corpus.tgz", {"link": link}), "'link' is a link, a device")


def test_a_zip_member_that_is_a_link(tmp_path: Path) -> None:
    link = zipfile.ZipInfo("link")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(tmp_path / "corpus.zip", "w") as zipped:
        zipped.writestr(link, "/etc/passwd")
    unpack_fails(tmp_path / "corpus.zip", "'link' is a link, a device")


@pytest.mark.parametrize(("make", "name"), MAKERS)
@pytest.mark.parametrize("keep", [0, 20, 0.5])
def test_a_truncated_archive(tmp_path: Path, make: object, name: str, keep: float) -> None:
    assert callable(make)
    archive = make(tmp_path / name, {"train.en": os.urandom(100_000), "train.de": os.urandom(100_000)})
    size = archive.stat().st_size
    os.truncate(archive, int(keep * size) if keep < 1 else int(keep))
    unpack_fails(archive, "damaged or truncated")


def test_unknown_kind_and_missing_file(tmp_path: Path) -> None:
    (tmp_path / "corpus.rar").touch()
    unpack_fails(tmp_path / "corpus.rar", r"not named like a \.gz, \.zip or tar file")
    unpack_fails(tmp_path / "corpus.zip", "no such file")


MEMBERS = {"training/a.en": TEXT, "training/a.de": b"unfinished", "other/c": b"x"}


@pytest.mark.parametrize(("make", "name"), MAKERS)
def test_some_members_only(make: Callable[..., Path], name: str, tmp_path: Path) -> None:
    unpack(make(tmp_path / name, MEMBERS), tmp_path / "output", ["training/a.de", "training/a.en"])
    found = {
        p.relative_to(tmp_path / "output").as_posix() for p in (tmp_path / "output").rglob("*") if p.is_file()
    }
    assert found == {"training/a.de", "training/a.en"}
    assert (tmp_path / "output" / "training" / "a.en").read_bytes() == TEXT


@pytest.mark.parametrize(("make", "name"), MAKERS)
def test_a_missing_member(make: Callable[..., Path], name: str, tmp_path: Path) -> None:
    archive = make(tmp_path / name, MEMBERS)
    with pytest.raises(UserError, match=rf"{name}: no member training/a.fr \(it has other/c, training/a.de"):
        unpack(archive, tmp_path / "output", ["training/a.en", "training/a.fr"])
    assert not (tmp_path / "output").exists()


@pytest.mark.parametrize(("make", "name"), MAKERS)
def test_a_wanted_member_that_is_a_folder(make: Callable[..., Path], name: str, tmp_path: Path) -> None:
    archive = make(tmp_path / name, MEMBERS)
    with pytest.raises(UserError, match=rf"{name}: the member 'training' is a folder; name a file in it"):
        unpack(archive, tmp_path / "output", ["training"])
    assert not (tmp_path / "output").exists()


def test_a_wanted_member_of_a_tar_that_lists_its_folders(tmp_path: Path) -> None:
    folder = tarfile.TarInfo("training")
    folder.type = tarfile.DIRTYPE
    archive = make_tar(tmp_path / "corpus.tgz", {"training": folder, **MEMBERS})
    with pytest.raises(UserError, match=r"the member 'training' is a folder; name a file in it"):
        unpack(archive, tmp_path / "output", ["training", "other/c"])
    assert not (tmp_path / "output").exists()


def test_members_that_begin_with_a_dot(tmp_path: Path) -> None:
    archive = make_tar(tmp_path / "corpus.tgz", {"./training/a.en": TEXT})
    unpack(archive, tmp_path / "output", ["training/a.en"])
    assert (tmp_path / "output" / "training" / "a.en").read_bytes() == TEXT


def test_a_member_is_checked_only_when_it_is_unpacked(tmp_path: Path) -> None:
    """A link that is not among the wanted members is not extracted, so it does no harm."""
    link = tarfile.TarInfo("link")
    link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
    archive = make_tar(tmp_path / "corpus.tgz", {"link": link, "a.en": TEXT})
    unpack(archive, tmp_path / "output", ["a.en"])
    assert not (tmp_path / "output" / "link").exists()
    unpack_fails(archive, "'link' is a link")


@pytest.mark.parametrize("keep", [-1, 0, 15])
def test_a_truncated_gzip_in_a_tar_is_found(keep: int, tmp_path: Path) -> None:
    """Giga-FrEn's archive is such a tar, which has no checksum of its own."""
    inner = {"a.en.gz": gzip.compress(TEXT), "a.fr.gz": gzip.compress(TEXT)[:keep]}
    with tarfile.open(tmp_path / "giga.tar", "w") as tar:
        for name, content in inner.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    with pytest.raises(UserError, match=r"giga\.tar: damaged or truncated \(in its member a\.fr\.gz\)"):
        check_archive(tmp_path / "giga.tar")


@pytest.mark.parametrize("keep", [-1, -5, -200, 100])
def test_a_truncated_archive_is_found_even_behind_its_last_member(keep: int, tmp_path: Path) -> None:
    whole = make_tar(tmp_path / "corpus.tgz", MEMBERS)
    check_archive(whole)
    whole.write_bytes(whole.read_bytes()[:keep])
    with pytest.raises(UserError, match="damaged or truncated"):
        check_archive(whole)
    unpack_fails(whole, "damaged or truncated")


def test_a_plain_tar_under_the_name_of_an_unfinished_download(tmp_path: Path) -> None:
    part = tmp_path / "giga.tar.part"
    part.write_bytes(gzip.decompress(make_tar(tmp_path / "giga.tgz", {"a": b"text"}).read_bytes()))
    check_archive(part, kind="giga.tar")


def plain_tar(path: Path, names: list[str]) -> bytearray:
    with tarfile.open(path, "w") as tar:
        for name in names:
            member = tarfile.TarInfo(name)
            member.size = len(TEXT)
            tar.addfile(member, io.BytesIO(TEXT))
    return bytearray(path.read_bytes())


def with_field(tar: bytearray, start: int, place: int, value: bytes) -> bytes:
    """A tar with another value in the header at ``start``, whose checksum is right."""
    header = tar[start : start + 512]
    header[place : place + len(value)] = value
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    return bytes(tar[:start] + header + tar[start + 512 :])


SIZE, MTIME, KIND = 124, 136, 156  # places of fields in a header
HUGE, NEGATIVE = b"\x80" + b"\x7f" * 11, b"\xff" * 12
SECOND = 512 + -(-len(TEXT) // 512) * 512  # where the second header begins


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (SIZE, HUGE),
        (SIZE, NEGATIVE),
        (SIZE, b"7" * 11 + b"\0"),
        (KIND, b"L"),  # the text is the name of the next member
        (KIND, b"S"),
        (148, b"1"),  # a wrong checksum, after which tarfile sees no more members
    ],
)
@pytest.mark.parametrize("start", [0, SECOND])
def test_a_tar_header_that_cannot_be(tmp_path: Path, place: int, value: bytes, start: int) -> None:
    whole = plain_tar(tmp_path / "corpus.tar", ["a", "b", "c"])
    changed = with_field(whole, start, place, value)
    if place == 148:
        changed = bytes(whole[: start + 148] + value + whole[start + 149 :])
    (tmp_path / "corpus.tar").write_bytes(changed)
    unpack_fails(tmp_path / "corpus.tar", r"corpus\.tar: (damaged or truncated|the member )")


@pytest.mark.parametrize("value", [HUGE, NEGATIVE])
def test_the_time_of_a_member_does_not_matter(tmp_path: Path, value: bytes) -> None:
    whole = plain_tar(tmp_path / "corpus.tar", ["a"])
    (tmp_path / "corpus.tar").write_bytes(with_field(whole, 0, MTIME, value))
    unpack(tmp_path / "corpus.tar", tmp_path / "output")
    assert (tmp_path / "output" / "a").read_bytes() == TEXT


@pytest.mark.parametrize("keep", [300, SECOND, SECOND + 300, 2 * SECOND])
def test_a_plain_tar_that_ends_early(tmp_path: Path, keep: int) -> None:
    whole = plain_tar(tmp_path / "corpus.tar", ["a", "b"])
    (tmp_path / "corpus.tar").write_bytes(whole[:keep])
    unpack_fails(tmp_path / "corpus.tar", r"corpus\.tar: damaged or truncated")


def test_data_behind_the_end_of_a_tar(tmp_path: Path) -> None:
    whole = plain_tar(tmp_path / "corpus.tar", ["a"])
    (tmp_path / "corpus.tar").write_bytes(whole + whole)
    unpack_fails(tmp_path / "corpus.tar", "data behind the mark of its end")


def test_headers_of_headers_without_end(tmp_path: Path) -> None:
    whole = plain_tar(tmp_path / "corpus.tar", ["a"])
    long_name = with_field(bytearray(with_field(whole, 0, KIND, b"L")), 0, SIZE, b"00000000000\0")[:512]
    (tmp_path / "corpus.tar").write_bytes(long_name * 5000 + whole)
    unpack_fails(tmp_path / "corpus.tar", r"corpus\.tar: damaged or truncated")


def test_a_header_of_digits_does_not_take_minutes(tmp_path: Path) -> None:
    member = tarfile.TarInfo("a")
    member.pax_headers = {"comment": "1" * 1_000_000}
    make_tar(tmp_path / "corpus.tgz", {"a": member})
    unpack_fails(tmp_path / "corpus.tgz", "a header says that 1,0.* bytes follow")


@pytest.mark.parametrize(("make", "name"), MAKERS)
@pytest.mark.parametrize("names", [["n" * 300], ["d/" * 3000 + "a"], ["a", "a/b"], ["a/b", "a"]])
def test_names_that_no_file_can_have(
    tmp_path: Path, make: Callable[..., Path], name: str, names: list[str]
) -> None:
    unpack_fails(make(tmp_path / name, dict.fromkeys(names, b"")), rf"{name}: the member ")


def test_a_zip_whose_members_are_compressed_in_a_way_that_takes_any_memory(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "corpus.zip", "w", zipfile.ZIP_LZMA) as zipped:
        zipped.writestr("a", TEXT)
    unpack_fails(tmp_path / "corpus.zip", "the member 'a' is compressed by method 14")


@pytest.mark.parametrize("offset", [0xFFFFFFFF, 0x7FFFFFFF])
def test_a_zip_whose_list_is_somewhere_else(tmp_path: Path, offset: int) -> None:
    content = bytearray(make_zip(tmp_path / "corpus.zip", {"a": TEXT}).read_bytes())
    end = content.rindex(b"PK\x05\x06")
    content[end + 16 : end + 20] = offset.to_bytes(4, "little")
    (tmp_path / "corpus.zip").write_bytes(content)
    unpack_fails(tmp_path / "corpus.zip", r"corpus\.zip: damaged or truncated")


def test_a_zip_whose_members_overlap(tmp_path: Path) -> None:
    content = bytearray(make_zip(tmp_path / "corpus.zip", {"a": os.urandom(1000), "b": b""}).read_bytes())
    first, second = (found.start() for found in re.finditer(rb"PK\x01\x02", bytes(content)))
    content[second + 20 : second + 28] = content[first + 20 : first + 28]  # the sizes
    content[second + 42 : second + 46] = content[first + 42 : first + 46]  # the place
    (tmp_path / "corpus.zip").write_bytes(content)
    unpack_fails(tmp_path / "corpus.zip", r"corpus\.zip: damaged or truncated \(its members overlap\)")
