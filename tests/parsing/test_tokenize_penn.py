"""Raw English as the Penn Treebank writes it."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transformer.parsing.tokenize_penn import penn_words

CASES = [
    ("Two dogs, one cat; run: now!", "Two dogs , one cat ; run : now !"),
    ("He paid US$3,000.50 (5.3% more) at 10:30.", "He paid US $ 3,000.50 -LRB- 5.3 % more -RRB- at 10:30 ."),
    ("Mr. Smith went home. He slept.", "Mr. Smith went home. He slept ."),
    ("He can't, she won't, they'll say I'm \"it\".", "He ca n't , she wo n't , they 'll say I 'm `` it '' ."),
    ('"Yes," he said ("no"?).', "`` Yes , '' he said -LRB- `` no '' ? -RRB- ."),
    ("The dog's and the dogs' toys", "The dog 's and the dogs ' toys"),
    ("'Yes', in the '90s, 'tis", "` Yes ' , in the '90s , 't is"),
    ("“John’s” idea — or yours… maybe", "`` John 's '' idea -- or yours ... maybe"),
    ("cannot gonna gotta lemme Cannot", "can not gon na got ta lem me Can not"),
    ("well-known 1/2 *", r"well-known 1\/2 \*"),
    ("a [b] {c}", "a -LSB- b -RSB- -LCB- c -RCB-"),
    ("wait... -- what?!", "wait ... -- what ? !"),
    (" \t\u00a0 ", ""),
]


@pytest.mark.parametrize(("raw", "words"), CASES)
def test_cases(raw: str, words: str) -> None:
    assert penn_words(raw) == words.split()


@given(st.text("aB1 .,:;-'\"()$%&!?", max_size=20))
def test_nothing_is_lost_and_a_tree_can_hold_it(raw: str) -> None:
    words = penn_words(raw)
    assert not any(re.search(r"[()\s]", word) for word in words)
    written = "".join(words).replace("-LRB-", "(").replace("-RRB-", ")")
    assert re.sub("[`'\"]", "", written) == re.sub("[\\s'\"]", "", raw)
