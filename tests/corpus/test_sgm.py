"""SGM test sets are read with any text in their segments, and errors name the line."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transformer.common.errors import UserError
from transformer.corpus.extract import Part, extract
from transformer.corpus.markup import has_segments, read_sgm, read_sgm_pairs

HEAD = '<srcset setid="newstest2014" srclang="any">\n'


def sgm(path: Path, documents: dict[str, list[str]], head: str = HEAD) -> Path:
    lines = [head]
    for name, segments in documents.items():
        lines.append(f'<doc sysid="ref" docid="{name}" genre="news" origlang="de">\n<hl>\n')
        lines += [f'<seg id="{n}">{text}</seg>\n' for n, text in enumerate(segments, start=1)]
        lines.append("</hl>\n</doc>\n")
    path.write_text("".join(lines) + "</srcset>", encoding="utf-8")  # no final line end, as in the real ones
    return path


def texts(path: Path) -> list[str]:
    return [segment.text for segment in read_sgm(path)]


@given(
    st.lists(
        st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n\r<&")).map(str.strip),
        min_size=1,
    )
)
def test_segments_come_as_they_are(tmp_path_factory: pytest.TempPathFactory, segments: list[str]) -> None:
    path = tmp_path_factory.mktemp("sgm") / "set.sgm"
    half = len(segments) // 2
    assert texts(sgm(path, {"one": segments[:half], "two": segments[half:]})) == segments


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
    assert texts(sgm(tmp_path / "set.sgm", {"d": [segment, "three"]})) == [text, "three"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('<doc docid="d">\n<seg id="1">a\n<seg id="2">b</seg>', "line 2: the segment is not closed"),
        ('<doc docid="d">\n<seg id="1">a</seg>\n<seg id="2">b', "line 3: the segment is not closed"),
        ('<seg id="1">a</seg>\n<sge id="2">b</seg>', "1 times <seg and 2 times </seg, but 1 whole segments"),
        ('<seg id="1">a</seg>\n<seg id="2"', "2 times <seg and 1 times </seg, but 1 whole segments"),
        ("</srcset>", "0 times <seg and 0 times </seg"),
    ],
)
def test_a_damaged_file_is_named_with_its_line(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "set.sgm").write_text(text)
    with pytest.raises(UserError, match=message):
        texts(tmp_path / "set.sgm")


def test_pairs(tmp_path: Path) -> None:
    source = sgm(tmp_path / "src.sgm", {"a": ["1", "2"], "b": ["3"]})
    target = sgm(tmp_path / "ref.sgm", {"a": ["eins", "zwei"], "b": ["drei"]}, '<refset trglang="de">\n')
    assert list(read_sgm_pairs(source, target)) == [("1", "eins"), ("2", "zwei"), ("3", "drei")]


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ({"a": ["x", "y"]}, "src.sgm and .*ref.sgm: .*document 'b', segment '1', the other has its end"),
        ({"a": ["x"], "b": ["y", "z"]}, "document 'a', segment '2', the other has document 'b', segment '1'"),
        ({"a": ["x", "y"], "c": ["z"]}, "document 'b', segment '1', the other has document 'c'"),
    ],
)
def test_sets_that_do_not_match(tmp_path: Path, target: dict[str, list[str]], message: str) -> None:
    source = sgm(tmp_path / "src.sgm", {"a": ["1", "2"], "b": ["3"]})
    with pytest.raises(UserError, match=message):
        list(read_sgm_pairs(source, sgm(tmp_path / "ref.sgm", target)))


def test_a_byte_order_mark_comes_with_the_first_sentence_for_cleaning_to_count(tmp_path: Path) -> None:
    source = sgm(tmp_path / "source.sgm", {"d": ["a", "b"]}, head="\ufeff" + HEAD)
    target = sgm(tmp_path / "target.sgm", {"d": ["c", "d"]}, head="\ufeff")
    assert read_sgm_pairs(source, target) == [("\ufeffa", "\ufeffc"), ("b", "d")]


@pytest.mark.parametrize("tag", ["<seg ", "<doc ", "<!--", "</seg", "&#"])
def test_time_does_not_grow_with_the_square_of_a_damaged_file(tmp_path: Path, tag: str) -> None:
    (tmp_path / "set.sgm").write_text(tag * 100_000)
    with pytest.raises(UserError, match=r"set\.sgm"):
        texts(tmp_path / "set.sgm")


@pytest.mark.parametrize("name", ["ref.txt", "ref.gz"])
def test_lines_of_sgm_are_no_sentences(tmp_path: Path, name: str) -> None:
    part = Part(sgm(tmp_path / "src.SGM", {"d": ["a"]}), tmp_path / name)
    part.target.write_text("a\n")
    with pytest.raises(UserError, match=rf"src\.SGM and .*{name}: only one of them has tags"):
        extract([part], (tmp_path / "source", tmp_path / "target"))


@pytest.mark.parametrize(
    ("text", "segments"),
    [
        ("<doc docid='d'>\n<seg id='1'>a</seg>", [("d", "1", "a")]),
        ('<doc docid = d >\n<seg id = " 07 " >a</seg >', [("d", "7", "a")]),
        ('<mteval>\n<doc docid="3" genre="x">\n<url>u</url>\n<seg id="s1"> a &amp; b </seg>', [("3", "s1", "a & b")]),
        ('<?xml?>\n<s><!-- <seg id="1">x</seg> --><seg id="2"><![CDATA[a & b]]></seg>', [("", "2", "a & b")]),
        ('<seg id="1"/>\n<seg id="2">b</seg>', [("", "1", ""), ("", "2", "b")]),
        ('<seg id="1">a</seg> <seg id="2">b</seg>', [("", "1", "a"), ("", "2", "b")]),
        ('<DOC docid="x">\n<SEG id=1> a </SEG>\n<SEG id=3>b</SEG>\n</DOC>', [("x", "1", "a"), ("x", "3", "b")]),
        ("<?xml version='1.0'?>\n<!-- one > two -->\n<srcset>\n<seg id='1'>a</seg>", [("", "1", "a")]),
    ],
)  # fmt: skip
def test_tags_as_they_are_written(tmp_path: Path, text: str, segments: list[tuple[str, str, str]]) -> None:
    (tmp_path / "set.txt").write_text(text)
    assert has_segments(tmp_path / "set.txt")
    assert read_sgm(tmp_path / "set.txt") == segments


@pytest.mark.parametrize(
    ("text", "what"),
    [
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
            "<url>http://x.org</url>\n<title>T</title>\n" + "A sentence.\n" * 50,
            ", line 1: IWSLT's text for training, .*grep -v",
        ),
    ],
)
def test_other_tags_are_refused(tmp_path: Path, text: str, what: str) -> None:
    (tmp_path / "a.txt").write_text(text)
    with pytest.raises(UserError, match=rf"a\.txt{what}"):
        has_segments(tmp_path / "a.txt")


@pytest.mark.parametrize("text", [
    "<2de> a b\nc\n", "<url> is down\nb\n", "a <b>c</b>\n<i>d</i>\ne\nf\n", "<doc> begins a document.\na\n",
    "<unk>\n<unk> a <unk>\nb\n", "<?php echo 1; ?>\na\n", "<!-- a comment --> and a sentence\na\n",
])  # fmt: skip
def test_sentences_may_have_tags(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.sgm").write_text(text)
    assert not has_segments(tmp_path / "a.sgm")
