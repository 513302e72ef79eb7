"""Sentences as lines of text."""

import pytest

from transformer.common.errors import UserError
from transformer.parsing.sentence_text import read_sentence, source_text
from transformer.parsing.trees import parse_tree


def test_words_and_tags_go_back_and_forth() -> None:
    tree = parse_tree("(S (DT a) (NN 3\u00a0%))")
    assert read_sentence(source_text(tree, tags=False), False, "f") == (["a", "3\u00a0%"], None)
    assert read_sentence(source_text(tree, tags=True), True, "f") == (["a", "3\u00a0%"], ["DT", "NN"])


@pytest.mark.parametrize(
    ("line", "message"), [(" \t", "f, line 3: no word"), ("DT a NN", "f, line 3: 3 tokens; each word")]
)
def test_what_is_no_sentence(line: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        read_sentence(line, True, "f, line 3")
