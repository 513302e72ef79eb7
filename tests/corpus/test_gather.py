"""Which pairs are kept, and what the report says of the others and of what is odd.

The report of a corpus in which everything is wrong is recorded; read the difference when you renew it:

    RECORD_GATE=1 pytest tests/corpus/test_gather.py -k everything
"""

import gzip
import itertools
import json
import os
from pathlib import Path
from typing import Any

import pytest
import tiny
from hypothesis import given
from hypothesis import strategies as st

from transformer.common.errors import UserError
from transformer.corpus import gather as script
from transformer.corpus.cleaning import REASONS, Cleaner, CleaningRules
from transformer.corpus.gather import gather
from transformer.corpus.report import KINDS, note, text_notes
from transformer.corpus.text import Part

Pairs = list[tuple[str, str]]
RECORDED = Path(__file__).parent / "recorded"
# Of scripts with blanks.
LINES = st.text(
    st.characters(exclude_categories=["Cs", "Lo"], exclude_characters="\n\r\0\ufeff{<"), max_size=8
)


def gathered(folder: Path, pairs: Pairs, rules: CleaningRules | None) -> tuple[Pairs, Any]:
    inputs, outputs = (folder / "a.en", folder / "a.de"), (folder / "train.en", folder / "train.de")
    for path, lines in zip(inputs, zip(*pairs, strict=True), strict=True):
        path.write_bytes("".join(line + "\n" for line in lines).encode())
    report = gather([Part(*inputs)], outputs, rules)
    sides = [path.read_bytes().decode().removesuffix("\n").split("\n") for path in outputs]
    return list(zip(*sides, strict=True)), report


def found(report: Any) -> dict[str, tuple[str, int, list[int]]]:
    return {
        entry["kind"]: (entry["side"], entry["count"], entry["lines"])
        for text in report["texts"]
        for entry in text["found"]
    }


def test_the_report_of_a_corpus_in_which_everything_is_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a training text and as a test set; both columns of the corpus are written with escapes."""
    rows = (RECORDED / "everything_wrong.txt").read_text(encoding="utf-8").splitlines()
    plain = [row.encode("latin-1").decode("unicode_escape").split(" | ") for row in rows]
    pairs = [*((source, target) for source, target in plain), (" x" * 2049, "4097 characters")]
    monkeypatch.chdir(tmp_path)
    shown = ""
    for rules in (CleaningRules(max_length=6, max_ratio=2.0, deduplicate=True), None):
        kept, report = gathered(Path(), pairs, rules)
        notes = text_notes(report, "train", ["en", "de"])
        parts = [f"{source!a:.40} | {target!a}" for source, target in kept]
        parts += [f"{key}: {json.dumps(value)}" for key, value in report.items() if key != "texts"]
        parts += [json.dumps(found) for text in report["texts"] for found in text["found"]]
        shown += "\n".join([*parts, *notes, ""])
    if os.environ.get("RECORD_GATE"):
        (RECORDED / "report.txt").write_text(shown, encoding="utf-8")
    assert shown == (RECORDED / "report.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_found_is_said_when_it_is_much(kind: str) -> None:
    share, _ = KINDS[kind]
    size = min(10 * share, 10**6)
    few = -(-size // share)
    assert list(note(kind, "test lines in de", few - 1, size, other="dev", example="x")) == []
    (said,) = note(kind, "test lines in de", few, size, other="dev", example="x")
    assert said.startswith(f"{few:,} of {size:,} test lines in de ")


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
    cleaner = Cleaner(rules)
    assert kept == [pair for pair in stripped if cleaner.why_dropped(pair) is None]
    assert report["kept"] == len(kept)
    assert report["kept"] + sum(report["dropped"].values()) == report["pairs"] == len(pairs)
    assert tuple(report["dropped"]) == REASONS


@pytest.mark.parametrize(("most", "read"), [(1, 2), (2, 3), (3, 5)])
def test_pairs_beyond_the_most_are_not_read(tmp_path: Path, most: int, read: int) -> None:
    pairs = [("", "leer"), ("a", "b"), ("c", "d"), ("e", ""), ("f", "g")]
    """Nor is anything said of them."""
    pairs = [*pairs, *[("tab\there", "x\rx")] * 20]
    kept, report = gathered(tmp_path, pairs, CleaningRules(max_pairs=most))
    assert kept == [pair for pair in pairs if all(pair)][:most]
    assert (report["kept"], report["pairs"]) == (len(kept), read)
    assert all(name.startswith("dropped") for name in found(report))


SIDES = (("source", "en"), ("target", "de"))


def run(folder: Path, *options: object) -> Any:
    outputs = ["--output-source", folder / "train.en", "--output-target", folder / "train.de"]
    assert tiny.run(script.main, *options, *outputs, "--report", folder / "train.json") == 0
    return json.loads((folder / "train.json").read_text())


def test_several_parts_are_joined_and_counted_apart(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Most of the second part is dropped."""
    for side in ("en", "de"):
        (tmp_path / f"a.{side}").write_bytes(gzip.compress(f"{side} dog\n".encode() * 2) + b"\r\n")
        (tmp_path / f"b.{side}").write_text(f"{side} 1\n" + "\n" * 4)
    names = [[f"--{name}", *(tmp_path / f"{part}.{side}" for part in "ab")] for name, side in SIDES]
    report = run(tmp_path, *names[0], *names[1], "--max-length", 9)
    assert (tmp_path / "train.en").read_text() == "en dog\nen dog\nen 1\n"
    assert report["rules"] == {"max_length": 9, "max_ratio": None, "deduplicate": False, "max_pairs": None}
    assert [(text["pairs"], text["kept"]) for text in report["texts"]] == [(2, 2), (5, 1)]
    assert found(report)["dropped: empty"] == ("both", 4, [2, 3, 4])
    said = capsys.readouterr().err
    assert "a.en: 2 bytes behind the end of its gzip data are ignored" in said
    assert "note: 4 of 7 train pairs were dropped: empty 4 (b.en: 2, 3, 4 …); see `clean`" in said


def test_columns(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text("ein Hund\ta dog\n")
    run(tmp_path, "--source", tmp_path / "a.tsv", "--target", tmp_path / "a.tsv", "--columns", 2, 1)
    assert [(tmp_path / f"train.{side}").read_text() for _, side in SIDES] == ["a dog\n", "ein Hund\n"]
    other = ["--source", tmp_path / "a.tsv", "--target", tmp_path / "b.tsv", "--columns", 2, 1]
    outputs = [f"--{name}={tmp_path}/{name}" for name in ("output-source", "output-target", "report")]
    assert tiny.run(script.main, *other, *outputs) == 2


def test_nothing_is_written_of_a_text_of_which_nothing_is_left(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"none of 1 pairs is left \(empty 1\); loosen the rules"):
        gathered(tmp_path, [("", "a")], CleaningRules())
    assert not list(tmp_path.glob("train.*"))


def sentences(count: int, least: int = 2) -> Pairs:
    """Pairs whose lengths vary together."""
    sizes = [least + number * 7919 % 23 for number in range(count)]
    return [("dog " * size, "Hund " * (size + number % 3)) for number, size in enumerate(sizes)]


def shifted(pairs: Pairs) -> Pairs:
    """The target side begins a line later."""
    return [(source, target) for (source, _), (_, target) in itertools.pairwise(pairs[::-1])][::-1]


@pytest.mark.parametrize(
    ("pairs", "lines"),
    [
        (sentences(1300), None),
        (sentences(1000) + shifted(sentences(1101)), (1100, [1001, 1501, 2001])),
        (shifted(sentences(100)), None),  # too few to tell
        (shifted(sentences(101)), (100, [1])),
        ([(source, "") for source, _ in sentences(900)], None),
        ([(f"a dog {number}", f"ein Hund {number % 7}") for number in range(1000)], None),  # all are alike
        (shifted(sorted(sentences(2000))), None),  # by length
    ],
)
def test_sides_that_do_not_belong_together_are_said(
    tmp_path: Path, pairs: Pairs, lines: tuple[int, list[int]] | None
) -> None:
    """From which line on."""
    _, report = gathered(tmp_path, pairs, None)
    assert found(report).get("unrelated") == (lines and ("both", *lines))
    said = [note for note in text_notes(report, "train", ["en", "de"]) if "by their lengths" in note]
    assert len(said) == bool(lines)
    assert all(f"train lines (a.en: {lines[1][0]:,}" in note for note in said if lines)


def test_one_line_that_does_not_belong_is_not_said(tmp_path: Path) -> None:
    _, report = gathered(tmp_path, [*sentences(400), ("dog", "Hund " * 60)], None)
    assert "unrelated" not in found(report)
