"""EVALB's rules one by one, and all together against a second implementation."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest
import random_trees
import tiny
from made_artifacts import DECODING

from transformer.common.artifacts import write_artifact
from transformer.common.files import sha256_of
from transformer.parsing import score_parses
from transformer.parsing.evalb import Sentence, Status, score_lines, summary
from transformer.parsing.score_parses import read_line


def score(gold: str, predicted: str) -> Sentence:
    return score_lines(read_line(gold), read_line(predicted))


GOLD = "(TOP (S (NP (DT the) (NN dog)) (VP (VBZ sees) (NP (NNS cats))) (. .)))"
VALID = Status.VALID


@pytest.mark.parametrize(
    ("gold", "predicted", "counts"),
    [
        (GOLD, GOLD, Sentence(5, VALID, 4, 4, 4, 0, 4, 4)),
        # Punctuation goes by its tag, also where the parser calls it a noun: then there is a word more than in gold.
        (GOLD, GOLD.replace("(. .)", "(, .)"), Sentence(5, VALID, 4, 4, 4, 0, 4, 4)),
        (GOLD, GOLD.replace("(. .)", "(NN .)"), Sentence(5, Status.ERROR)),
        ("(S (NN a) (: --))", "(S (NN a))", Sentence(2, VALID, 1, 1, 1, 0, 1, 1)),
        ("(S (-LRB- -LRB-) (NN a))", "(S (-LRB- -LRB-) (NN a))", Sentence(2, VALID, 1, 1, 1, 0, 2, 2)),
        # Words must be the same, and case counts; that no word is left comes first.
        (GOLD, GOLD.replace("dog", "Dog"), Sentence(5, Status.ERROR)),
        (GOLD, GOLD.replace("(NNS cats)", "(NNS cats) (NN x)"), Sentence(5, Status.ERROR)),
        (GOLD, "(TOP (S (. .)))", Sentence(5, Status.SKIPPED)),
        # The length counts punctuation and no traces.
        ("(S (NP (-NONE- *)) (NN a) (, ,))", "(S (NN a))", Sentence(2, VALID, 1, 1, 1, 0, 1, 1)),
        # Labels are cut, TOP is dropped, and so are empty brackets, before their label is looked at.
        (
            "(TOP (S-1 (NP-SBJ=2 (NN a)) (VP (VB b))))",
            "(ROOT (S (NP (NN a)) (VP=3 (VB b))))",
            Sentence(2, VALID, 3, 3, 4, 0, 2, 2),
        ),
        ("(S (NP (-NONE- *)) (NN a))", "(S (NN a))", Sentence(1, VALID, 1, 1, 1, 0, 1, 1)),
        # ADVP equals PRT, and their mixture equals neither; so do the tags.
        ("(S (ADVP (RB up)) (NN a))", "(S (PRT (RB up)) (NN a))", Sentence(2, VALID, 2, 2, 2, 0, 2, 2)),
        ("(S (ADVP (RB up)) (NN a))", "(S (ADVP|PRT (RB up)) (NN a))", Sentence(2, VALID, 1, 2, 2, 0, 2, 2)),
        (
            "(S (ADVP a) (PRT b) (ADVP|PRT c))",
            "(S (PRT a) (PRT b) (PRT c))",
            Sentence(3, VALID, 1, 1, 1, 0, 3, 2),
        ),
        # Repeated brackets count one to one.
        ("(S (NP (NP (NN a))))", "(S (NP (NN a)))", Sentence(1, VALID, 2, 3, 2, 0, 1, 1)),
        ("(S (NP (NN a)))", "(S (NP (NP (NP (NN a)))))", Sentence(1, VALID, 2, 2, 4, 0, 1, 1)),
        ("(S (X (A a) (B b)) (C c))", "(S (A a) (X (B b) (C c)))", Sentence(3, VALID, 1, 2, 2, 1, 3, 3)),
        # Tags are compared over the words kept.
        (GOLD, GOLD.replace("VBZ", "NNS"), Sentence(5, VALID, 4, 4, 4, 0, 4, 3)),
        # A word in no constituent is a tree without brackets, and several trees follow each other.
        ("(S (NN a))", "(NN a)", Sentence(1, VALID, 0, 1, 0, 0, 1, 1)),
        ("(NN a)", "(NN a)", Sentence(1, VALID, 0, 0, 0, 0, 1, 1)),
        ("(S (NN a)) (S (NN b))", "(S (NN a) (NN b))", Sentence(2, VALID, 0, 2, 1, 0, 2, 2)),
        # `(NP )`, with a space, is read as the word "" with the tag NP; `(NP)` is a constituent.
        ("(S (NN a))", "(S )", Sentence(1, Status.ERROR)),
        ("(S (NP ))", "(S (NP ))", Sentence(1, VALID, 1, 1, 1, 0, 1, 1)),
    ],
)
def test_the_counts_of_a_sentence(gold: str, predicted: str, counts: Sentence) -> None:
    assert score(gold, predicted) == counts


def test_a_million_spaces_or_brackets_take_no_time_to_speak_of() -> None:
    assert read_line("(S" + " " * 10**6 + "(NN a))").words == ["a"]
    assert len(read_line("(S " * 10**5 + "(NN a)" + ")" * 10**5).brackets) == 10**5


@pytest.mark.parametrize("seed", range(3))
def test_random_lines_against_a_second_implementation(seed: int) -> None:
    """Trees, and what is left of them after a few edits; the campaign goes on with more of them."""
    found = random_trees.compare(seed)
    assert found["different"] == 0
    assert min(found["valid"], found["error"], found["skipped"]) > 50


def test_the_summary() -> None:
    """By hand: a whole match, one with brackets too many, one with one too few; 40 words are short, 41 are not."""
    sentences = [
        Sentence(41, Status.VALID, 2, 2, 2, 0, 40, 40),
        Sentence(40, Status.VALID, 4, 4, 6, 1, 30, 29),
        Sentence(7, Status.VALID, 2, 3, 2, 2, 6, 3),
        Sentence(9, Status.VALID),  # without brackets and kept words, so nothing is missing
        Sentence(5, Status.ERROR),
        Sentence(5, Status.ERROR),
        Sentence(5, Status.SKIPPED),
    ]
    found = summary(sentences)
    counts = {key: found.pop(key) for key in ("sentences", "valid", "errors", "skipped")}
    assert counts == {"sentences": 7, "valid": 4, "errors": 2, "skipped": 1}
    names = "valid precision recall f1 complete_match average_crossing tagging_accuracy".split()
    for part, values in {
        "all": (4, 80, 800 / 9, 1600 / 19, 50, 0.75, 7200 / 76),
        "up_to_40": (3, 75, 600 / 7, 80, 100 / 3, 1, 3200 / 36),
    }.items():
        interval = found[part].pop("interval")
        assert found.pop(part) == pytest.approx(dict(zip(names, values, strict=True)))
        assert interval["low"] <= values[3] <= interval["high"]
    assert not found
    nothing = summary([Sentence(5, Status.ERROR)])["all"]
    assert nothing == dict.fromkeys(names, 0)  # and no interval


def test_the_interval_resamples_sentences_of_the_whole_corpus() -> None:
    """F1 of summed counts, drawn as for BLEU; not a mean of sentences' F1."""
    rng = np.random.default_rng(3)
    counts = rng.integers([0, 5, 5], [5, 20, 20], size=(60, 3))
    found = summary([Sentence(9, Status.VALID, *map(int, row)) for row in counts])
    generator = np.random.default_rng(0)
    sums = [counts[generator.integers(60, size=60)].sum(axis=0) for _ in range(1000)]
    low, high = np.percentile([200 * m / (g + p) for m, g, p in sums], [2.5, 97.5])
    assert (found["all"]["interval"]["low"], found["all"]["interval"]["high"]) == pytest.approx((low, high))


def files(folder: Path, gold: str, predicted: str) -> list[object]:
    for name, text in (("gold", gold), ("predicted", predicted)):
        (folder / name).write_text(text)
    outputs = ["--output", folder / "scores.json", "--per-sentence", folder / "per.csv"]
    return ["--gold", folder / "gold", "--predicted", folder / "predicted", *outputs]


def test_the_script(tmp_path: Path) -> None:
    """It records what it read; ``made_artifacts`` has a file of parse.py --report."""
    other = GOLD.replace("dog", "cat")
    decoding = tmp_path / "decoding.json"
    content = DECODING | {"constrained": False, "sentences": 2, "malformed": 1}
    write_artifact(decoding, content)
    arguments = files(tmp_path, f"{GOLD}\n{GOLD}\n", f"{GOLD}\n{other}\n")
    assert tiny.run(score_parses.main, *arguments, "--decoding", decoding) == 0
    rows = list(csv.reader((tmp_path / "per.csv").open()))
    assert rows[0] == "sentence length status matched gold predicted crossing words correct_tags".split()
    assert rows[1:] == [
        ["1", "5", "0", "4", "4", "4", "0", "4", "4"],
        ["2", "5", "1", "0", "0", "0", "0", "0", "0"],
    ]
    scores = json.loads((tmp_path / "scores.json").read_text())
    assert (scores["all"]["f1"], scores["errors"], scores["decoding"]) == (100.0, 1, content)
    assert set(scores["files"]) == {"gold", "predicted", "decoding"}
    assert scores["files"]["decoding"] == {"name": "decoding.json", "sha256": sha256_of(decoding)}


def test_the_script_counts_lines_without_a_tree(tmp_path: Path) -> None:
    gold, predicted = f"{GOLD}\n\n{GOLD}\n(NP)\n{GOLD}\n", f"{GOLD}\n{GOLD}\n\n\n(NP)\n"
    arguments = [*files(tmp_path, gold, predicted), "--gold-tags"]
    assert tiny.run(score_parses.main, *arguments) == 0
    scores = json.loads((tmp_path / "scores.json").read_text())
    assert [scores[key] for key in ("sentences", "valid", "errors", "skipped")] == [5, 1, 1, 3]
    assert scores["all"]["f1"] == 100.0
    rows = list(csv.DictReader((tmp_path / "per.csv").open()))
    assert [row["status"] for row in rows] == ["0", "1", "2", "2", "2"]


def test_gold_tags_of_a_treebank_with_traces(tmp_path: Path) -> None:
    gold, predicted = "(S (NP (-NONE- *)) (VP (VB run)) (. .))\n", "(S (VP (XX run)) (XX .))\n"
    assert tiny.run(score_parses.main, *files(tmp_path, gold, predicted), "--gold-tags") == 0
    scores = json.loads((tmp_path / "scores.json").read_text())
    assert (scores["valid"], scores["all"]["f1"]) == (1, 100.0)


@pytest.mark.parametrize(
    ("gold", "predicted", "message"),
    [
        ("(S (NN a))\n", "(S (NN a)\n", "predicted, line 1: 1 brackets are not closed"),
        ("(S (NN a))\n(S (NN a) b)\n", "(S (NN a))\n" * 2, "gold, line 2: 'b' is neither a label"),
        ("(S (NN a))\n" * 2, "(S (NN a))\n", "predicted has 1 trees, and the other"),
        ("(S (NN a))\n", "(S (NN a))\n" * 3, "gold has 1 trees, and the other"),
        ("", "", "gold: the file is empty"),
    ],
)
def test_what_cannot_be_scored(tmp_path: Path, gold: str, predicted: str, message: str) -> None:
    assert message in tiny.error("score_parses", *files(tmp_path, gold, predicted))
    assert not (tmp_path / "scores.json").exists()
    assert not (tmp_path / "per.csv").exists()
