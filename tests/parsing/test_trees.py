"""Bracketed trees: back and forth, and what is malformed."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transformer.common.errors import UserError
from transformer.parsing.trees import (
    Node,
    Terminal,
    Tree,
    parse_tree,
    read_trees,
    replace_terminals,
    terminals,
    write_tree,
)

LABELS = st.text(
    st.characters(exclude_categories=["Cs", "Z", "C"], exclude_characters="()"), min_size=1, max_size=5
)
TERMINALS = st.builds(Terminal, LABELS, LABELS)
NODES: st.SearchStrategy[Node] = st.recursive(
    TERMINALS, lambda inner: st.builds(Tree, LABELS, st.lists(inner, min_size=1, max_size=4)), max_leaves=20
)


@given(st.builds(Tree, LABELS, st.lists(NODES, min_size=1, max_size=4)))
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
        ("   ", "no tree"),
        ("()", r"\(\) has no word"),
        ("(S )", r"\(S\) has no word"),
        ("(S (NP) (VP (V x)))", r"\(NP\) has no word"),
        ("(S (NN dog)", "1 brackets are not closed"),
        ("(S (NN dog)))", "behind the end"),
        (")", "a closing bracket that nothing opens"),
        ("(S (NN dog)) (S (NN cat))", "behind the end"),
        ("dog", "'dog' outside all brackets"),
        ("(S (NN dog) runs)", "'runs' is neither a label nor the word"),
        ("(NN two words)", "'words' is neither"),
        ("(NP dog (NN cat))", "both a word and constituents"),
        ("(NN dog)", "only a word"),
    ],
)
def test_malformed_trees(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse_tree(text)


def test_file_and_line_are_named(tmp_path: Path) -> None:
    (tmp_path / "x.trees").write_text("(S (NN dog))\n(S (NN cat)\n")
    with pytest.raises(UserError, match=r"x\.trees, line 2: 1 brackets are not closed"):
        list(read_trees(tmp_path / "x.trees"))


@given(st.builds(Tree, LABELS, st.lists(NODES, min_size=1, max_size=4)))
def test_other_terminals(tree: Tree) -> None:
    others = [Terminal(str(number), "x") for number, _ in enumerate(terminals(tree))]
    changed = replace_terminals(tree, others)
    assert list(terminals(changed)) == others
    assert replace_terminals(changed, terminals(tree)) == tree
