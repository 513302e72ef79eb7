"""What makes scores worth less is counted, and said if it is much."""

import json
import re
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest
import tiny

from transformer.corpus.cleaning import CleaningRules
from transformer.corpus.gather import gather
from transformer.corpus.text import Part
from transformer.subwords import check_text

TRAIN = [(f"a señor {n}", f"ein Hünd {n}") for n in range(20)]
SETS = {
    "dev": [(f"dev {n}", f"süß und gut {n}") for n in range(10)],
    "test": [(f"test {n}", f"säß und gut {n}") for n in range(10)],
}


def notes(folder: Path, sets: dict[str, list[tuple[str, str]]], long: int = 0) -> list[str]:
    (folder / "clean").mkdir()
    for name, pairs in {"train": TRAIN, **SETS, **sets}.items():
        for side, lines in zip(("en", "de"), zip(*pairs, strict=True), strict=True):
            (folder / f"{name}.{side}").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        outputs = (folder / "clean" / f"{name}.en", folder / "clean" / f"{name}.de")
        rules = CleaningRules(max_ratio=4.0) if name == "train" else None
        report = gather([Part(folder / f"{name}.en", folder / f"{name}.de")], outputs, rules)
        (folder / "clean" / f"{name}.json").write_text(json.dumps(report))
    tiny.dataset(folder / "train", [([5] * (9 if number < long else 3), [5]) for number in range(20)], 290)
    options = ["--text", folder / "clean", "--tokenized", folder, "--sets", "dev", "test", "--max-lengths", 5]
    assert tiny.run(check_text.main, "--pair", "en-de", *options, "--output", folder / "out.json") == 0
    return [note.removeprefix("EN-DE: ") for note in json.loads((folder / "out.json").read_text())["notes"]]


def test_of_good_text_nothing_is_said(tmp_path: Path) -> None:
    assert notes(tmp_path, {"train": [*TRAIN, *[("a", "")] * 5]}, long=4) == []


def test_what_is_not_trained_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert notes(tmp_path, {"train": [*TRAIN, *[("a", "b " * 5)] * 6]}, long=5) == [
        "6 of 26 train pairs were dropped: ratio 6 (train.en: 21, 22, 23 …); see `clean`."
    ]
    assert json.loads((tmp_path / "out.json").read_text())["train"]["over_max_length"] == {"5": 5}
    assert (
        "EN-DE: 5 of 20 training pairs have more than 5 subwords on a side (max_length) and were left out of the "
        "trainings with this setting." in capsys.readouterr().err
    )


WORDS = "the old dog and a small süße cat were seen near two big houses in spring".split()
SENTENCES = [
    (
        f"{' '.join(WORDS[n % 9 : n % 9 + 5])} {n % 97}.",
        f"{' '.join(reversed(WORDS[n % 7 : n % 7 + 5]))}, {n % 89}.",
    )
    for n in range(1200)
]


def apart(text: str) -> str:
    """A text whose letters and marks are characters of their own."""
    return unicodedata.normalize("NFD", text)


SPACED = apart(f" {SENTENCES[5][0]}").replace(" ", "  ")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda en, de: (en, de), None),
        (lambda en, de: (en, ""), "60 of 60 test lines in de (test.de: 1, 2, 3 …) are empty"),
        (lambda en, de: ("\u200b\u00ad", de), "60 of 60 test lines in en (test.en: 1, 2, 3 …) are empty"),
        (lambda en, de: (f"{en}\ufffd", de), "60 of 60 test lines in en (test.en: 1, 2, 3 …) have a con"),
        (
            lambda en, de: (en, apart(f"süße {de}")),
            "80 of 300 test words in de are in the training text in another",
        ),
        (lambda en, de: (SPACED, de), "60 of 60 test sentences in en are in the training text"),
        (lambda en, de: (de, de), "60 of 60 test lines (test.en: 1, 2, 3 …) are the same in both languages"),
        (lambda en, de: (en, SENTENCES[5][1]), "60 of 60 test sentences in de are in the training text"),
        (lambda en, de: ("dev 3", de), "60 of 60 test sentences in en are also in dev"),
        (lambda en, de: (f"Ü{en}", de), "60 of 60 test sentences in en have characters that are not in"),
        (lambda en, de: (en, "nees dwo " * 5), "600 of 600 test words in de are not in the training text"),
        (lambda en, de: (en.upper(), de), "240 of 300 test words in en are known in another case"),
        (lambda en, de: (en, f"süße {de[:1]} a"), "60 of 60 test sentences in de have fewer than four words"),
        (lambda en, de: (en, re.sub("[,.]", r" \g<0>", de)), "test in de: punctuation marks stand at the"),
    ],
)
def test_a_set_that_is_not_like_the_training_text(
    change: Callable[[str, str], tuple[str, str]], said: str | None, tmp_path: Path
) -> None:
    """Of 60 new sentences, made of the words of the training text, nothing is said."""
    mixed = [
        (
            f"{' '.join(WORDS[n % 5 : n % 5 + 4])} {n % 83}.",
            f"{' '.join(reversed(WORDS[n % 6 : n % 6 + 3]))}, {n}.",
        )
        for n in range(60)
    ]
    sets = {"train": SENTENCES, "test": [change(*pair) for pair in mixed]}
    found = [note for note in notes(tmp_path, sets) if " dev " not in note and "dev in" not in note]
    assert not found if said is None else any(note.startswith(said) for note in found)


# A target of the training text, another of a set, and what is said of 60 of those.
FORMS = [
    (
        apart("süße Grüße"),
        "Grüße süße",
        "120 of 120 test words in de are in the training text in another",
    ),
    ("शांति सड़क", "सड़क शांति", None),
    (
        "\u05d1\u05bc\u05b0 א",
        "א \u05d1\u05b0\u05bc",
        "60 of 120 test words in de are in the training text in another",
    ),
    (
        "パンを食べる。",
        apart("食べるパン。"),
        "60 of 60 test sentences in de have characters that are not in the",
    ),
    (
        apart("パンを食べる。"),
        "食べるパン。",
        "60 of 60 test sentences in de have characters that are not in the",
    ),
]


@pytest.mark.parametrize(("learned", "set_text", "said"), FORMS)
def test_words_that_do_not_match_in_another_form(
    learned: str, set_text: str, said: str | None, tmp_path: Path
) -> None:
    """Marks in another order, as in Hebrew, do not match either; text without blanks has no words to compare."""
    sets = {"train": [(f"a b {n}", learned) for n in range(1000)], "test": [("b a", set_text)] * 60}
    found = [note for note in notes(tmp_path, sets) if "test" in note and "in de" in note]
    about = [note for note in found if "normal form" in note or "characters" in note]
    assert about == [] if said is None else any(note.startswith(said) for note in about)


DIVIDED = "gou mao yu niao ma yang hu zhu".split()


@pytest.mark.parametrize(
    ("learned", "first", "rest", "line"),
    [
        (" ", " ", " ", None),
        (" ", "", "", 1),
        ("", " ", " ", 1),
        (" ", " ", "", 51),  # from there on
        ("", "", "", None),
    ],
)
def test_a_set_that_is_otherwise_divided_into_words(
    learned: str, first: str, rest: str, line: int | None, tmp_path: Path
) -> None:
    """In each sentence, words of two to four letters, with blanks or without."""

    def text(blank: str, count: int, size: int) -> list[tuple[str, str]]:
        words = [[DIVIDED[(n + k * k) % 8] for k in range(size + n % 3)] for n in range(count)]
        return [(f"a b {n}", blank.join(one)) for n, one in enumerate(words)]

    sets = {"train": text(learned, 1000, 7), "test": [*text(first, 50, 3), *text(rest, 50, 3)]}
    said = [note for note in notes(tmp_path, sets) if note.startswith("test") and "letters a word" in note]
    assert len(said) == (line is not None)
    assert all(f"letters a word from line {line} on, and the training text" in note for note in said)
