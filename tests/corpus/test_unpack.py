import gzip
import io
import lzma
import os
import stat
import tarfile
import zipfile
from collections.abc import Callable, Collection, Mapping
from pathlib import Path

import pytest

from transformer.common.errors import UserError
from transformer.corpus.unpack import check_archive, unpack

TEXT = b"".join(b"line %d\n" % number for number in range(1000))


def make_tar(path: Path, members: Mapping[str, bytes | tarfile.TarInfo]) -> Path:
    with tarfile.open(path, "w" if path.suffix == ".tar" else "w:gz") as tar:
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


Make = Callable[..., Path]
MAKERS = [(make_tar, "corpus.tgz"), (make_tar, "corpus.tar"), (make_zip, "corpus.zip")]
MEMBERS = {"training/a.en": TEXT, "training/a.de": b"unfinished", "other/c": b"x"}


def unpack_fails(archive: Path, members: Collection[str], message: str) -> None:
    """Check that unpacking raises UserError and leaves nothing, inside or outside the output."""
    before = sorted(archive.parent.iterdir())
    with pytest.raises(UserError, match=message):
        unpack(archive, archive.parent / "output", members)
    assert sorted(archive.parent.iterdir()) == before


@pytest.mark.parametrize(("make", "name"), MAKERS)
def test_the_members_and_nothing_else(tmp_path: Path, make: Make, name: str) -> None:
    archive = make(tmp_path / name, MEMBERS)
    (tmp_path / "output").mkdir()
    (tmp_path / "output" / "thesis.txt").write_text("the user's")
    unpack(archive, tmp_path / "output", ["training/a.de", "training/a.en"])
    found = {path: path.read_bytes() for path in (tmp_path / "output").rglob("*") if path.is_file()}
    folder = tmp_path / "output" / "training"
    thesis = found.pop(tmp_path / "output" / "thesis.txt")
    assert (found, thesis) == ({folder / "a.de": b"unfinished", folder / "a.en": TEXT}, b"the user's")
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.parametrize(("make", "name"), MAKERS)
def test_a_member_that_is_missing_or_a_folder(tmp_path: Path, make: Make, name: str) -> None:
    archive = make(tmp_path / name, MEMBERS)
    for member in ("training/a.fr", "training"):
        message = rf"{name}: no file {member} in it, but other/c, training/a.de"
        unpack_fails(archive, ["training/a.en", member], message)


def test_a_member_of_a_tar_that_lists_its_folders(tmp_path: Path) -> None:
    folder = tarfile.TarInfo("training")
    folder.type = tarfile.DIRTYPE
    archive = make_tar(tmp_path / "corpus.tgz", {"training": folder, **MEMBERS})
    unpack_fails(archive, ["training", "other/c"], "no file training in it, but other/c, training/a.de")


@pytest.mark.parametrize(("make", "name"), MAKERS)
@pytest.mark.parametrize("member", ["../outside", "a/../../outside", "/outside"])
def test_a_member_that_climbs_out(tmp_path: Path, make: Make, name: str, member: str) -> None:
    (tmp_path / "inner").mkdir()
    archive = make(tmp_path / "inner" / name, {"fine": b"", member: b"evil"})
    message = (
        "no file /outside in it, but outside, fine;" if member == "/outside" else "../outside leads out of"
    )
    unpack_fails(archive, ["fine", os.path.normpath(member)], message)
    assert list(tmp_path.iterdir()) == [tmp_path / "inner"]


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE])
def test_a_tar_member_that_is_not_a_plain_file(tmp_path: Path, kind: bytes) -> None:
    """It is neither made nor followed, so it does no harm beside those that are wanted."""
    link = tarfile.TarInfo("link")
    link.type, link.linkname = kind, "/etc/passwd"
    archive = make_tar(tmp_path / "corpus.tgz", {"link": link, "a.en": TEXT})
    unpack_fails(archive, ["link"], "corpus.tgz: link is a (link to /etc/passwd; name that|device or a pipe)")
    unpack(archive, tmp_path / "output", ["a.en"])
    assert [path.name for path in (tmp_path / "output").iterdir()] == ["a.en"]


def test_a_zip_member_that_is_a_link_becomes_a_plain_file(tmp_path: Path) -> None:
    link = zipfile.ZipInfo("link")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(tmp_path / "corpus.zip", "w") as zipped:
        zipped.writestr(link, "/etc/passwd")
    unpack(tmp_path / "corpus.zip", tmp_path / "output", ["link"])
    assert not (tmp_path / "output" / "link").is_symlink()


@pytest.mark.parametrize(("make", "name"), MAKERS)
@pytest.mark.parametrize("names", [["n" * 300], ["d/" * 3000 + "a"], ["a", "a/b"], ["a/b", "a"]])
def test_names_that_no_file_can_have(tmp_path: Path, make: Make, name: str, names: list[str]) -> None:
    archive = make(tmp_path / name, dict.fromkeys(names, b""))
    with pytest.raises(UserError):
        unpack(archive, tmp_path / "output", names)
    assert list(tmp_path.iterdir()) == [archive]


@pytest.mark.parametrize(("make", "name"), MAKERS)
@pytest.mark.parametrize("keep", [0, 20, 0.5, -1, -5, -200])
def test_a_truncated_archive(tmp_path: Path, make: Make, name: str, keep: float) -> None:
    members = {"train.en": os.urandom(100_000), "train.de": os.urandom(100_000)}
    whole = make(tmp_path / name, members)
    check_archive(whole)
    if name.endswith(".tar") and keep < 0:
        return  # the zeros behind its last member say nothing
    whole.write_bytes(whole.read_bytes()[: int(keep if abs(keep) >= 1 else keep * whole.stat().st_size)])
    unpack_fails(whole, ["train.en", "train.de"], f"{name}: damaged or truncated")
    if name.endswith(".tar") and keep == 20:
        return  # by itself, this is not an archive
    with pytest.raises(UserError, match=rf"{name}: (train\.(en|de): )?damaged or truncated"):
        check_archive(whole)


def test_a_plain_tar_that_ends_between_two_members(tmp_path: Path) -> None:
    whole = make_tar(tmp_path / "corpus.tar", {"a": TEXT, "b": TEXT})
    second = 512 + -(-len(TEXT) // 512) * 512
    for keep in (300, second, second + 300, 2 * second):
        (tmp_path / "cut.tar").write_bytes(whole.read_bytes()[:keep])
        unpack_fails(tmp_path / "cut.tar", ["a"], r"cut\.tar: damaged or truncated")


def test_unknown_kind_and_missing_file(tmp_path: Path) -> None:
    (tmp_path / "corpus.rar").write_bytes(b"Rar!\x1a\x07\x01\0")
    unpack_fails(
        tmp_path / "corpus.rar", [], r"no tar or zip archive, but a rar archive; unpack it with unrar"
    )
    (tmp_path / "text.zip").write_text("a\n")
    unpack_fails(tmp_path / "text.zip", [], r"text\.zip: no tar or zip archive, but text")
    unpack_fails(tmp_path / "corpus.zip", [], "no such file")


GZIP = gzip.compress(TEXT, mtime=0)
DAMAGED = [*(GZIP[:keep] for keep in (0, 5, 15, -1, -9)), GZIP[:30] + b"x" + GZIP[31:]]


@pytest.mark.parametrize("content", DAMAGED)
def test_a_damaged_gzip(tmp_path: Path, content: bytes) -> None:
    part = tmp_path / "train.en.gz.part"
    part.write_bytes(GZIP)
    check_archive(part)
    part.write_bytes(content)
    with pytest.raises(UserError, match=r"train\.en\.gz\.part: damaged or truncated"):
        check_archive(part)


@pytest.mark.parametrize("keep", [-1, 15])
def test_a_truncated_gzip_in_a_tar_is_found(keep: int, tmp_path: Path) -> None:
    """Giga-FrEn's archive is such a tar, which has no checksum of its own."""
    inner = {"a.en.gz": gzip.compress(TEXT), "a.fr.gz": gzip.compress(TEXT)[:keep]}
    make_tar(tmp_path / "giga.tar", inner)
    with pytest.raises(UserError, match=r"giga\.tar: a\.fr\.gz: damaged or truncated \("):
        check_archive(tmp_path / "giga.tar")


def test_archives_are_known_by_their_content(tmp_path: Path) -> None:
    for number, (make, name) in enumerate(MAKERS):
        archive = make(tmp_path / name, MEMBERS).rename(tmp_path / "download")
        unpack(archive, tmp_path / f"output{number}", ["other/c"])
    archive.write_bytes(lzma.compress(make_tar(tmp_path / "a.tar", MEMBERS).read_bytes()))
    unpack(archive, tmp_path / "xz", ["other/c"])
    archive.write_bytes(b"\x28\xb5\x2f\xfd\0\0")
    unpack_fails(
        archive, ["other/c"], "no tar or zip archive, but compressed by zstd; unpack it with zstd -d"
    )


@pytest.mark.parametrize("name", ["/data/train.en", "./data/train.en"])
def test_names_are_read_as_tar_unpacks_them(tmp_path: Path, name: str) -> None:
    archive = make_tar(tmp_path / "a.tgz", {name: TEXT})
    unpack(archive, tmp_path / "output", ["data/train.en"])
    assert (tmp_path / "output" / "data" / "train.en").read_bytes() == TEXT
    unpack_fails(archive, ["TRAIN.EN"], "no file TRAIN.EN in it, but data/train.en")


def test_backslashes_and_what_a_zip_cannot_give(tmp_path: Path) -> None:
    archive = make_zip(tmp_path / "a.zip", {"texts\\a.en": TEXT})
    unpack(archive, tmp_path / "output", ["texts/a.en"])
    content = archive.read_bytes()
    directory = content.rindex(b"PK\x01\x02")
    for offset, value, message in (
        (8, 1, r"a\.zip: texts/a\.en is encrypted; unpack"),
        (10, 93, "texts/a.en is compressed by method 93 of zip, which Python cannot read"),
    ):
        # Readers compare the local header with the directory in part only.
        archive.write_bytes(
            content[: directory + offset] + bytes([value]) + content[directory + offset + 1 :]
        )
        unpack_fails(archive, ["texts/a.en"], message)
