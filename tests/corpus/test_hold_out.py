"""Cutting a development and a test set from the training text."""

import json
import random
from collections.abc import Sequence
from pathlib import Path

import pytest
import tiny

from transformer.common.errors import UserError
from transformer.corpus import hold_out as hold_out_script
from transformer.corpus.hold_out import hold_out
from transformer.corpus.pairs import read_pairs

PAIRS = [(f"πρόταση {number}", f"sentence {number}") for number in range(400)]
Sets = dict[str, list[tuple[str, str]]]


def cut(
    folder: Path,
    pairs: Sequence[tuple[str, str]],
    languages: tuple[str, str] = ("el", "en"),
    **sizes: int,
) -> tuple[dict[str, int], Sets]:
    """The counts, and the pairs of each set."""
    text = (folder / "text.source", folder / "text.target")
    for side, path in enumerate(text):
        path.write_text("".join(f"{pair[side]}\n" for pair in pairs), encoding="utf-8")
    outputs = {split: (folder / f"{split}.source", folder / f"{split}.target") for split in ("train", *sizes)}
    counts = hold_out(text, sizes, languages, outputs)
    return counts, {split: list(read_pairs(*paths)) for split, paths in outputs.items()}


def test_the_sets_are_disjoint_and_nothing_is_lost(tmp_path: Path) -> None:
    counts, sets = cut(tmp_path, PAIRS, dev=0, test=7)
    assert counts == {"train": 373, "dev": 20, "test": 7, "left_out": 0}  # one in 20
    assert sorted(pair for pairs in sets.values() for pair in pairs) == sorted(PAIRS)
    assert sets["train"] == [pair for pair in PAIRS if pair in set(sets["train"])]


@pytest.mark.parametrize(("pairs", "size"), [(30, 1), (19_980, 999), (21_000, 1000)])
def test_the_default_size_is_one_in_20_between_1_and_1000(tmp_path: Path, pairs: int, size: int) -> None:
    """Also where most pairs share a sentence, as in the texts of a program: everything is answered with OK."""
    text = [(f"πρόταση {number}", f"sentence {number}") for number in range(pairs)]
    assert cut(tmp_path, text, test=0)[0] == {"train": pairs - size, "test": size, "left_out": 0}
    answers = [(f"ερώτηση {number}", "OK") for number in range(2000)]
    assert cut(tmp_path, [*answers, *text[:20]], dev=5, test=6)[0]["test"] == 6


def test_the_choice_is_the_same_for_other_orders_directions_and_more_text(tmp_path: Path) -> None:
    _, sets = cut(tmp_path, PAIRS, dev=10, test=10)
    shuffled = random.Random(3).sample(PAIRS, len(PAIRS))
    _, others = cut(tmp_path, shuffled, dev=10, test=10)
    assert (others["dev"], others["test"]) == (sets["dev"], sets["test"])
    _, reverse = cut(tmp_path, [(target, source) for source, target in PAIRS], ("en", "el"), dev=10, test=10)
    assert reverse["test"] == [(target, source) for source, target in sets["test"]]
    more = [*PAIRS, *((f"κι άλλη {number}", f"another {number}") for number in range(20))]
    _, larger = cut(tmp_path, more, dev=10, test=10)
    assert len(set(larger["test"]) & set(sets["test"])) >= 7


def test_no_sentence_of_a_set_stays_in_the_training_text(tmp_path: Path) -> None:
    """Sentences repeat, with other translations and with the same."""
    pairs = [*PAIRS, *((f"άλλη {number}", f"sentence {number}") for number in range(400)), *PAIRS[:100]]
    counts, sets = cut(tmp_path, pairs, dev=30, test=30)
    held = [*sets["dev"], *sets["test"]]
    for side in (0, 1):
        assert len({pair[side] for pair in held}) == 60
        assert not {pair[side] for pair in held} & {pair[side] for pair in sets["train"]}
    assert counts["left_out"] == len(pairs) - 60 - counts["train"] >= 60


def test_each_set_has_a_report_and_pairs_in_no_set_are_said_when_they_are_many(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As where a few hundred translations repeat."""
    text = [tmp_path / "text.el", tmp_path / "text.en"]
    for path, different in zip(text, (400, 40), strict=True):
        path.write_text("".join(f"{path.suffix} {number % different}\n" for number in range(400)))
    whole = {"rules": {}, "pairs": 500, "kept": 400, "dropped": {"empty": 100}, "remarks": ["a"], "texts": []}
    (tmp_path / "text.json").write_text(json.dumps(whole))
    options = ["--pair", "el-en", "--source", text[0], "--target", text[1], "--output-dir", tmp_path / "out"]
    assert tiny.run(hold_out_script.main, *options, "--test", 4) == 0
    assert "note:" not in capsys.readouterr().err
    assert tiny.run(hold_out_script.main, *options, "--test", 20) == 0
    said = "180 of 400 pairs are in no set: they share a sentence with a set; give files"
    assert f"note: {said}" in capsys.readouterr().err
    test, train = (json.loads((tmp_path / "out" / f"{name}.json").read_text()) for name in ("test", "train"))
    assert (test["pairs"], test["kept"], test["texts"]) == (20, 20, [])
    assert train.items() >= {"pairs": 500, "kept": 200, "left_out": 180, "held_out": 20}.items()
    assert [note[: len(said)] for note in train["remarks"]] == ["a", said]


@pytest.mark.parametrize(
    ("pairs", "dev", "test"),
    [(PAIRS[:10], 5, 6), ([("α", "a")] * 100, 5, 6), (PAIRS[:11], 5, 6), (PAIRS[:2], 0, 0)],
)
def test_too_little_text(tmp_path: Path, pairs: list[tuple[str, str]], dev: int, test: int) -> None:
    """Also where the sets would leave nothing to train on."""
    expected = (
        r"different ones to cut \d for dev and \d for test and to train on the rest; give files or smaller"
    )
    with pytest.raises(UserError, match=f"{len(pairs)} pairs are too few {expected}"):
        cut(tmp_path, pairs, dev=dev, test=test)
    assert not list(tmp_path.glob("t*.target"))[1:]
