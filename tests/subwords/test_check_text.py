"""What makes scores worth less is counted, and said if it is much."""

import json
import unicodedata
from pathlib import Path

import pytest
import tiny

from transformer.dataset.tokenized import TokenizedDatasetWriter
from transformer.subwords import check_text

TRAIN = [(f"a señor {n}", f"ein Hünd {n}") for n in range(20)]
SETS = {
    "dev": [(f"dev {n}", f"süß {n}") for n in range(10)],
    "test": [(f"test {n}", f"säß {n}") for n in range(10)],
}


def notes(folder: Path, sets: dict[str, list[tuple[str, str]]], long: int = 0, dropped: int = 0) -> list[str]:
    for name, pairs in {"train": TRAIN, **SETS, **sets}.items():
        for side, lines in zip(("en", "de"), zip(*pairs, strict=True), strict=True):
            (folder / f"{name}.{side}").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    counts = {"pairs": 20 + dropped, "kept": 20, "dropped": {"empty": 0, "ratio": dropped}}
    (folder / "train.json").write_text(json.dumps(counts))
    with TokenizedDatasetWriter(folder / "train", 290, "0" * 64) as writer:
        for number in range(20):
            writer.add([5] * (9 if number < long else 3) + [1], [5, 1])
    (folder / "clean").mkdir(exist_ok=True)
    (folder / "clean" / "train.json").write_text(json.dumps(counts))
    for path in folder.glob("*.??"):
        path.rename(folder / "clean" / path.name)
    options = ["--text", folder / "clean", "--tokenized", folder, "--sets", "dev", "test", "--max-lengths", 5]
    assert tiny.run(check_text.main, "--pair", "en-de", *options, "--output", folder / "out.json") == 0
    return [note.removeprefix("EN-DE: ") for note in json.loads((folder / "out.json").read_text())["notes"]]


def test_of_good_text_nothing_is_said(tmp_path: Path) -> None:
    assert notes(tmp_path, {}, long=4, dropped=5) == []


def test_what_is_not_trained_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert notes(tmp_path, {}, long=5, dropped=6) == [
        "6 of 26 training pairs were dropped in cleaning (ratio 6)."
    ]
    assert json.loads((tmp_path / "out.json").read_text())["train"]["over_max_length"] == {"5": 5}
    assert (
        "EN-DE: 5 of 20 training pairs have more than 5 subwords on a side (max_length) and were left out of the "
        "trainings with this setting." in capsys.readouterr().err
    )


@pytest.mark.parametrize(
    ("pairs", "said"),
    [
        ([*SETS["test"][:8], *TRAIN[:2]], "2 of 10 test sentences are in the training text."),
        (
            [*SETS["test"][:8], (unicodedata.normalize("NFD", "a  señor 3"), "x"), ("y", "z")],
            "1 of 10 test sentences are in the training text.",
        ),
        ([(source, "") for source, _ in SETS["test"]], "10 of 10 test sentences are empty in de."),
        (
            [("Sch\ufffdn", "x"), *SETS["test"][1:]],
            "1 of 10 test sentences in en have a control or a replacement",
        ),
        ([("\u200b\u00ad", "x"), *SETS["test"][1:]], "1 of 10 test sentences are empty in en."),
        (
            [(source, unicodedata.normalize("NFD", target)) for source, target in SETS["test"]],
            "10 of 10 test sentences in de are in another Unicode normal form than the training text",
        ),
    ],
    ids=["in training", "in another form", "no references", "wrong encoding", "invisible", "NFD"],
)
def test_what_is_wrong_with_a_set(pairs: list[tuple[str, str]], said: str, tmp_path: Path) -> None:
    assert notes(tmp_path, {"test": pairs})[0].startswith(said)


@pytest.mark.parametrize(
    ("line", "form"),
    [
        # Letters that are never composed, as in Hindi: a keyboard writes U+0958, which normalisation takes apart.
        *((line, None) for line in ("\u0958", "\u0915\u093c")),
        # Marks in another order, as in Hebrew: keyboards write the dagesh before or after a vowel's point.
        *((line, None) for line in ("\u05d1\u05bc\u05b8", "\u05d1\u05b8\u05bc")),
        ("se\u00f1or sen\u0303or", "no form"),
    ],
)
def test_the_normal_form_of_a_line(line: str, form: str | None) -> None:
    assert check_text.form_of(line) == form
