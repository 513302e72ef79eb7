"""What the gate changes in lines, what it refuses, and the tags of test sets."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transformer.common.errors import UserError
from transformer.corpus.segments import has_segments
from transformer.corpus.text import BLOCK, Found, Part, read_pair_blocks, read_text


def written(folder: Path, content: str | bytes, name: str = "a.txt") -> Path:
    (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder / name


def pairs(source: Path, target: Path, columns: tuple[int, int] | None = None) -> list[tuple[str, str]]:
    blocks = read_pair_blocks(Part(source, target, columns))
    return [pair for block in blocks for pair in zip(block.sources, block.targets, strict=True)]


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n\r\0\ufeff<{%P"))))
def test_lines_come_as_they_are(tmp_path_factory: pytest.TempPathFactory, lines: list[str]) -> None:
    path = written(tmp_path_factory.mktemp("text"), "".join(f"{line}\n" for line in ["first", *lines]))
    assert list(read_text(path, size=2)) == ["first", *lines]


def test_marks_are_taken_out_and_counted(tmp_path: Path) -> None:
    """Files that were joined have a mark wherever a file began, and after a cut or a sort anywhere."""
    found = Found()
    path = written(tmp_path, "\ufeffa\nb\0c\ufeff\n" + "d\n" * BLOCK + "e\ufeff\u200bf")
    assert [*read_text(path, found=found)][:2] == ["a", "bc"]
    assert found == {("marks", "both"): (3, [1, 2, BLOCK + 3])}


GOOD = "Größe\n".encode()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            b"ab\nna\xefve\n",
            r"line 2: invalid UTF-8 \(byte 0xef at column 3\), in Latin-1 ï; convert .* iconv",
        ),
        (
            GOOD * 9 + b"a \x85 b\n" + GOOD,
            r"line 10: .* as in 1 of 11 lines \(10\); others are UTF-8, so correct",
        ),
        (
            GOOD * 2 + "\ud83d\ude00\n".encode("utf-8", "surrogatepass"),
            r"line 3: .*0xed .*\(3\); others are UTF-8",
        ),
        (
            GOOD * BLOCK + b"\xe4\n" * 5,
            r"line 10001: .* 5 of 10,005 lines \(10,001, 10,002, 10,003 …\); others",
        ),
        (
            b"a\rb\n" * 2 + b"c\n",
            r"line 1: a carriage return \(CR\) inside the line, as in 2 of 3 lines; end all",
        ),
        (b"a\rb\rc", "line 1: a carriage return"),  # of Macs before the year 2001
    ],
)
def test_lines_that_cannot_be_read(tmp_path: Path, content: bytes, message: str) -> None:
    with pytest.raises(UserError, match=rf"a\.txt, {message}"):
        list(read_text(written(tmp_path, content)))


def test_a_few_returns_stay_and_are_counted(tmp_path: Path) -> None:
    found = Found()
    assert next(read_text(written(tmp_path, "a\rb\r\n" + "c\n" * 99), found=found)) == "a\rb"
    assert found == {("returns", "both"): (1, [1])}


@pytest.mark.parametrize(
    ("source", "target", "message"),
    [
        ("a\nb\n", "a\n", r"a\.el has 2 lines but .*a\.en has 1: they are not sentence-aligned"),
        ("a\n" * (BLOCK + 1), "a\n" * BLOCK, r"has 10001 lines but .* has 10000"),
        ("a\n", "", r"a\.en: the file is empty"),
        ("<doc docid='d'>\n<seg id='1'>a</seg>", "a\n", "only one of them has tags"),
    ],
)
def test_files_that_do_not_fit(tmp_path: Path, source: str, target: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        pairs(written(tmp_path, source, "a.el"), written(tmp_path, target, "a.en"))


def test_columns(tmp_path: Path) -> None:
    path = written(tmp_path, "a\tα\tx\r\nb\tβ\tx\ty\n\tγ\tx\n")
    (block,) = read_pair_blocks(Part(path, path, (2, 1)))
    assert (block.sources, block.targets) == (["α", "β", "γ"], ["a", "b", ""])
    assert block.found == {("columns", "both"): (1, [2])}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a\tα\nb\n", ", line 2: it has 1 tab-separated columns, but column 2 is asked for"),
        ("a\n", ", line 1: it has 1 tab-separated columns"),
        ("", ": the file is empty"),
        ("<doc docid='d'>\n<seg id='1'>a</seg>", ": a test set with tags"),
    ],
)
def test_columns_that_cannot_be_read(tmp_path: Path, content: str, message: str) -> None:
    path = written(tmp_path, content)
    with pytest.raises(UserError, match=rf"a\.txt{message}"):
        pairs(path, path, (1, 2))


# Test sets with tags.

HEAD = '<srcset setid="newstest2014" srclang="any">\n'


def sgm(documents: Mapping[str, Sequence[str]], head: str = HEAD) -> str:
    lines = [head]
    for name, segments in documents.items():
        lines.append(f'<doc sysid="ref" docid="{name}" genre="news" origlang="de">\n<hl>\n')
        lines += [f'<seg id="{n}">{text}</seg>\n' for n, text in enumerate(segments, start=1)]
        lines.append("</hl>\n</doc>\n")
    return "".join(lines) + "</srcset>"  # no final line end, as in the real ones


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


@pytest.mark.parametrize(
    ("segment", "text"),
    [
        ("AT&T & Co &amp; &quot;x&quot; &#228; &#xE4; &region", 'AT&T & Co & "x" ä ä &region'),
        ("&region; &ampere; &AMP;", "&region; &ampere; &"),
        ("&lt;b&gt; a < b > c", "<b> a < b > c"),
        ("one\ntwo", "one two"),
        *((f"a{end}b", "a b") for end in ("&#10;", "&#x0A;", "&NewLine;")),
        # The number of a character may have any length.
        *((f"a&#{number};", f"a&#{number};") for number in ("1" * 5000, "0" * 5000 + "38", "x" + "1" * 5000)),
    ],
)
def test_entities_and_lines(tmp_path: Path, segment: str, text: str) -> None:
    assert list(read_text(written(tmp_path, sgm({"d": [segment, "three"]})))) == [text, "three"]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("<doc docid='d'>\n<seg id='1'>a</seg>", ["a"]),
        ('<doc docid = d >\n<seg id = " 07 " >a</seg >', ["a"]),
        ('<mteval>\n<doc docid="3" genre="x">\n<url>u</url>\n<seg id="s1"> a &amp; b </seg>', ["a & b"]),
        ('<?xml?>\n<s><!-- <seg id="1">x</seg> --><seg id="2"><![CDATA[a & b]]></seg>', ["a & b"]),
        ('<seg id="1"/>\n<seg id="2">b</seg>', ["", "b"]),
        ('<seg id="1">a</seg> <seg id="2">b</seg>', ["a", "b"]),
        ('<DOC docid="x">\n<SEG id=1> a </SEG>\n<SEG id=3>b</SEG>\n</DOC>', ["a", "b"]),
        ("\ufeff<?xml version='1.0'?>\n<!-- one > two -->\n<srcset>\n<seg id='1'>a</seg>", ["a"]),
    ],
)  # fmt: skip
def test_tags_as_they_are_written(tmp_path: Path, text: str, lines: list[str]) -> None:
    assert list(read_text(written(tmp_path, text))) == lines


TWO = [
    f'<doc docid="d" sysid="{name}"><seg id="1">{name}1</seg><seg id="2">{name}2</seg></doc>' for name in "ab"
]


@pytest.mark.parametrize("between", ["</refset>\n<refset>", "\n"])
def test_of_two_references_the_first_is_taken_and_said(
    tmp_path: Path, between: str, capsys: pytest.CaptureFixture[str]
) -> None:
    text = f"<refset>{TWO[0]}{between}{TWO[1]}</refset>"
    assert list(read_text(written(tmp_path, text))) == ["a1", "a2"]
    assert "a.txt: 2 references of 2 segments; the first is taken" in capsys.readouterr().err


@pytest.mark.parametrize(
    "target", [{"a": ["x", "y"]}, {"a": ["x"], "b": ["y", "z"]}, {"a": ["x", "y"], "c": ["z"]}]
)
def test_sets_that_do_not_match(tmp_path: Path, target: dict[str, list[str]]) -> None:
    source = written(tmp_path, sgm({"a": ["1", "2"], "b": ["3"]}), "a.el")
    with pytest.raises(
        UserError, match=r"a.el and .*a.en: where one has document '.', segment '.', the other has "
    ):
        pairs(source, written(tmp_path, sgm(target), "a.en"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('<doc docid="d">\n<seg id="1">a\n<seg id="2">b</seg>', ", line 2: the segment is not closed"),
        ('<doc docid="d">\n<seg id="1">a</seg>\n<seg id="2">b', ", line 3: the segment is not closed"),
        (
            '<seg id="1">a</seg>\n<sge id="2">b</seg>',
            ": 1 times <seg and 2 times </seg, but 1 whole segments",
        ),
        ('<seg id="1">a</seg>\n<seg id="2"', ": 2 times <seg and 1 times </seg, but 1 whole segments"),
        (
            '<?xml version="1.0"?>\n<tmx version="1.4"><tu><tuv><seg>a</seg></tuv></tu></tmx>',
            r": .*\(TMX\); write",
        ),
        ('<xliff version="1.2">\n<source>a</source>\n</xliff>', ": XLIFF; write"),
        (
            '<?xml version="1.0"?>\n<dataset id="x"><doc><src><seg id="1">a</seg></src></doc></dataset>',
            ": WMT's XML",
        ),
        ("<root>\n<p>a</p>\n</root>", ": text with tags, but without <seg>; write"),
        (
            "<url>u</url>\n<title>T</title>\n" + "A sentence.\n" * 50,
            ", line 1: IWSLT's text for training, .*grep -v",
        ),
    ],
)
def test_tags_that_cannot_be_read(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(UserError, match=rf"a\.txt{message}"):
        list(read_text(written(tmp_path, text)))


@pytest.mark.parametrize("text", [
    "<2de> a b\nc\n", "<url> is down\nb\n", "a <b>c</b>\n<i>d</i>\ne\nf\n", "<doc> begins a document.\na\n",
    "<unk>\n<unk> a <unk>\nb\n", "<?php echo 1; ?>\na\n", "<!-- a comment --> and a sentence\na\n", "<b>A dog.</b>\n",
    "<doc\n", "<doc> is a tag.\n",
])  # fmt: skip
def test_sentences_may_have_tags(text: str) -> None:
    assert not has_segments(text, "a")


@pytest.mark.parametrize("tag", ["<seg ", "<doc ", "<!--", "</seg", "&#"])
def test_time_does_not_grow_with_the_square_of_a_damaged_file(tmp_path: Path, tag: str) -> None:
    path = written(tmp_path, "<seg id='1'>" + tag * 100_000)
    with pytest.raises(UserError, match=r"a\.txt"):
        list(read_text(path))
