from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transformer.common.errors import UserError
from transformer.corpus import clean as module
from transformer.corpus.clean import REASONS, CleaningReport, CleaningRules, clean_corpus, why_dropped

# Of scripts with blanks; marks are taken out before the rules are applied.
LINES = st.text(st.characters(exclude_categories=["Cs", "Lo"], exclude_characters="\n\r\0\ufeff"), max_size=8)


def clean(
    folder: Path, pairs: list[tuple[str, str]], rules: CleaningRules | None, processes: int = 1
) -> tuple[list[tuple[str, str]], CleaningReport]:
    inputs, outputs = (folder / "source", folder / "target"), (folder / "out.source", folder / "out.target")
    for path, lines in zip(inputs, zip(*pairs, strict=True), strict=True):
        path.write_bytes("".join(line + "\n" for line in lines).encode())
    report = clean_corpus(inputs, outputs, rules, processes)
    sides = [path.read_bytes().decode().removesuffix("\n").split("\n") for path in outputs]
    return list(zip(*sides, strict=True)), report


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
    assert why_dropped(CleaningRules(max_length=4, max_ratio=1.5), source, target) == reason


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
    _, report = clean(tmp_path, pairs, CleaningRules(max_length=25, max_ratio=1.75))
    assert (report.kept, report.dropped["too_long"]) == (3, 1)


def test_a_few_letters_of_another_script_change_no_count(tmp_path: Path) -> None:
    """Words of a language with blanks are what stands between them, long names and addresses too."""
    pairs = [("the dog runs", "der Hund läuft")] * 30
    pairs += [("北京大学的学生", "a b c"), ("x" * 200, "y")]
    kept, report = clean(tmp_path, pairs, CleaningRules(max_length=5, max_ratio=2.0))
    assert (report.kept, report.dropped["ratio"], kept[-1]) == (31, 1, ("x" * 200, "y"))


def test_duplicates_are_pairs_that_are_equal_on_both_sides(tmp_path: Path) -> None:
    pairs = [("a", "b"), ("a", "c"), ("a", "b"), ("ab", "c"), ("a", "bc")]
    kept, report = clean(tmp_path, pairs, CleaningRules(deduplicate=True))
    assert kept == [*pairs[:2], *pairs[3:]]
    assert report.dropped["duplicate"] == 1


@given(st.lists(st.tuples(LINES, LINES), min_size=1, max_size=20))
def test_kept_pairs_stay_aligned_and_all_pairs_are_counted(
    tmp_path_factory: pytest.TempPathFactory, pairs: list[tuple[str, str]]
) -> None:
    pairs.append(("kept", "behalten"))
    rules = CleaningRules(max_length=3, max_ratio=2.0, deduplicate=True)
    kept, report = clean(tmp_path_factory.mktemp("clean"), pairs, rules)
    # Each once, in order.
    stripped = dict.fromkeys((source.strip(), target.strip()) for source, target in pairs)
    assert kept == [pair for pair in stripped if why_dropped(rules, *pair) is None]
    assert report.kept == len(kept)
    assert report.kept + sum(report.dropped.values()) == report.pairs == len(pairs)
    assert tuple(report.dropped) == REASONS


@pytest.mark.parametrize(("most", "read"), [(1, 2), (2, 3), (3, 5), (9, 5)])
def test_pairs_beyond_the_most_are_not_read(tmp_path: Path, most: int, read: int) -> None:
    pairs = [("", "leer"), ("a", "b"), ("c", "d"), ("e", ""), ("f", "g")]
    kept, report = clean(tmp_path, pairs, CleaningRules(max_pairs=most))
    assert kept == [pair for pair in pairs if all(pair)][:most]
    assert (report.kept, report.pairs) == (len(kept), read)


def test_without_rules_nothing_is_dropped(tmp_path: Path) -> None:
    pairs = [("", "leer"), ("a\ufffd", "b"), ("a", "a b c d e f"), (" a ", "b"), (" a ", "b")]
    kept, report = clean(tmp_path, pairs, None)
    assert kept == [(source.strip(), target.strip()) for source, target in pairs]
    assert (report.pairs, report.kept, sum(report.dropped.values())) == (5, 5, 0)


@pytest.mark.parametrize("rules", [None, CleaningRules(max_length=9)])
def test_byte_order_marks_and_nuls_are_taken_out_and_counted(
    tmp_path: Path, rules: CleaningRules | None
) -> None:
    """Files that were joined have a mark wherever a file began, and after a cut or a sort anywhere."""
    pairs = [("\ufeffa", "\ufeff b\0"), ("\ufeffc", "d\ufeffd"), ("e\u200bf", "g")]
    kept, report = clean(tmp_path, pairs, rules)
    assert kept == [("a", "b"), ("c", "dd"), ("e\u200bf", "g")]
    assert report.byte_order_marks == 4
    assert clean(tmp_path, pairs[2:], rules)[1].byte_order_marks == 0


@pytest.mark.parametrize("processes", [1, 3])
def test_marks_are_counted_in_what_is_read_only(tmp_path: Path, processes: int) -> None:
    """Several processes read ahead."""
    pairs = [("\ufeffa", "b")] * 50_000
    assert clean(tmp_path, pairs, CleaningRules(max_pairs=2), processes)[1].byte_order_marks == 2


def test_a_long_line_of_a_test_set_is_kept(tmp_path: Path) -> None:
    assert clean(tmp_path, [("a", "x" * 10**5)], None)[0] == [("a", "x" * 10**5)]


def test_a_long_line_of_a_training_set_is_left_to_its_rules(tmp_path: Path) -> None:
    kept, report = clean(tmp_path, [("a", "b"), ("a " * 20_000, "b")], CleaningRules(max_length=175))
    assert (len(kept), report.dropped["too_long"]) == (1, 1)


def test_when_nothing_is_left(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"none of 2 pairs is left \(empty 1, ratio 1\)"):
        clean(tmp_path, [("", ""), ("a b c", "a")], CleaningRules(max_ratio=2.0))
    assert not list(tmp_path.glob("out*"))


def test_any_number_of_processes_gives_the_same_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Duplicates in different blocks are found, too."""
    monkeypatch.setattr(module, "BLOCK", 7)
    pairs = [(f"sentence {n % 40} " + "x " * (n % 8), f"Satz {n % 40} x") for n in range(100)]
    rules = CleaningRules(max_length=6, max_ratio=2.0, deduplicate=True)
    results = [clean(tmp_path, pairs, rules, processes) for processes in (1, 3)]
    assert results[0] == results[1]
    assert results[0][1].dropped["duplicate"] > 0
