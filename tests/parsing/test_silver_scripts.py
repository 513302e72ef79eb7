"""From raw text and a treebank to the trees of the semi-supervised parser, script by script."""

import gzip
import json
from itertools import islice
from pathlib import Path

import pytest
import tiny

from demo_grammar import generate
from transformer.parsing import (
    mix_silver,
    parse_pcfg,
    prepare_treebank,
    select_silver,
    tokenize_penn,
    train_pcfg,
)
from transformer.parsing.trees import parse_tree, read_trees, write_tree

DOG = "(TOP (S (NP (DT the) (NN dog)) (VP (VBZ runs)) (. .)))"
CAT = "(TOP (S (NP (NNP Anna)) (VP (VBZ sees) (NP (DT the) (NN cat))) (. .)))"


@pytest.fixture(scope="module")
def grammar(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pcfg")
    (folder / "train.trees").write_text("".join(f"{one.tree}\n" for one in islice(generate(seed=1), 100)))
    options = ["--trees", folder / "train.trees", "--output", folder / "grammar.json"]
    assert tiny.run(train_pcfg.main, *options) == 0
    return folder / "grammar.json"


def test_raw_text(tmp_path: Path) -> None:
    (tmp_path / "raw.gz").write_bytes(gzip.compress(b"The dog's here.\n\n"))
    (tmp_path / "raw").write_text("\ufeff(Yes)\u2028 no\n" + "word " * 20_000 + "\n" + "x" * 10**6 + "\n")
    inputs = ["--input", tmp_path / "raw.gz", tmp_path / "raw"]
    assert tiny.run(tokenize_penn.main, *inputs, "--output", tmp_path / "words") == 0
    assert (tmp_path / "words").read_text() == "The dog 's here .\n-LRB- Yes -RRB- no\n"


def test_raw_text_in_the_downloads_folder_is_verified(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A file may not have come there by a download."""
    foreign = tmp_path / "multi30k" / "train.en.gz"
    foreign.parent.mkdir()
    foreign.write_bytes(gzip.compress(b"The dog runs.\n"))
    options = ["--downloads", tmp_path, "--output", tmp_path / "words"]
    assert tiny.run(tokenize_penn.main, "--input", foreign, *options) == 1
    assert "train.en.gz: sha256" in tiny.the_error(capsys.readouterr().err)
    assert not (tmp_path / "words").exists()


def test_any_number_of_processes_parses_alike(tmp_path: Path, grammar: Path) -> None:
    """More than one block of sentences, so that there is an order to keep; one of them is no sentence."""
    sentences = [one.tree for one in islice(generate(seed=2), parse_pcfg.BLOCK + 10)]
    lines = [" ".join(parse_tree(tree).leaves()) for tree in sentences]
    lines[3] = "the"
    (tmp_path / "words").write_text("".join(f"{line}\n" for line in lines))
    for processes in (1, 2):
        code = tiny.run(
            parse_pcfg.main, "--grammar", grammar, "--input", tmp_path / "words",
            "--output", tmp_path / f"{processes}.trees", "--processes", processes,
        )  # fmt: skip
        assert code == 0
    assert (tmp_path / "1.trees").read_bytes() == (tmp_path / "2.trees").read_bytes()
    trees = list(read_trees(tmp_path / "1.trees"))
    assert [" ".join(tree.leaves()) for tree in trees] == lines
    assert write_tree(trees[3]) == "(S (DT the))"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a\n\nb\n", "words, line 2: no word"),
        ("", "words: the file is empty"),
    ],
)
def test_what_cannot_be_parsed(
    tmp_path: Path, grammar: Path, capsys: pytest.CaptureFixture[str], text: str, message: str
) -> None:
    (tmp_path / "words").write_text(text)
    arguments = ["--grammar", grammar, "--input", tmp_path / "words", "--output", tmp_path / "out"]
    assert tiny.run(parse_pcfg.main, *arguments) == 1
    assert message in tiny.the_error(capsys.readouterr().err)
    assert not (tmp_path / "out").exists()


def test_an_empty_treebank_and_blank_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "empty").write_text("")
    (tmp_path / "blank").write_text("\n \n")
    output = ["--output", tmp_path / "out"]
    assert tiny.run(train_pcfg.main, "--trees", tmp_path / "empty", *output) == 1
    assert "empty: the file is empty" in tiny.the_error(capsys.readouterr().err)
    assert tiny.run(tokenize_penn.main, "--input", tmp_path / "blank", *output) == 1
    assert "blank: no line with a word after the first 0, nor" in tiny.the_error(capsys.readouterr().err)
    assert not (tmp_path / "out").exists()


def test_the_treebank_has_all_sentences_of_the_grammar(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "train.en").write_text("a dog\na cat\n")
    files = ("--input", tmp_path / "train.en", "--output", tmp_path / "out")
    assert tiny.run(tokenize_penn.main, *files, "--skip", 2) == 1
    error = tiny.the_error(capsys.readouterr().err)
    assert (
        "train.en: no line with a word after the first 2, nor in the files after it; at a scale of the grammar, raise"
        in error
    )
    assert not (tmp_path / "out").exists()
    assert tiny.run(tokenize_penn.main, *files, "--skip", 1) == 0
    assert (tmp_path / "out").read_text() == "a cat\n"


def select(folder: Path, first: list[str], second: list[str], gold: list[str], *options: object) -> int:
    for name, trees in (("first", first), ("second", second), ("gold", gold)):
        (folder / name).write_text("".join(f"{tree}\n" for tree in trees))
    return tiny.run(
        select_silver.main, "--first", folder / "first", "--second", folder / "second", "--gold", folder / "gold",
        "--oversample", 2, "--seed", 1, "--output", folder / "mixed", "--silver", folder / "silver",
        "--report", folder / "report.json", *options,
    )  # fmt: skip


def test_what_parsers_agree_on_is_mixed_with_gold(tmp_path: Path) -> None:
    """The first parser writes no tags, so that its punctuation would count; one of its trees is another."""
    untagged = [DOG.replace("(. ", "(XX ").replace("NN", "XX"), CAT.replace("NNP", "XX")]
    flat = "(TOP (DT the) (NN cat) (VBZ runs) (. .))"
    other = DOG.replace("dog", "cat").replace("VP", "PP")
    second = [DOG, CAT, DOG.replace("dog", "cat"), flat, "(TOP (. .))"]
    assert select(tmp_path, [*untagged, other, flat, "(TOP (XX .))"], second, [CAT]) == 0
    assert (tmp_path / "silver").read_text().splitlines() == [DOG, CAT]
    assert sorted((tmp_path / "mixed").read_text().splitlines()) == sorted([DOG, CAT, CAT, CAT])
    report = json.loads((tmp_path / "report.json").read_text())
    counts = "sentences agreed disagreed no_constituent silver silver_distinct gold training".split()
    assert [report[name] for name in counts] == [5, 2, 1, 2, 2, 2, 1, 4]
    assert report["lengths"]["silver"] == {"1-5": 2}


@pytest.mark.parametrize(("min_f1", "silver"), [(67, 0), (66, 1)])
def test_agreement_from_a_threshold_on(tmp_path: Path, min_f1: float, silver: int) -> None:
    """Two of three brackets."""
    second = DOG.replace("VP", "PP")
    code = select(tmp_path, [DOG], [second], [DOG], "--min-f1", min_f1)
    assert code == (0 if silver else 1)
    assert (tmp_path / "silver").exists() == bool(silver)
    if silver:
        assert (tmp_path / "silver").read_text() == DOG + "\n"


@pytest.mark.parametrize(
    ("first", "second", "gold", "message"),
    [
        ([DOG, CAT], [DOG, DOG], [DOG], "second, line 2: not the same words"),
        ([DOG, CAT], [DOG], [DOG], "second, line 2: not the same words"),
        ([DOG], [DOG, CAT], [DOG], "second, line 2: not the same words"),
        ([DOG], [DOG], [], "gold: the file is empty"),
        ([DOG], [DOG], ["(TOP (S" + " (NN a)" * 6 + "))"], "none of them as long as a gold one"),
        ([DOG], ["(TOP (S"], [DOG], "second, line 1: 2 brackets are not closed"),
    ],
)
def test_what_cannot_be_selected_from(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    first: list[str],
    second: list[str],
    gold: list[str],
    message: str,
) -> None:
    assert select(tmp_path, first, second, gold) == 1
    assert message in tiny.the_error(capsys.readouterr().err)
    for output in ("silver", "mixed", "report.json"):
        assert not (tmp_path / output).exists()


def test_silver_trees_of_the_user(tmp_path: Path) -> None:
    """They may be spread over lines and have function tags, as a treebank's; all are used, whatever their length."""
    (tmp_path / "mine").write_text(
        "( (S (NP-SBJ (NNP Rex))\n  (VP (VBZ runs) (NP (-NONE- *)))) )\n(S (UH Yes))\n"
    )
    (tmp_path / "gold").write_text(f"{DOG}\n{CAT}\n")
    assert tiny.run(prepare_treebank.main, tmp_path / "mine", "--output", tmp_path / "silver") == 0
    silver = ["(TOP (S (NP (NNP Rex)) (VP (VBZ runs))))", "(TOP (S (UH Yes)))"]
    assert (tmp_path / "silver").read_text().splitlines() == silver
    options = ["--silver", tmp_path / "silver", "--gold", tmp_path / "gold", "--oversample", 3, "--seed", 1]
    options += ["--output", tmp_path / "train", "--report", tmp_path / "report"]
    assert tiny.run(mix_silver.main, *options) == 0
    trees = (tmp_path / "train").read_text().splitlines()
    assert sorted(trees) == sorted([*silver, *[DOG, CAT] * 3])
    assert trees != [*silver, *[DOG, CAT] * 3]
    report = json.loads((tmp_path / "report").read_text())
    assert (report["silver"], report["gold"], report["training"]) == (2, 2, 8)
    assert report["lengths"] == {"silver": {"1-5": 2}, "gold": {"1-5": 2}}


def test_silver_trees_that_cannot_be_mixed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "silver").touch()
    (tmp_path / "gold").write_text(DOG)
    files = ["--silver", tmp_path / "silver", "--gold", tmp_path / "gold"]
    outputs = ["--output", tmp_path / "train", "--report", tmp_path / "report"]
    assert tiny.run(mix_silver.main, *files, *outputs, "--oversample", 1, "--seed", 1) == 1
    assert "silver: the file is empty" in tiny.the_error(capsys.readouterr().err)
    assert not (tmp_path / "train").exists()
