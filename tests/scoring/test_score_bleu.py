"""The script src/transformer/scoring/score_bleu.py."""

import csv
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tiny
from made_artifacts import DECODING

from transformer.common.artifacts import read_artifact, write_artifact
from transformer.common.files import sha256_of
from transformer.scoring.multi_bleu import COUNTS, multi_bleu


def options(folder: Path, hypothesis: bytes, reference: bytes, language: str = "de") -> list[Any]:
    (folder / "hyp.de").write_bytes(hypothesis)
    (folder / "ref.de").write_bytes(reference)
    write_artifact(folder / "hyp.decoding.json", DECODING)
    names = {
        "hypothesis": "hyp.de",
        "reference": "ref.de",
        "decoding": "hyp.decoding.json",
        # Only the sha256 of these is recorded.
        **dict.fromkeys(["source", "checkpoint", "config"], "ref.de"),
        "output": "scores.json",
        "per-sentence": "scores.csv",
    }
    files = [part for option, name in names.items() for part in (f"--{option}", folder / name)]
    return ["score_bleu", *files, "--language", language]


def run(folder: Path, hypothesis: bytes, reference: bytes, language: str = "de") -> str:
    """Score a text against another; return what the script prints."""
    done = tiny.run_captured(*options(folder, hypothesis, reference, language))
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize(
    ("hypothesis", "reference", "right", "short"),
    [
        ("ein Hund\n", "ein Hund\n", "8, 4, 0, 0", 4),
        ("eine kleine Katze schläft\n", "der große Hund bellt laut\n", "0, 0, 0, 0", 0),
        ("der große Mann schläft\n", "der große Hund bellt laut\n", "8, 4, 0, 0", 0),
        ("\n", "der große Hund bellt laut\n", "0, 0, 0, 0", 0),
        ("der Hund bellt laut\n", "der Hund bellt laut\n", "", 0),
    ],
)
def test_a_score_that_says_nothing_is_said_to(
    tmp_path: Path, hypothesis: str, reference: str, right: str, short: int
) -> None:
    done = tiny.run_captured(*options(tmp_path, 4 * hypothesis.encode(), 4 * reference.encode()))
    said = f"there are {right} of them; {short} of 4 reference sentences have fewer than 4 tokens. chrF"
    assert (said in done.stderr) == ("note: BLEU is 0.0" in done.stderr) == bool(right)
    scores = read_artifact(tmp_path / "scores.json", "scores")
    measure = scores["measures"][scores["headline"]]
    assert (measure["value"], measure["interval"]["low"]) == ((0.0, None) if right else (100.0, 100.0))


def test_scores_hashes_and_summary(tmp_path: Path) -> None:
    texts = (b"Ein Mann, eine Frau und ein Hund.\nZwei Hunde spielen.\n",) * 2
    printed = run(tmp_path, *texts)
    assert "2 sentences" in printed
    assert "100.00" in printed
    names = ("source", "translation", "reference")
    assert [line for line in printed.splitlines() if line.startswith("shown: ")] == [
        "shown: BLEU 100.0 (sacreBLEU: 100.0) on 2 sentences, the first of which is",
        *(f"shown: {name:<11}  Ein Mann, eine Frau und ein Hund." for name in names),
    ]
    first = (tmp_path / "scores.json").read_bytes()
    scores = json.loads(first)
    assert scores["format"] == 2
    assert scores["seed"] == scores["measures"]["sacrebleu"]["interval"]["seed"] == 0
    assert scores["files"]["hypothesis"] == {"name": "hyp.de", "sha256": sha256_of(tmp_path / "hyp.de")}
    assert len(scores["files"]) == 6
    assert scores["decoding"].items() >= DECODING.items()
    run(tmp_path, *texts)
    assert (tmp_path / "scores.json").read_bytes() == first


def test_a_byte_order_mark_is_no_word_and_a_line_separator_no_line_end(tmp_path: Path) -> None:
    text = "Ein\u2028Satz mit\u0085vier oder mehr Wörtern .\n".encode()
    for texts in ((text, b"\xef\xbb\xbf" + text), (b"\xef\xbb\xbf" + text, text)):
        run(tmp_path, *texts)
        measures = json.loads((tmp_path / "scores.json").read_text())["measures"]
        assert {round(measure["value"], 6) for measure in measures.values()} == {100}


@pytest.mark.parametrize(("language", "headline"), [("de", "multi_bleu_split"), ("fr", "multi_bleu")])
def test_counts_of_each_sentence_give_the_headline(tmp_path: Path, language: str, headline: str) -> None:
    run(tmp_path, b"a b-c d e f\ng h\n", b"a b-x d e f\ng h i\n", language)
    scores = read_artifact(tmp_path / "scores.json", "scores")
    assert scores["headline"] == headline
    assert scores["per_sentence"] == {"name": "scores.csv", "sha256": sha256_of(tmp_path / "scores.csv")}
    rows = list(csv.DictReader((tmp_path / "scores.csv").read_text().splitlines()))
    assert [row["sentence"] for row in rows] == ["1", "2"]
    counts = np.array([[int(row[name]) for name in COUNTS] for row in rows])
    assert counts[0, 0] == (7 if language == "de" else 5)
    result = asdict(multi_bleu(counts.sum(axis=0)))
    found = scores["measures"][headline]
    assert {name: found[name] for name in result} == result | {"precisions": list(result["precisions"])}
