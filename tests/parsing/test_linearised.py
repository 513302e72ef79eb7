"""Trees as sequences of symbols, and back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.tree import Tree

from transformer.parsing.linearised import is_tree, linearise, repair, tree_of
from transformer.parsing.trees import is_terminal, parse_tree, write_tree

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
    words, tags = map(list, zip(*tree.pos(), strict=True))
    assert tree_of(linearise(tree, tags=True), words) == tree
    assert tree_of(linearise(tree, tags=False), words, tags) == tree


@given(TREES)
def test_what_is_a_tree_is_not_repaired(tree: Tree) -> None:
    symbols, words = linearise(tree, tags=True), len(tree.leaves())
    one = len(tree) == 1 and not is_terminal(tree[0])
    assert is_tree(symbols, words) or not one or symbols[0] == "(TOP"
    if is_tree(symbols, words):
        assert repair(symbols, words) == symbols
        assert not is_tree(symbols, words + 1)


@given(SYMBOLS, st.integers(1, 6))
def test_anything_is_repaired_to_a_tree_over_the_words(symbols: list[str], words: int) -> None:
    repaired = repair(symbols, words)
    assert is_tree(repaired, words)
    assert tree_of(repaired, ["w"] * words).leaves() == ["w"] * words
    assert repair(repaired, words) == repaired


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
    assert not is_tree(symbols.split(), words)
    assert " ".join(repair(symbols.split(), words)) == wanted


@pytest.mark.parametrize(
    ("symbols", "message"),
    [
        (")S", r"\)S closes a constituent that is not the innermost open one"),
        ("(S XX )NP", r"\)NP closes a constituent that is not the innermost open one"),
        ("(S (NP )NP XX )S", r"\(NP is closed without a word"),
        ("(S XX XX XX )S", "more words than the sentence's 2"),
        ("(S XX )S", "1 words, not the sentence's 2"),
        ("(S XX XX", r"\(S is not closed"),
    ],
)
def test_what_is_no_tree(symbols: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        tree_of(symbols.split(), ["a", "b"])


def test_a_root_of_several_constituents_keeps_its_name() -> None:
    tree = parse_tree("(TOP (S (NN a)) (. .))")
    assert linearise(tree, tags=True) == ["(TOP", "(S", "NN", ")S", ".", ")TOP"]
    assert write_tree(tree_of(linearise(tree, tags=True), ["a", "."])) == write_tree(tree)
