"""The readers of parallel text and of archives, and the rules that make such files for the fuzzer (see ``fuzz.py``)."""

import bz2
import gzip
import io
import lzma
import os
import random
import re
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

from fuzz_damage import damaged_bytes, odd_text
from fuzz_target import Input, Misaligned, Target

from transformer.common.errors import UserError
from transformer.corpus.clean import CleaningRules, clean_corpus
from transformer.corpus.extract import Part, extract
from transformer.corpus.pairs import read_pairs
from transformer.corpus.unpack import check_archive, unpack

WORDS = [
    *"a the dog Hund läuft schnell . , ; ( ) 日本 é 12 AT&T &amp; 😀".split(),
    *"\u2028 x\u2028y \x85 a\x85b \xa0 \u3000 \x1c".split(" "),
    "w" * 500,
    "\x00",
    "\x0b",
    "\r",
    "\ufeff",
]
ENDS = ("\n", "\n", "\n", "\n", "\r\n")


def sentence(rng: random.Random) -> str:
    """Return a few words, or none."""
    return " ".join(rng.choices(WORDS[:20] if rng.random() < 0.8 else WORDS, k=rng.randrange(8)))


def sides(rng: random.Random) -> tuple[list[str], list[str]]:
    """Return two lists of sentences, which sometimes differ in their length."""
    count = rng.randrange(6)
    return tuple(
        [sentence(rng) for _ in range(count if rng.random() < 0.9 else rng.randrange(6))] for _ in range(2)
    )  # type: ignore[return-value]


def corpus(rng: random.Random) -> Input:
    """Return two files of lines, which may be compressed."""
    files = {}
    for name, sentences in zip(("source", "target"), sides(rng), strict=True):
        text = "".join(line + rng.choice(ENDS) for line in sentences).encode()
        text = text.removesuffix(b"\n") if rng.random() < 0.2 else text
        if rng.random() < 0.3:
            text = damaged_bytes(rng, text) if rng.random() < 0.3 else text
            files[f"{name}.gz"] = gzip.compress(text, mtime=0)
        else:
            files[f"{name}.txt"] = text
    return files


def lines_in(path: Path) -> list[bytes]:
    """Return the lines of a file, read in another way than the library does."""
    content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    lines = content.split(b"\n")
    return [line[:-1] if line.endswith(b"\r") else line for line in (lines if lines[-1] else lines[:-1])]


def both(folder: Path) -> list[Path]:
    """Return the files of both sides."""
    return [next(folder.glob(f"{name}.*")) for name in ("source", "target")]


def read_corpus(folder: Path) -> None:
    """Read the pairs, and compare them with the lines of the files."""
    paths = both(folder)
    pairs = list(read_pairs(*paths))
    for side, path in enumerate(paths):
        if [pair[side].encode() for pair in pairs] != lines_in(path):
            raise Misaligned(f"the {len(pairs)} pairs are not the lines of the files")


def read_cleaned(folder: Path) -> None:
    """Clean a corpus with and without rules, and compare the number of lines with the report."""
    source, target = both(folder)
    for rules in (None, CleaningRules(max_length=6, max_ratio=2, deduplicate=True)):
        outputs = (folder / "clean.source", folder / "clean.target")
        try:
            report = clean_corpus((source, target), outputs, rules)
        except UserError:
            if rules is None:
                raise
            return
        counts = [len(lines_in(path)) for path in outputs]
        if counts != [report.kept, report.kept] or report.pairs != len(lines_in(source)):
            raise Misaligned(
                f"{report.kept} pairs are kept of {report.pairs}, but the files have {counts} lines"
            )


def own_text(rng: random.Random) -> Input:
    """Return a table of tab-separated columns, of which two are read."""
    ours, theirs = sides(rng)
    cells = [
        "\t".join([*(sentence(rng) for _ in range(rng.choice((0, 0, 0, 1)))), one, other])
        for one, other in zip(ours, theirs, strict=False)
    ]
    text = "".join(line + rng.choice(ENDS) for line in cells).encode()
    return gzip.compress(text, mtime=0) if rng.random() < 0.3 else text


def read_own_text(path: Path) -> None:
    """Read columns 1 and 2, and compare them with the lines of the file."""
    if path.read_bytes()[:2] == b"\x1f\x8b":
        path = path.rename(path.with_suffix(".tsv.gz"))
    outputs = (path.parent / "out.source", path.parent / "out.target")
    (count,) = extract([Part(path, path, (1, 2))], outputs)
    lines = [line.split(b"\t")[:2] for line in lines_in(path)]
    wanted = [cell for line in lines for cell in line]
    found = [cell for pair in zip(*map(lines_in, outputs), strict=True) for cell in pair]
    if count != len(lines) or [cell.strip(b"\r\xef\xbb\xbf") for cell in found] != [
        cell.strip(b"\r\xef\xbb\xbf") for cell in wanted
    ]:
        raise Misaligned(f"{count} pairs are not the columns of the {len(lines)} lines")


def sgm(rng: random.Random) -> Input:
    """Return the two sides of a test set with the same documents, in which tags are sometimes damaged."""
    files = {}
    documents = [[sentence(rng) for _ in range(rng.randrange(4))] for _ in range(rng.randint(1, 3))]
    damage = rng.random() < 0.5
    for name in ("source", "target"):
        parts = [f'<{name}set setid="test" srclang="any">\n']
        for number, segments in enumerate(documents):
            parts.append(f'<doc docid="{rng.choice(("d", "x"))[:0]}d{number}" genre="news">\n<p>\n')
            for place, text in enumerate(segments, start=1):
                text = text.replace("<", "&lt;")
                parts.append(f'<seg id="{place}">{text if name == "source" else text[::-1]}</seg>\n')
            parts.append("</p>\n</doc>\n")
        parts.append(f"</{name}set>\n")
        if damage and rng.random() < 0.7:
            place = rng.randrange(len(parts))
            parts[place] = rng.choice(_SGM_DAMAGE)(rng, parts[place])
        files[f"{name}.sgm"] = "".join(parts).encode("utf-8", "surrogatepass")
    return files


_SGM_DAMAGE: list[Callable[[random.Random, str], str]] = [
    lambda rng, text: text.replace(">", f">{rng.choice(_SGM_TEXTS)}", 1),
    lambda rng, text: text.replace("</", f"{rng.choice(_SGM_TEXTS)}</", 1),
    lambda rng, text: re.sub(r'"\d*"', f'"{rng.choice(_SGM_NUMBERS)}"', text),
    lambda rng, text: text.replace("seg", rng.choice(("sge", "SEG", "seg ", "doc", "p")), rng.choice((1, 2))),
    lambda rng, text: text.replace("doc", rng.choice(("dco", "DOC", "seg")), 1),
    lambda rng, text: text.replace(rng.choice('<>"/='), "", rng.choice((1, 2))),
    lambda rng, text: text * rng.choice((0, 2)),
    lambda rng, text: rng.choice(("<seg ", "<doc ", "<!--", "&#", '<doc docid="', "</seg>")) * 30_000 + text,
    lambda rng, text: rng.choice(_SGM_TEXTS) + text,
]
_SGM_TEXTS: list[str] = [
    *"&#10; &#13; &NewLine; &#x0A; &#133; &#8232; &#0; &#55555; &#1114112; &; &#; &#99999999999; &amp;#10;".split(),
    *(f"&#{digits};" for digits in ("1" * 5000, "x" + "1" * 5000, "0" * 5000 + "38")),
    *"&lt;seg&gt;|\n|\n\n|\r\n|lost words|<!-- a -->|<!-- a > b -->|< | > |<b>|<seg>|</seg>|\u2028".split(
        "|"
    ),
]
_SGM_NUMBERS: list[str] = [*"0|1|2|-1||٣|1.5|0x1|1 2|²|00000000000000000001".split("|"), "9" * 5000]


def read_sgm(folder: Path) -> None:
    """Extract a test set; each side must have the lines that the tags around its segments say."""
    source, target = folder / "source.sgm", folder / "target.sgm"
    outputs = (folder / "out.source", folder / "out.target")
    (count,) = extract([Part(source, target)], outputs)
    for path, output in zip((source, target), outputs, strict=True):
        content = path.read_bytes()
        # A tag that was damaged takes its name along, so all that begins like one is counted.
        opened = len(re.findall(rb"<\s*seg\b", content, re.I))
        closed = len(re.findall(rb"</\s*seg\b", content, re.I))
        if not len(lines_in(output)) == count == opened == closed:
            raise Misaligned(
                f"{count} pairs, {len(lines_in(output))} lines, {opened} segments, {closed} ends"
            )


NAMES = ["a.en", "a.de", "x/b.en", "x/b.de", "./c", "x/y/z/d"]
ODD_NAMES = [
    *"../e|/e|x/../../e|.||..|C:\\e|..\\e|e\x00f|e\nf|ä|\udcff|con|a.en|~|-rf|e ".split("|"),
    "n" * 300,
    "n/" * 3000 + "e",
]


def members(rng: random.Random) -> dict[str, bytes]:
    """Return what an archive holds: names and contents."""
    names = rng.sample(NAMES, rng.randint(1, 4))
    if rng.random() < 0.3:
        names.append(rng.choice((rng.choice(ODD_NAMES), odd_text(rng))))
    found = {}
    for name in names:
        text = "".join(sentence(rng) + "\n" for _ in range(rng.randrange(30))).encode(
            "utf-8", "surrogatepass"
        )
        found[name] = gzip.compress(text, mtime=0) if name.endswith(".de") and rng.random() < 0.3 else text
    return found


def tar(rng: random.Random) -> bytes:
    """Return a tar, some of whose headers say what cannot be."""
    output = io.BytesIO()
    form = rng.choice((tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT))
    with tarfile.open(fileobj=output, mode="w", format=form) as archive:
        for name, content in members(rng).items():
            header = tarfile.TarInfo(name)
            header.size = len(content)
            if rng.random() < 0.2:
                header.mtime = rng.choice((-1, 2**33, 1e300, float("nan"), 2**62, -(2**62)))
            if rng.random() < 0.1:
                header.type = rng.choice(
                    (b"1", b"2", b"3", b"4", b"5", b"6", b"7", b"L", b"K", b"x", b"g", b"S", b"Z")
                )
                header.linkname = rng.choice(("a.en", "../e", "/etc/passwd", ""))
            if rng.random() < 0.1:
                key = rng.choice(("path", "size", "mtime", "uid", "GNU.sparse.map", "hdrcharset", "linkpath"))
                header.pax_headers = {
                    key: rng.choice(("x", "1" * 5000, "-1", "1e999", "../e", "1,2,3", "e" * 30_000))
                }
            try:
                archive.addfile(header, io.BytesIO(content))
            except (ValueError, OverflowError, UnicodeError, struct.error):
                continue  # this form cannot say it
    made = bytearray(output.getvalue())
    if rng.random() < 0.4:
        _damage_header(rng, made)
    if rng.random() < 0.1:
        del made[rng.randrange(len(made)) // 512 * 512 :]
    if rng.random() < 0.05:
        block = bytes(made[:512])
        made[:0] = block[:156] + rng.choice((b"L", b"x", b"g")) + block[157:]
        _checksum(made, 0)
        made[:0] = bytes(made[:512]) * 2000
    return bytes(made)


_FIELDS = [b"\x80" + b"\x7f" * 11, b"\xff" * 12, b"77777777777\0", b"-0000000001\0"]
_FIELDS += [character * 12 for character in (b"9", b"\0", b" ")]
_FIELDS += [b"L", b"x", b"S", b"g"]


def _damage_header(rng: random.Random, content: bytearray) -> None:
    """Write something odd into a field of a header, and correct the header's checksum, mostly."""
    start = rng.randrange(len(content) // 512) * 512
    place, length = rng.choice(
        ((0, 100), (100, 8), (124, 12), (136, 12), (156, 1), (157, 100), (257, 8), (345, 155))
    )
    odd = rng.choice(_FIELDS)
    content[start + place : start + place + min(length, len(odd))] = odd[:length]
    if rng.random() < 0.9:
        _checksum(content, start)


def _checksum(content: bytearray, start: int) -> None:
    header = content[start : start + 512]
    header[148:156] = b" " * 8
    content[start + 148 : start + 156] = b"%06o\0 " % sum(header)


def tgz(rng: random.Random) -> bytes:
    """Return a compressed tar."""
    content = tar(rng)
    return gzip.compress(damaged_bytes(rng, content) if rng.random() < 0.2 else content, 1, mtime=0)


def zip_file(rng: random.Random) -> bytes:
    """Return a zip, some of whose headers say what cannot be."""
    output = io.BytesIO()
    kind = rng.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA))
    with zipfile.ZipFile(output, "w", kind) as archive:
        for name, content in members(rng).items():
            header = zipfile.ZipInfo(name or "e")
            header.compress_type = kind
            if rng.random() < 0.1:
                mode = rng.choice((stat.S_IFLNK, stat.S_IFCHR, stat.S_IFDIR, stat.S_IFIFO, stat.S_IFREG))
                header.external_attr = (mode | 0o777) << 16
            try:
                archive.writestr(header, content)
            except (ValueError, UnicodeError, struct.error):
                continue
    made = bytearray(output.getvalue())
    if rng.random() < 0.5:
        signature = rng.choice((b"PK\x01\x02", b"PK\x03\x04", b"PK\x05\x06"))
        starts = [found.start() for found in re.finditer(re.escape(signature), bytes(made))]
        if starts:
            place = rng.choice(starts) + rng.randrange(4, 46)
            odd = rng.choice((b"\xff", b"\0", b"\xff\xff\xff\xff", b"\x01\0", b"\x63\0", b"\0\0\0\x80"))
            made[place : place + len(odd)] = odd
    return bytes(made)


def gz(rng: random.Random) -> bytes:
    """Return a compressed file, some of whose bytes are damaged before or after compression."""
    text = "".join(sentence(rng) + "\n" for _ in range(rng.randrange(30))).encode()
    kind = rng.randrange(8)
    if kind == 0:
        return rng.choice((bz2.compress, lzma.compress, zlib.compress, bytes))(text)
    parts = [gzip.compress(text, mtime=0)] * rng.choice((1, 1, 1, 2))
    return b"".join(parts) + (rng.choice((b"\0" * 9, b"x", b"\x1f\x8b")) if kind == 1 else b"")


class _Everything(frozenset[str]):
    """The members of any archive that the settings would take (``settings/own_files.py``)."""

    def __contains__(self, name: object) -> bool:
        parts = str(name).split("/")
        return len(parts) < 10 and all(0 < len(os.fsencode(part)) <= 200 and part != "." for part in parts)


def read_archive(path: Path) -> None:
    """Check an archive as a download is checked, and unpack it; nothing may appear outside its folder."""
    output = path.parent / "unpacked" / "output"
    before = sorted(path.parent.iterdir())
    refused = None
    for attempt in (lambda: check_archive(path, path.name), lambda: unpack(path, output, _Everything())):
        try:
            attempt()
        except UserError as error:
            refused = error
    found = sorted(entry for entry in path.parent.iterdir() if entry.name != "unpacked")
    left = sorted(output.parent.iterdir()) if output.parent.exists() else []
    if found != before or left not in ([], [output]):
        raise Misaligned("it left something outside its folder")
    if refused:
        raise refused


def read_tar(path: Path) -> None:
    """Unpack a tar; what is unpacked must hold each name inside it that the archive holds, with as many bytes."""
    read_archive(path)
    output = path.parent / "unpacked" / "output"
    try:
        with tarfile.open(path, ignore_zeros=True) as archive:
            sizes = {
                os.path.normpath(member.name): max(0, member.size) for member in archive if member.isfile()
            }
    except tarfile.TarError:  # in what is taken for the end of the archive
        return
    inside = {name: size for name, size in sizes.items() if not name.startswith(("/", ".."))}
    wanted = {name: size for name, size in inside.items() if name in _Everything()}
    unpack(path, output, wanted)
    found = {
        str(file.relative_to(output)): file.stat().st_size for file in output.rglob("*") if file.is_file()
    }
    if wanted != found:
        raise Misaligned(f"{len(wanted)} members, but {len(found)} files, or other ones")


TARGETS = [
    Target("corpus", corpus, read_corpus, damaged=0.4),
    Target("cleaning", corpus, read_cleaned, damaged=0.3),
    Target("own_text", own_text, read_own_text, file="own.tsv", names=("own.tsv",), damaged=0.4),
    Target("sgm", sgm, read_sgm, damaged=0.4),
    Target("tar", tar, read_tar, file="corpus.tar", damaged=0.2),
    Target("tgz", tgz, read_tar, file="corpus.tgz", damaged=0.1),
    Target("zip", zip_file, read_archive, file="corpus.zip", damaged=0.2),
    Target("gz", gz, lambda path: check_archive(path, path.name), file="corpus.en.gz"),
]
