"""Trees as sequences of symbols, and back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.tree import Tree

from transformer.parsing.linearise import linearise, source_text, tree_of
from transformer.parsing.trees import copy_tags, is_terminal, parse_tree, write_tree
from transformer.subwords.symbols import read_sentence

LABELS = st.sampled_from(["S", "NP", "VP", "TOP", "ADVP|PRT", "X"])
TERMINALS = st.builds(
    Tree, st.sampled_from(["DT", "NN", "-LRB-", "."]), st.sampled_from([["a"], ["b"], ["c"]])
)
NODES = st.recursive(
    TERMINALS, lambda inner: st.builds(Tree, LABELS, st.lists(inner, min_size=1, max_size=4)), max_leaves=20
)
TREES = st.builds(Tree, st.just("TOP"), st.lists(NODES, min_size=1, max_size=3))
SYMBOLS = st.lists(st.sampled_from(["(S", ")S", "(NP", ")NP", "(TOP", ")TOP", "XX", "DT"]), max_size=20)

TREE = "(TOP (S (NP (DT the) (NN dog)) (VP (VBZ runs))))"


def test_as_in_the_literature() -> None:
    tree = parse_tree(TREE)
    assert " ".join(linearise(tree, tags=False)) == "(S (NP XX XX )NP (VP XX )VP )S"
    assert " ".join(linearise(tree, tags=True)) == "(S (NP DT NN )NP (VP VBZ )VP )S"


@given(TREES)
def test_back_and_forth(tree: Tree) -> None:
    words = tree.leaves()
    symbols = linearise(tree, tags=True)
    found, well_formed = tree_of(symbols, words)
    assert found == tree
    one = len(tree) == 1 and not is_terminal(tree[0])
    assert well_formed or not one
    assert not tree_of(symbols, [*words, "more"])[1]
    without_tags, _ = tree_of(linearise(tree, tags=False), words)
    copy_tags(tree, without_tags)
    assert without_tags == tree


@given(SYMBOLS, st.integers(1, 6))
def test_anything_is_repaired_to_a_tree_over_the_words(symbols: list[str], count: int) -> None:
    words = [f"w{number}" for number in range(count)]
    tree, well_formed = tree_of(symbols, words)
    assert tree.leaves() == words
    assert parse_tree(write_tree(tree)) == tree
    assert tree_of(linearise(tree, tags=True), words)[0] == tree
    if well_formed and symbols[0] != "(TOP":
        assert linearise(tree, tags=True) == symbols


@pytest.mark.parametrize(
    ("symbols", "words", "wanted"),
    [
        ("", 2, "(S XX XX )S"),
        ("(S (NP DT NN", 2, "(S (NP DT NN )NP )S"),
        ("(S DT )NP NN )S", 2, "(S DT NN )S"),
        ("(S (NP DT )S", 1, "(S (NP DT )NP )S"),
        ("(S (NP )NP DT )S", 1, "(S DT )S"),
        ("(S DT NN VB )S", 2, "(S DT NN )S"),
        ("(S DT )S", 3, "(S DT XX XX )S"),
        ("(S DT )S (NP NN )NP", 2, "(S (S DT )S (NP NN )NP )S"),
    ],
)
def test_repairs(symbols: str, words: int, wanted: str) -> None:
    tree, well_formed = tree_of(symbols.split(), ["w"] * words)
    assert not well_formed
    assert " ".join(linearise(tree, tags=True)) == wanted


def test_a_root_of_several_constituents_keeps_its_name() -> None:
    tree = parse_tree("(TOP (S (NN a)) (. .))")
    symbols = ["(TOP", "(S", "NN", ")S", ".", ")TOP"]
    assert linearise(tree, tags=True) == symbols
    assert tree_of(symbols, ["a", "."]) == (tree, True)


def test_a_sentence_as_text() -> None:
    tree = parse_tree("(S (DT a) (NN 3\u00a0%))")
    assert source_text(tree, tags=True) == "DT a NN 3\u00a0%"
    for tags in (False, True):
        assert read_sentence(source_text(tree, tags), tags, "f") == ["a", "3\u00a0%"]
