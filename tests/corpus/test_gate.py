"""What the gate gives for each kind of file that people name as text: its lines, what was found in them, or one line.

What it gives for CASES and PAIRS is recorded; read the difference when you renew it:

    RECORD_GATE=1 pytest tests/corpus/test_gate.py -k recorded
"""

import bz2
import gzip
import io
import lzma
import os
import tarfile
import zipfile
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transformer.common.errors import UserError
from transformer.corpus.text import Odd, Part, read_pairs_of, read_text

RECORDED = Path(__file__).parent / "recorded" / "gate.txt"
LINES = [f"línea {number}" for number in range(3000)]
TEXT = "".join(f"{line}\n" for line in LINES).encode()
MANY = 10_001
GOOD = "Größe\n".encode()


def squeezed(content: bytes) -> bytes:
    """Gzip without the time of today."""
    return gzip.compress(content, mtime=0)


PACKED = {"gzip": squeezed(TEXT), "bzip2": bz2.compress(TEXT), "xz": lzma.compress(TEXT)}


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


def linked() -> tarfile.TarInfo:
    link = tarfile.TarInfo("link")
    link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
    return link


def sgm(documents: Mapping[str, Iterable[str]]) -> str:
    """A test set as WMT ships it, without a final line end."""
    lines = ['<srcset setid="newstest2014" srclang="any">\n']
    for name, segments in documents.items():
        lines.append(f'<doc sysid="ref" docid="{name}" genre="news" origlang="de">\n<hl>\n')
        lines += [f'<seg id="{n}">{text}</seg>\n' for n, text in enumerate(segments, start=1)]
        lines.append("</hl>\n</doc>\n")
    return "".join(lines) + "</srcset>"


ENTITIES = [
    "AT&T & Co &amp; &quot;x&quot; &#228; &#xE4; &region",
    "&region; &ampere; &AMP;",
    "&lt;b&gt; a < b > c",
    "one\ntwo",
    "a&#10;b&#x0A;c&NewLine;d",
    *(f"a&#{number};" for number in ("1" * 99, "0" * 99 + "38", "x" + "1" * 99)),
]
MEMBERS = {"d/a.en": TEXT, "other/c": b"x\n"}

# The content of a file or, of an archive, that and the member that is read.
CASES: dict[str, bytes | str | tuple[bytes, str]] = {
    **{f"{kind} with bytes behind": content + b"\r\n" for kind, content in PACKED.items()},
    **{f"{kind} with much behind": content + b"x" * 5000 for kind, content in PACKED.items()},
    **{f"{kind} without its last byte": content[:-1] for kind, content in PACKED.items()},
    **{f"half of a {kind}": content[: len(content) // 2] for kind, content in PACKED.items()},
    "gzip twice": squeezed(PACKED["gzip"]),
    "zstd": b"\x28\xb5\x2f\xfd\0\0",
    "7z": b"7z\xbc\xaf\x27\x1c\0",
    "old Word": b"\xd0\xcf\x11\xe0" + bytes(range(256)) * 3,
    "compress": b"\x1f\x9d\x90\0\x02\x03\xff",
    "PDF": b"%PDF-1.4\n",
    "RTF": b"{\\rtf1\\ansi a}\n",
    "Parquet": b"PAR1\x15\x04",
    "tar": tarred({"a": b"a\n"}),
    "tgz": squeezed(tarred({"a": b"a\n"})),
    "zip": zipped({"a.txt": b"a\n"}),
    "JSON lines": b'{"de": "a", "en": "b"}\n',
    "JSON": b'[\n  {\n    "de": "a",\n',
    "JSON with a mark": b'\xef\xbb\xbf{"de": "a", "en": "b"}\n',
    "long JSON": b'{"text": "' + b"a " * 40000,
    "web page": b"<!DOCTYPE html><title>Please log in</title>",
    "web page without a declaration": b'\n<html lang="en">\n<body>',
    "Git LFS": b"version https://git-lfs.github.com/spec/v1\n",
    "UTF-16 without a mark": "año 1\n".encode("utf-16-le"),
    "tar within a folder": (squeezed(tarred({"/d/a.en": TEXT})), "d/a.en"),
    "tar from here": (tarred({"./d/a.en": TEXT}), "d/a.en"),
    "zip of Windows": (zipped({"d\\a.en": TEXT}), "d/a.en"),
    "gzip in a tar": (tarred({"a.gz": PACKED["gzip"]}), "a.gz"),
    "no such member": (tarred(MEMBERS), "D/A.EN"),
    "a folder as member": (zipped(MEMBERS), "d"),
    "a link": (tarred({"link": linked()}), "link"),
    "a member twice": (tarred({"a": b"old\n"})[:1024] + tarred({"a": b"new\n"}), "a"),
    "tgz without its last byte": (squeezed(tarred(MEMBERS))[:-1], "d/a.en"),
    "7z as archive": (b"7z\xbc\xaf\x27\x1c\0", "a"),
    "text as archive": (b"text\n", "a"),
    "UTF-16": "año 1\n".encode("utf-16"),
    "marks": "\ufeffa\nb\0c\ufeff\n" + "d\n" * MANY + "e\ufeff\u200bf",
    "Latin-1": b"ab\nna\xefve\n",
    "one line that is not UTF-8": GOOD * 9 + b"a \x85 b\n" + GOOD,
    "CESU-8": GOOD * 2 + "\ud83d\ude00\n".encode("utf-8", "surrogatepass"),
    "UTF-8, then Latin-1": GOOD * MANY + b"\xe4\n" * 5,
    "some ends are CR": b"a\rb\n" * 2 + b"c\n",
    "all ends are CR": b"a\rb\rc",
    "a CR inside": "a\rb\r\n" + "c\n" * 99,
    "a line with a CR": "a\rb",
    "the first 10,000 ends are CR": "a\r" * 10_000 + "b\n",
    "entities": sgm({"d": ENTITIES}),
    "single quotes": "<doc docid='d'>\n<seg id='1'>a</seg>",
    "no quotes": '<doc docid = d >\n<seg id = " 07 " >a</seg >',
    "IWSLT": '<mteval>\n<doc docid="3" genre="x">\n<url>u</url>\n<title>T</title>\n<seg id="s1"> a &amp; b </seg>',
    "segments in a line": '<seg id="1">a</seg> <seg id="2">b</seg>',
    "upper case": '<DOC docid="x">\n<SEG id=1> a </SEG>\n<SEG id=3>b</SEG>\n</DOC>',
    "mark, then tags": "\ufeff<?xml version='1.0'?>\n<!-- one > two -->\n<srcset>\n<seg id='1'>a</seg>",
    "two references": 2 * f"<refset>{sgm({'d': 'ab'})}</refset>\n",
    "two systems": 2 * sgm({"d": "ab"}),
    "segment not closed": '<doc docid="d">\n<seg id="1">a\n<seg id="2">b</seg>',
    "last segment not closed": '<doc docid="d">\n<seg id="1">a</seg>\n<seg id="2">b',
    "damaged tag": '<seg id="1">a</seg>\n<sge id="2">b</seg>',
    "end within a tag": '<seg id="1">a</seg>\n<seg id="2"',
    "TMX": '<?xml version="1.0"?>\n<tmx version="1.4"><tu><tuv><seg>a</seg></tuv></tu></tmx>',
    "XML of WMT": '<?xml version="1.0"?>\n<dataset id="x"><doc><src><seg id="1">a</seg></src></doc></dataset>',
    "IWSLT for training": "<url>u</url>\n<title>T</title>\n" + "A sentence.\n" * 50,
}
COLUMNS = (2, 1)
# Two files, or one with columns.
PAIRS: dict[str, tuple[str, str] | str] = {
    "different numbers of lines": ("a\nb\n", "a\n"),
    "one line more": ("a\n" * (MANY + 1), "a\n" * MANY),
    "an empty file": ("a\n", ""),
    "two empty lines more": ("a\n\n \n", "a\n"),
    "the mark of DOS at the end": ("a\r\n", "b\r\n\x1a"),
    "tags on one side": (sgm({"d": "ab"}), "a\n"),
    "tags": (sgm({"a": "12", "b": "3"}), sgm({"a": "xy", "b": "z"})),
    "a segment too few": (sgm({"a": "12", "b": "3"}), sgm({"a": "xy"})),
    "columns": "a\tα\tx\r\nb\tβ\tx\ty\n\tγ\tx\n",
    "a line without the column": "a\tα\nb\n",
    "no columns": "a\n",
    "an empty table": "",
    "columns with tags": sgm({"d": "a"}),
}


def written(folder: Path, content: str | bytes, name: str = "a.txt") -> Path:
    (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder / name


def given_by(name: str, read: Callable[[Odd, Callable[[str], None]], Iterable[str]]) -> str:
    """Show what is read, what is odd and what is said, or the error."""
    said, odd = list[str](), Odd()
    try:
        lines = list(read(odd, said.append))
    except UserError as error:
        shown = [f"error: {error}"]
    else:
        shown = [f"{len(lines)} lines", *map(ascii, lines[: 3 if len(lines) > 10 else 10])]
        shown += [f"odd: {kind}, {side}: {odd[kind, side]} {odd.first[kind, side]}" for kind, side in odd]
    return "".join(f"{line}\n" for line in [f"== {name}", *shown, *(f"note: {note}" for note in said)])


def read_one(path: Path, odd: Odd, tell: Callable[[str], None]) -> Iterable[str]:
    return read_text(path, odd, tell=tell)


def read_both(part: Part, odd: Odd, tell: Callable[[str], None]) -> Iterable[str]:
    return map(" | ".join, read_pairs_of(part, odd, tell))


def test_what_is_given_is_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shown = ""
    for name, case in CASES.items():
        content, *member = case if isinstance(case, tuple) else (case,)
        shown += given_by(name, partial(read_one, Path(written(Path(), content), *member)))
    for name, pair in PAIRS.items():
        texts = pair if isinstance(pair, tuple) else (pair, pair)
        files = [written(Path(), text, f"a.{side}") for text, side in zip(texts, ("el", "en"), strict=True)]
        columns = COLUMNS if isinstance(pair, str) else None
        shown += given_by(name, partial(read_both, Part(files[0], files[1], columns)))
    if os.environ.get("RECORD_GATE"):
        RECORDED.write_text(shown, encoding="utf-8")
    assert shown == RECORDED.read_text(encoding="utf-8")


READ = [
    TEXT,
    TEXT.replace(b"\n", b"\r\n"),
    TEXT.removesuffix(b"\n"),
    *PACKED.values(),
    lzma.compress(TEXT, lzma.FORMAT_ALONE),
    b"".join(map(squeezed, (TEXT[:1000], b"", TEXT[1000:]))),
    PACKED["gzip"] + bytes(5000),  # zeros, as on a tape
    bz2.compress(TEXT[:1000]) + bz2.compress(TEXT[1000:]),
]


@pytest.mark.parametrize("number", range(len(READ)))
def test_text_is_read_whatever_its_name(tmp_path: Path, number: int) -> None:
    assert list(read_text(written(tmp_path, READ[number], "a.gz"))) == LINES


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n\r\0\ufeff<{%PR"))))
def test_lines_come_as_they_are(tmp_path_factory: pytest.TempPathFactory, lines: list[str]) -> None:
    path = written(tmp_path_factory.mktemp("text"), "".join(f"{line}\n" for line in ["first", *lines]))
    assert list(read_text(path)) == ["first", *lines]


@given(
    st.lists(
        st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n\r<&\0\ufeff")).map(str.strip),
        min_size=1,
    )
)
def test_segments_come_as_they_are(tmp_path_factory: pytest.TempPathFactory, segments: list[str]) -> None:
    half = len(segments) // 2
    path = written(tmp_path_factory.mktemp("sgm"), sgm({"one": segments[:half], "two": segments[half:]}))
    assert list(read_text(path)) == segments


@pytest.mark.parametrize("text", [
    "<2de> a b\nc\n", "<url> is down\nb\n", "a <b>c</b>\n<i>d</i>\ne\nf\n", "<doc> begins a document.\na\n",
    "<unk>\n<unk> a <unk>\nb\n", "<?php echo 1; ?>\na\n", "<!-- a comment --> and a sentence\na\n", "<b>A dog.</b>\n",
    "<doc\n", "<doc> is a tag.\n", '{"a": 1} is a set.\n', "<html> begins a page.\n", "PK is\n",
])  # fmt: skip
def test_sentences_may_be_about_markup(tmp_path: Path, text: str) -> None:
    assert list(read_text(written(tmp_path, text))) == text.splitlines()


@pytest.mark.parametrize("tag", ["<seg ", "<doc ", "<!--", "</seg", "&#"])
def test_time_does_not_grow_with_the_square_of_a_damaged_file(tmp_path: Path, tag: str) -> None:
    path = written(tmp_path, "<seg id='1'>" + tag * 100_000)
    with pytest.raises(UserError, match=r"a\.txt"):
        list(read_text(path))


ARCHIVES: dict[str, Callable[[Mapping[str, bytes]], bytes]] = {
    "tgz": lambda members: squeezed(tarred(members)),
    "tar": tarred,
    "tar.xz": lambda members: lzma.compress(tarred(members)),
    "zip": zipped,
}


@pytest.mark.parametrize("kind", ARCHIVES)
def test_members_of_whole_and_of_truncated_archives(tmp_path: Path, kind: str) -> None:
    archive = written(tmp_path, ARCHIVES[kind](MEMBERS), "download")
    assert list(read_text(archive / "d/a.en")) == LINES
    content = ARCHIVES[kind]({name: os.urandom(50_000).hex().encode() for name in "ab"})
    for keep in (20, len(content) // 2, len(content) - (15_000 if kind == "tar" else 5)):
        archive.write_bytes(content[:keep])
        with pytest.raises(
            UserError, match="download: (damaged or truncated|it is no tar or zip archive, or damaged)"
        ):
            list(read_text(archive / "b"))


@pytest.mark.parametrize(("offset", "value", "message"), [(8, 1, "encrypted"), (10, 93, "compression")])
def test_members_of_a_zip_that_cannot_be_read(tmp_path: Path, offset: int, value: int, message: str) -> None:
    """Its directory says something else of its only member."""
    content = bytearray(zipped({"a.en": TEXT}))
    content[content.rindex(b"PK\x01\x02") + offset] = value
    with pytest.raises(UserError, match=rf"a\.zip: .*\(.*{message}"):
        list(read_text(written(tmp_path, bytes(content), "a.zip") / "a.en"))


def test_damage_is_said_of_the_damaged_file(tmp_path: Path) -> None:
    """Of two files that are open at once."""
    good, bad = written(tmp_path, TEXT, "good"), written(tmp_path, PACKED["gzip"][:-1], "bad")
    for pair in ((good, bad), (bad, good)):
        with pytest.raises(UserError, match="bad: damaged or truncated"):
            list(read_pairs_of(Part(*pair), Odd()))
