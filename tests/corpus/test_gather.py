"""Which pairs are kept, and what the report says of the others and of what is odd."""

import gzip
import json
import re
from pathlib import Path
from typing import Any

import pytest
import tiny
from hypothesis import given
from hypothesis import strategies as st

from transformer.common.errors import UserError
from transformer.corpus import gather as script
from transformer.corpus.cleaning import REASONS, CleaningRules, why_dropped
from transformer.corpus.gather import gather
from transformer.corpus.report import text_notes
from transformer.corpus.text import BLOCK, Part

Pairs = list[tuple[str, str]]
# Of scripts with blanks.
LINES = st.text(
    st.characters(exclude_categories=["Cs", "Lo"], exclude_characters="\n\r\0\ufeff{<"), max_size=8
)


def gathered(
    folder: Path, pairs: Pairs, rules: CleaningRules | None, processes: int = 1
) -> tuple[Pairs, Any]:
    inputs, outputs = (folder / "a.en", folder / "a.de"), (folder / "train.en", folder / "train.de")
    for path, lines in zip(inputs, zip(*pairs, strict=True), strict=True):
        path.write_bytes("".join(line + "\n" for line in lines).encode())
    report = gather([Part(*inputs)], outputs, rules, processes)
    sides = [path.read_bytes().decode().removesuffix("\n").split("\n") for path in outputs]
    return list(zip(*sides, strict=True)), report


def found(report: Any) -> dict[str, tuple[str, int, list[int]]]:
    return {
        entry["kind"]: (entry["side"], entry["count"], entry["lines"])
        for text in report["texts"]
        for entry in text["found"]
    }


@pytest.mark.parametrize(
    ("source", "target", "reason"),
    [
        ("a dog", "ein Hund", None),
        ("a\u2028dog\u0085runs", "ein\tHund\u00a0läuft", None),
        ("soft\u00adhyphen", "weich", None),
        ("", "ein Hund", "empty"),
        ("a dog", "", "empty"),
        ("a\x01dog", "ein Hund", "invalid"),
        ("a dog", "ein\rHund", "invalid"),
        ("a dog", "ein \ufffdHund", "invalid"),
        ("don\x92t", "nicht", "invalid"),
        ("a b c d", "a b c d e", "too_long"),
        ("a b c", "a b", None),
        ("a b c d", "a b", "ratio"),
        ("a b", "a b c d", "ratio"),
    ],
)
def test_reasons(source: str, target: str, reason: str | None) -> None:
    assert why_dropped(CleaningRules(max_length=4, max_ratio=1.5), (source, target)) == reason


SIX = "the cat sees a small house ."
WITHOUT_BLANKS = {
    "Chinese": "猫看见一座小房子。",
    "Chinese, segmented": "猫 看见 一座 小 房子 。",
    "Chinese with Latin words": "猫Tom看见一座small房子。",
    "Japanese": "ネコが小さな家を見る。",
    "Thai": "แมวเห็นบ้านหลังเล็ก",
    "Khmer": "ឆ្មាឃើញផ្ទះតូចមួយ",
    "German": "dieKatzesiehteinkleinesHaus.",
}


@pytest.mark.parametrize("line", WITHOUT_BLANKS.values(), ids=WITHOUT_BLANKS)
def test_text_without_blanks_has_as_many_words_as_its_translation(tmp_path: Path, line: str) -> None:
    """What is much too long is still dropped."""
    pairs = [(SIX, line), (SIX, line), (SIX, line), (SIX, line * 9)]
    _, report = gathered(tmp_path, pairs, CleaningRules(max_length=25, max_ratio=1.75))
    assert (report["kept"], report["dropped"]["too_long"]) == (3, 1)


def test_a_few_letters_of_another_script_change_no_count(tmp_path: Path) -> None:
    """Words of a language with blanks are what stands between them, long names and addresses too."""
    pairs = [("the dog runs", "der Hund läuft")] * 30
    pairs += [("北京大学的学生", "a b c"), ("x" * 200, "y")]
    kept, report = gathered(tmp_path, pairs, CleaningRules(max_length=5, max_ratio=2.0))
    assert (report["kept"], report["dropped"]["ratio"], kept[-1]) == (31, 1, ("x" * 200, "y"))


@given(st.lists(st.tuples(LINES, LINES), min_size=1, max_size=20))
def test_kept_pairs_stay_aligned_and_all_pairs_are_counted(
    tmp_path_factory: pytest.TempPathFactory, pairs: Pairs
) -> None:
    pairs = [("kept", "behalten"), *pairs]
    rules = CleaningRules(max_length=3, max_ratio=2.0, deduplicate=True)
    kept, report = gathered(tmp_path_factory.mktemp("clean"), pairs, rules)
    # Each once, in order.
    stripped = dict.fromkeys((source.strip(), target.strip()) for source, target in pairs)
    assert kept == [pair for pair in stripped if why_dropped(rules, pair) is None]
    assert report["kept"] == len(kept)
    assert report["kept"] + sum(report["dropped"].values()) == report["pairs"] == len(pairs)
    assert tuple(report["dropped"]) == REASONS


def test_duplicates_are_pairs_that_are_equal_on_both_sides(tmp_path: Path) -> None:
    pairs = [("a", "b"), ("a", "c"), ("a", "b"), ("ab", "c"), ("a", "bc")]
    kept, report = gathered(tmp_path, pairs, CleaningRules(deduplicate=True))
    assert kept == [*pairs[:2], *pairs[3:]]
    assert found(report)["dropped: duplicate"] == ("both", 1, [3])


@pytest.mark.parametrize(("most", "read"), [(1, 2), (2, 3), (3, 5), (9, 5)])
def test_pairs_beyond_the_most_are_not_read(tmp_path: Path, most: int, read: int) -> None:
    pairs = [("", "leer"), ("a", "b"), ("c", "d"), ("e", ""), ("f", "g")]
    kept, report = gathered(tmp_path, pairs, CleaningRules(max_pairs=most))
    assert kept == [pair for pair in pairs if all(pair)][:most]
    assert (report["kept"], report["pairs"]) == (len(kept), read)


def test_of_a_test_set_nothing_is_dropped_and_what_is_wrong_is_counted(tmp_path: Path) -> None:
    pairs = [("", "leer"), ("a\ufffd", "b"), ("a", "a b c d e f"), (" a ", "b"), ("x" * 4097, "\ufeffb")]
    kept, report = gathered(tmp_path, pairs, None)
    assert kept == [(source.strip(), target.strip("\ufeff ")) for source, target in pairs]
    assert (report["pairs"], report["kept"], sum(report["dropped"].values())) == (5, 5, 0)
    assert found(report) == {
        "marks": ("target", 1, [5]),
        "empty": ("source", 1, [1]),
        "invalid": ("source", 1, [2]),
        "long": ("source", 1, [5]),
    }


def test_files_and_report_are_the_same_for_any_number_of_processes(tmp_path: Path) -> None:
    """Also where the last pairs are not read: others look further ahead."""
    lines = [f"\ufeffa {n} dog" if n % 3 else f"{n}" for n in range(5 * BLOCK)]
    pairs = list(zip(lines, reversed(lines), strict=True))
    rules = CleaningRules(max_ratio=2.0, max_pairs=BLOCK // 2)
    assert gathered(tmp_path, pairs, rules) == gathered(tmp_path, pairs, rules, 3)


GOOD = ("a dog runs", "ein Hund läuft")
ODD = {  # a line of the source → what is said of a text that is full of them
    "a d@@ o@@ g": "are divided into subwords; .* sed -E",
    "▁a ▁d og": "are divided into subwords; .* sed 's/ //g; ",
    '"a dog runs"': "are in quotes, as spreadsheets write them",
    'a "dog" runs\tx': "have a tab; if the file has columns, name it as `tsv`",
    "the dog&apos;s house": "have entities",
    "<p>": "are tags",
    "NaN": "are `nan`, `null` or the like, which programs write where there is no text",
    "\ufeffa dog": "had byte order marks or NULs, which were taken out",
    "ein Hund läuft": "are the same in both languages",
}


@pytest.mark.parametrize(("line", "said"), ODD.items(), ids=ODD.values())
def test_odd_lines_are_said_when_they_are_many(tmp_path: Path, line: str, said: str) -> None:
    many = [GOOD, *[(line, "ein Hund läuft")] * 2, GOOD]
    notes = list(text_notes(gathered(tmp_path, many, None)[1], "train", ["en", "de"]))
    assert len(notes) == 1
    assert re.match(rf"2 of 4 train lines( in en)? \(a\.en: 2, 3\) {said}", notes[0])
    few = [GOOD] * 50 + [(line, "ein Hund läuft")]
    assert list(text_notes(gathered(tmp_path, few, None)[1], "train", ["en", "de"])) == []


def run(folder: Path, *options: object) -> Any:
    outputs = ["--output-source", folder / "train.en", "--output-target", folder / "train.de"]
    assert tiny.run(script.main, *options, *outputs, "--report", folder / "train.json") == 0
    return json.loads((folder / "train.json").read_text())


def test_several_parts_are_joined_and_counted_apart(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A compressed table and two files; most of the second part is dropped."""
    (tmp_path / "a.tsv").write_bytes(gzip.compress(b"ein Hund\ta dog\n" * 2) + b"\r\n")
    for side in ("en", "de"):
        (tmp_path / f"b.{side}").write_text(f"{side} 1\n" + "\n" * 4)
    names = [
        ["--source", tmp_path / "a.tsv", tmp_path / "b.en"],
        ["--target", tmp_path / "a.tsv", tmp_path / "b.de"],
    ]
    columns = ["--source-columns", 2, 0, "--target-columns", 1, 0]
    report = run(tmp_path, *names[0], *names[1], *columns, "--max-length", 9)
    assert (tmp_path / "train.en").read_text() == "a dog\na dog\nen 1\n"
    assert report["rules"] == {"max_length": 9, "max_ratio": None, "deduplicate": False, "max_pairs": None}
    assert [(text["pairs"], text["kept"]) for text in report["texts"]] == [(2, 2), (5, 1)]
    assert found(report)["dropped: empty"] == ("both", 4, [2, 3, 4])
    said = capsys.readouterr().err
    assert "a.tsv: 2 bytes behind the end of its gzip data are ignored" in said
    assert "note: 4 of 7 train pairs were dropped: empty 4 (b.en: 2, 3, 4 …); see `clean`" in said


def test_nothing_is_written_of_a_text_of_which_nothing_is_left(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"none of 1 pairs is left \(empty 1\); loosen the rules"):
        gathered(tmp_path, [("", "a")], CleaningRules())
    assert not list(tmp_path.glob("train.*"))
