"""The measures differ where they should, and sacreBLEU's are the library's own."""

from typing import Any

import pytest
from sacrebleu.metrics import BLEU, CHRF

from transformer.scoring.bleu import all_measures, results
from transformer.scoring.tokens import tokenizer_name

REFERENCES = [
    "Die rot-weiße Fahne weht, wie immer, über dem alten Haus.",
    "Am 3. Mai kam Herr Müller zu uns nach Hause.",
    "Ein Mann schläft in einem grünen Raum auf einem Sofa.",
]
HYPOTHESES = [
    "Die rot-blaue fahne weht, wie immer, über dem Haus.",
    "Am 3. Mai kam herr Müller zu uns nach Hause.",
    "Ein Mann schläft in einem Zimmer auf einem Sofa.",
]


def score(hypotheses: list[str], references: list[str]) -> dict[str, dict[str, Any]]:
    return results(all_measures(hypotheses, references, "de"))


def test_sacrebleu_is_the_librarys_own() -> None:
    results = score(HYPOTHESES, REFERENCES)
    for name, lowercase in [("sacrebleu", False), ("sacrebleu_lowercased", True)]:
        metric = BLEU(lowercase=lowercase)
        theirs = metric.corpus_score(HYPOTHESES, [REFERENCES])
        assert results[name]["value"] == pytest.approx(theirs.score)
        assert results[name]["precisions"] == pytest.approx(theirs.precisions)
        assert results[name]["signature"] == metric.get_signature().format()


@pytest.mark.parametrize("size", [1, 3])
def test_chrf_is_the_librarys_own(size: int) -> None:
    """Also of text that is shorter than the longest n-grams."""
    short = [("ein", "eins"), ("eins", "ein"), ("einz", "eins"), ("ab", "cd")]
    for hypotheses, references in ((HYPOTHESES, REFERENCES), *(([one], [other]) for one, other in short)):
        metric = CHRF()
        theirs = metric.corpus_score(hypotheses[:size], [references[:size]])
        ours = score(hypotheses[:size], references[:size])["chrf"]
        assert ours["value"] == pytest.approx(theirs.score)
        assert ours["signature"] == metric.get_signature().format()
        if ours["value"]:
            assert ours["interval"]["low"] <= ours["value"] <= ours["interval"]["high"]


def test_sacrebleu_smooths_and_the_papers_measure_does_not() -> None:
    results = score(["ein Haus steht da hinten"], ["ein Hund steht da vorn"])
    assert results["sacrebleu"]["value"] > 0
    assert results["multi_bleu_split"]["value"] == 0


def test_case_and_compounds() -> None:
    results = score(HYPOTHESES, REFERENCES)
    value = {name: result["value"] for name, result in results.items()}
    # "rot-blaue" is one token, or three tokens of which "rot" and the hyphen match.
    assert results["multi_bleu_split"]["hypothesis_length"] == results["multi_bleu"]["hypothesis_length"] + 2
    assert results["multi_bleu_split"]["precisions"][0] > results["multi_bleu"]["precisions"][0]
    assert value["multi_bleu_split_lowercased"] > value["multi_bleu_split"]
    assert value["sacrebleu_lowercased"] > value["sacrebleu"]


def test_typographic_punctuation_counts_in_the_measure_of_2017_only() -> None:
    """Of German, since the script is for EN-DE."""
    plain, typographic = ['Er sagte "nein" und ging, rot-blau.'], ["Er sagte “nein” und ging, rot-blau."]
    found = score(plain, typographic)
    assert found["multi_bleu_split"]["value"] == pytest.approx(100)
    assert found["multi_bleu_2017"]["value"] < 60
    assert found["multi_bleu_2017"]["reference_length"] == found["multi_bleu_split"]["reference_length"]
    assert "punct:kept|" in found["multi_bleu_2017"]["signature"]
    assert "multi_bleu_2017" not in results(all_measures(plain, typographic, "fr"))


def test_letters_beyond_ascii_are_lowercased() -> None:
    results = score(["ÄRGER ÜBER ALLE ÖFEN"], ["ärger über alle öfen"])
    assert results["multi_bleu_lowercased"]["value"] == pytest.approx(100)


def test_identical_text_scores_100_by_seven_different_rules() -> None:
    results = score(REFERENCES, REFERENCES)
    for result in results.values():
        assert result["value"] == pytest.approx(100)
        assert result["interval"]["low"] == pytest.approx(100)
    assert len({result["signature"] for result in results.values()}) == len(results) == 7


@pytest.mark.parametrize(
    ("language", "tokens", "line"),
    [
        ("ka", "13a", "მე ვხედავ ძაღლს."),
        ("gsw", "13a", "I gseh e Hund."),
        *((code, "zh", "我看见一只狗。") for code in ("zh", "cmn", "yue")),
        *((code, "char", "犬が見えます。") for code in ("ja", "jpn", "xx", "de")),
        *((code, "char", "ฉันเห็นหมาตัวหนึ่ง") for code in ("th", "tha", "xx", "zh")),
        *((code, "char", "IchseheeinengroßenHund.") for code in ("de", "zh", "xx")),
    ],
)
def test_other_text_has_sacrebleu_s_tokens(
    language: str, tokens: str, line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No sentence is one token, whatever its language is called."""
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    text = [line, line]
    found = results(all_measures(text, text, language))
    assert f"tok:{tokens}|sacrebleu:" in found["multi_bleu"]["signature"]
    assert {round(measure["value"]) for measure in found.values()} == {100}
    assert f"tok:{tokens}|" in found["sacrebleu"]["signature"]
    assert found["multi_bleu"]["reference_length"] >= 2 * 4


def test_with_its_library_japanese_is_scored_by_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: name)
    assert tokenizer_name("ja", ["犬が見えます。"]) == "ja-mecab"


def test_chinese_is_scored_by_characters() -> None:
    hypotheses, references = ["我看见一只狗。", "他有两本书。"], ["我看见一只大狗。", "她有三本书。"]
    found = results(all_measures(hypotheses, references, "zh"))
    theirs = BLEU(tokenize="zh").corpus_score(hypotheses, [references])
    assert found["sacrebleu"]["value"] == pytest.approx(theirs.score)
    assert found["sacrebleu"]["precisions"] == pytest.approx(theirs.precisions)
