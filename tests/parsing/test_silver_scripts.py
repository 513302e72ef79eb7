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


def fails(output: Path, script: str, message: str, *arguments: object) -> None:
    """Check that a script ends in one line, which says this, and writes nothing."""
    assert message in tiny.error(script, *arguments)
    assert not output.exists()


def says(script: str, *arguments: object) -> str:
    """What a script says that succeeds."""
    done = tiny.run_captured(script, *arguments)
    assert done.returncode == 0, done.stderr
    return done.stderr


def test_raw_text(tmp_path: Path) -> None:
    (tmp_path / "raw.gz").write_bytes(gzip.compress(b"The dog's here.\n\n"))
    text = "\ufeff(Yes)\u2028 n\0o\ufeff\n" + "word " * 20_000 + "\n" + "x" * 10**6 + "\n"
    (tmp_path / "raw").write_text(text)
    options = ["--input", tmp_path / "raw.gz", tmp_path / "raw", "--output", tmp_path / "words"]
    said = says("tokenize_penn", *options)
    assert (tmp_path / "words").read_text() == "The dog 's here .\n-LRB- Yes -RRB- no\n"
    assert "is not read" not in said
    for name, count, size in (("raw.gz", 1, 2), ("raw", 2, 3)):
        assert f"note: {tmp_path / name}: {count} of {size} lines are left out" in said
    assert f"2 of 3 lines in {tmp_path / 'raw'} (lines: 2, 3) have more than 4,096 characters" in said
    said = says("tokenize_penn", *options, "--most", 2)
    assert f"note: {tmp_path / 'raw'}: what follows line 2 is not read" in said
    assert "are asked for" not in said
    assert "no line with a word" in tiny.error("tokenize_penn", *options, "--skip", 1, "--most", 2)
    (tmp_path / "raw").write_text("A dog\t\nA\tdog\nA\tdog\n")
    said = says("tokenize_penn", *options, "--skip", 1, "--most", 2)
    assert (
        f"note: 2 of 2 lines in {tmp_path / 'raw'} (lines: 2, 3) have a tab; if the file has columns" in said
    )
    assert f"note: {tmp_path / 'raw.gz'} has 1 lines after line 1; 2 are asked for" in said


def test_any_number_of_processes_parses_alike(tmp_path: Path, grammar: Path) -> None:
    """More than one block of sentences, so that there is an order to keep; one of them is not a sentence."""
    sentences = [one.tree for one in islice(generate(seed=2), parse_pcfg.BLOCK + 10)]
    lines = [" ".join(parse_tree(tree).leaves()) for tree in sentences]
    lines[3] = "the"
    (tmp_path / "words").write_text("".join(f"{line}\n" for line in lines))
    options = ["--grammar", grammar, "--input", tmp_path / "words"]
    for processes in (1, 2):
        output = ["--output", tmp_path / f"{processes}.trees", "--processes", processes]
        assert tiny.run(parse_pcfg.main, *options, *output) == 0
    assert (tmp_path / "1.trees").read_bytes() == (tmp_path / "2.trees").read_bytes()
    trees = list(read_trees(tmp_path / "1.trees"))
    assert [" ".join(tree.leaves()) for tree in trees] == lines
    assert write_tree(trees[3]) == "(S (DT the))"


def test_brackets_and_marks_of_raw_text_are_no_part_of_trees(tmp_path: Path, grammar: Path) -> None:
    (tmp_path / "words").write_text("\ufeffthe dog (runs) ( .\n")
    options = ["--grammar", grammar, "--input", tmp_path / "words", "--output", tmp_path / "trees"]
    assert "derives no tree" not in says("parse_pcfg", *options)
    (tree,) = read_trees(tmp_path / "trees")
    assert tree.leaves() == ["the", "dog", "-LRB-runs-RRB-", "-LRB-", "."]
    (tmp_path / "words").write_text("the dog (runs) ( .\n" + "the " * 200 + "\n")
    assert "derives no tree for 1 of 2 sentences; theirs are flat" in says("parse_pcfg", *options)


@pytest.mark.parametrize(
    ("text", "message"), [("a\n\nb\n", "words, line 2: no word"), ("", "words: the file is empty")]
)
def test_what_cannot_be_parsed(tmp_path: Path, grammar: Path, text: str, message: str) -> None:
    (tmp_path / "words").write_text(text)
    options = ["--grammar", grammar, "--input", tmp_path / "words", "--output", tmp_path / "out"]
    fails(tmp_path / "out", "parse_pcfg", message, *options)


def selection(folder: Path, first: list[str], second: list[str], gold: list[str]) -> list[object]:
    for name, trees in (("first", first), ("second", second), ("gold", gold)):
        (folder / name).write_text("".join(f"{tree}\n" for tree in trees))
    names = ("first", "second", "gold", "silver", "report")
    files = [part for name in names for part in (f"--{name}", folder / name)]
    return [*files, "--output", folder / "mixed", "--oversample", 2, "--seed", 1]


def test_what_parsers_agree_on_is_mixed_with_gold(tmp_path: Path) -> None:
    """The first parser writes no tags, so that its punctuation would count; one of its trees is another."""
    untagged = [DOG.replace("(. ", "(XX ").replace("NN", "XX"), CAT.replace("NNP", "XX")]
    flat = "(TOP (DT the) (NN cat) (VBZ runs) (. .))"
    other = DOG.replace("dog", "cat").replace("VP", "PP")
    second = [DOG, CAT, DOG.replace("dog", "cat"), flat, "(TOP (. .))"]
    options = selection(tmp_path, [*untagged, other, flat, "(TOP (XX .))"], second, [CAT])
    assert tiny.run(select_silver.main, *options) == 0
    assert (tmp_path / "silver").read_text().splitlines() == [DOG, CAT]
    assert sorted((tmp_path / "mixed").read_text().splitlines()) == sorted([DOG, CAT, CAT, CAT])
    report = json.loads((tmp_path / "report").read_text())
    counts = "sentences agreed disagreed no_constituent silver silver_distinct gold training".split()
    assert [report[name] for name in counts] == [5, 2, 1, 2, 2, 2, 1, 4]
    assert report["lengths"]["silver"] == {"1-5": 2}


def test_agreement_from_a_threshold_on(tmp_path: Path) -> None:
    """Two of three brackets."""
    options = selection(tmp_path, [DOG], [DOG.replace("VP", "PP")], [DOG])
    fails(tmp_path / "silver", "select_silver", "the parsers agree on 0", *options, "--min-f1", 67)
    assert tiny.run(select_silver.main, *options, "--min-f1", 66) == 0
    assert (tmp_path / "silver").read_text() == DOG + "\n"


@pytest.mark.parametrize(
    ("first", "second", "gold", "message"),
    [
        ([DOG, CAT], [DOG, DOG], [DOG], "second, line 2: not the same words"),
        ([DOG], [DOG, CAT], [DOG], "second, line 2: not the same words"),
        ([DOG], [DOG], [], "gold: the file is empty"),
        ([DOG], [DOG], ["(TOP (S" + " (NN a)" * 6 + "))"], "none of them as long as a gold one"),
        ([DOG], ["(TOP (S"], [DOG], "second, line 1: 2 brackets are not closed"),
    ],
)
def test_what_cannot_be_selected_from(
    tmp_path: Path, first: list[str], second: list[str], gold: list[str], message: str
) -> None:
    options = selection(tmp_path, first, second, gold)
    fails(tmp_path / "silver", "select_silver", message, *options)
    assert not (tmp_path / "mixed").exists()
    assert not (tmp_path / "report").exists()


def test_silver_trees_of_the_user(tmp_path: Path) -> None:
    """They may be spread over lines and have function tags, as a treebank's; all are used, whatever their length."""
    mine = "( (S (NP-SBJ (NNP Rex))\n  (VP (VBZ runs) (NP (-NONE- *)))) )\n(S (UH Yes))\n"
    (tmp_path / "mine").write_text(mine)
    (tmp_path / "gold").write_text(f"{DOG}\n{CAT}\n")
    assert tiny.run(prepare_treebank.main, tmp_path / "mine", "--output", tmp_path / "silver") == 0
    silver = ["(TOP (S (NP (NNP Rex)) (VP (VBZ runs))))", "(TOP (S (UH Yes)))"]
    assert (tmp_path / "silver").read_text().splitlines() == silver
    options = ["--silver", tmp_path / "silver", "--gold", tmp_path / "gold", "--oversample", 3, "--seed", 1]
    outputs = ["--output", tmp_path / "train", "--report", tmp_path / "report"]
    assert tiny.run(mix_silver.main, *options, *outputs) == 0
    trees = (tmp_path / "train").read_text().splitlines()
    assert sorted(trees) == sorted([*silver, *[DOG, CAT] * 3])
    assert trees != [*silver, *[DOG, CAT] * 3]
    report = json.loads((tmp_path / "report").read_text())
    assert (report["silver"], report["gold"], report["training"]) == (2, 2, 8)
    assert report["lengths"] == {"silver": {"1-5": 2}, "gold": {"1-5": 2}}
