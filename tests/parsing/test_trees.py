"""Bracketed trees: back and forth, and what is malformed."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.tree import Tree

from transformer.parsing.trees import parse_tree, parse_trees, read_trees, write_tree

# Words may hold other white space than ASCII's: EVALB does not split there.
LABELS = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="() \t\n\r\f\v"), min_size=1, max_size=5
)
TERMINALS = st.builds(Tree, LABELS, st.lists(LABELS, min_size=1, max_size=1))
NODES = st.recursive(
    TERMINALS, lambda inner: st.builds(Tree, LABELS, st.lists(inner, min_size=1, max_size=4)), max_leaves=20
)
TREES = st.builds(Tree, LABELS, st.lists(NODES, min_size=1, max_size=4))


@given(TREES)
def test_back_and_forth(tree: Tree) -> None:
    assert parse_tree(write_tree(tree)) == tree


def test_spaces_do_not_matter_and_a_label_may_be_missing() -> None:
    tree = parse_tree("  ( (S(NP  (DT the)(NN dog) ) (VP (VBZ runs))) )  ")
    assert write_tree(tree) == "( (S (NP (DT the) (NN dog)) (VP (VBZ runs))))"


def test_a_tree_of_any_depth() -> None:
    text = "(X " * 20_000 + "(NN dog)" + ")" * 20_000
    assert write_tree(parse_tree(text)) == text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no tree"),
        ("()", r"\(\) has no word"),
        ("(S )", r"\(S\) has no word"),
        ("(S (NN dog)", "1 brackets are not closed"),
        ("(S (NN dog)))", "a closing bracket that nothing opens"),
        ("(S (NN dog)) (S (NN cat))", "a second tree after the end of the first"),
        ("dog", "'dog' outside all brackets"),
        ("(S (NN dog) runs)", "'runs' is neither a label nor the word"),
        ("(NN two words)", "'two' is neither"),
        ("(S (NN ))", r"\(NN\) has no word"),
        ("(NN dog)", "is in no constituent"),
    ],
)
def test_malformed_trees(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse_tree(text)


def test_a_byte_order_mark_is_no_part_of_a_file_of_trees(tmp_path: Path) -> None:
    (tmp_path / "x.trees").write_text("\ufeff(S (NN dog))\n")
    assert list(read_trees(tmp_path / "x.trees")) == [parse_tree("(S (NN dog))")]


@given(st.lists(TREES, max_size=3))
def test_as_nltk_reads_and_writes(trees: list[Tree]) -> None:
    """On its terms: no word with other white space or a backslash before a bracket."""
    text = "".join(map(write_tree, trees))
    assert list(parse_trees(text)) == trees
    if "\\" not in text and text.split() == text.split(" "):
        assert [tree.pformat(margin=10**6) for tree in trees] == list(map(write_tree, trees))
        assert [Tree.fromstring(write_tree(tree)) for tree in trees] == trees
