"""Tokens are those of Moses' Perl programs; the expected ones are the output of tokenizer.perl."""

import doctest

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transformer.common.errors import UserError
from transformer.scoring import moses
from transformer.scoring.moses import Tokenizer, replace_unicode_punctuation, split_compounds


def test_examples_in_docstrings() -> None:
    assert doctest.testmod(moses).failed == 0


@pytest.mark.parametrize(
    ("language", "text", "tokens"),
    [
        ("de", "Er sagte: »Das ist z.B. gut.«", "Er sagte : » Das ist z.B. gut . «"),
        ("de", "Am 3. Mai kam Dr. Abt zur Haus-Nr. 5 an.", "Am 3. Mai kam Dr. Abt zur Haus-Nr . 5 an ."),
        ("de", 'Die 3,5 Mio. Euro, "fast" 100%', "Die 3,5 Mio. Euro , &quot; fast &quot; 100 %"),
        ("fr", "L'homme qu'il voit, n'est-ce pas?", "L&apos; homme qu&apos; il voit , n&apos; est-ce pas ?"),
        ("fr", "C’est M. Dupont…", "C&apos; est M. Dupont ..."),
        ("de", "R&D [a|b] <c>", "R &amp; D &#91; a &#124; b &#93; &lt; c &gt;"),
        ("de", " \t\u00a0 ", ""),
    ],
)
def test_tokens(language: str, text: str, tokens: str) -> None:
    assert Tokenizer(language)(text) == tokens


def test_spaces_after_a_full_width_full_stop_are_removed() -> None:
    assert replace_unicode_punctuation("（１２％）。   Ende．X „bleibt“") == '(12%). Ende. X „bleibt"'


@pytest.mark.parametrize(
    ("text", "split"),
    [
        ("a-b-c-d", "a ##AT##-##AT## b-c ##AT##-##AT## d"),
        ("ab-cd-ef", "ab ##AT##-##AT## cd ##AT##-##AT## ef"),
        ("- a -b c-", "- a -b c-"),
        ("a--b", "a ##AT##-##AT## -b"),
    ],
)
def test_compounds_split_left_to_right_without_overlap(text: str, split: str) -> None:
    assert split_compounds(text) == split


@given(st.text())
def test_any_text_gives_one_line_of_single_spaced_tokens(text: str) -> None:
    tokens = Tokenizer("de")(text.replace("\n", " ")).rstrip(" ")
    assert tokens == " ".join(tokens.split())


@pytest.mark.parametrize("language", ["ja", "zh", "yue"])
def test_languages_without_spaces_need_other_rules(language: str) -> None:
    with pytest.raises(UserError, match="the Moses tokenizer has no rules for it"):
        Tokenizer(language)


def test_unknown_language() -> None:
    with pytest.raises(UserError, match=r"language 'xx'.*de, el, en"):
        Tokenizer("xx")
