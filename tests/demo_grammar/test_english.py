"""The English trees."""

import re
from itertools import islice

from hypothesis import given, settings
from hypothesis import strategies as st
from nltk.tree import Tree

from demo_grammar import generate
from demo_grammar.plain_text import split_english

LABELS = set(
    "S SBAR SBARQ SQ NP VP PP ADJP ADVP PRT WHNP WHPP WHADVP NN NNS NNP PRP PRP$ POS DT CD JJ RB RP IN TO CC MD EX "
    "VB VBZ VBP VBD VBN VBG WP WP$ WDT WRB . ,".split()
)


@settings(max_examples=25, deadline=None)
@given(st.integers(min_value=0, max_value=2**63))
def test_a_tree_is_its_sentence(seed: int) -> None:
    for example in islice(generate(seed), 3):
        tree = Tree.fromstring(example.tree)
        assert tree.leaves() == split_english(example.english)
        assert tree.pformat(margin=10_000) == example.tree
        assert set(re.findall(r"\((\S+)", example.tree)) <= LABELS
