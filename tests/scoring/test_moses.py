"""Tokens are those of Moses' Perl programs; the expected ones are the output of tokenizer.perl."""

import random
import shutil
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transformer.scoring.moses import has_rules, moses_tokenizer, replace_unicode_punctuation, split_compounds


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
    assert moses_tokenizer(language)(replace_unicode_punctuation(text)) == tokens


def test_spaces_after_a_full_width_full_stop_are_removed() -> None:
    assert replace_unicode_punctuation("（１２％）。   Ende．X „bleibt“") == '(12%). Ende. X „bleibt"'


@pytest.mark.skipif(not shutil.which("perl"), reason="needs Perl")
def test_compounds_are_split_as_perl_splits_them() -> None:
    parts = ["a", "é", "à", "中", "𠀀", "-", "-", "-", " ", "\u00a0", "\u3000", "."]
    rng = random.Random(1)
    texts = ["".join(rng.choices(parts, k=12)) for _ in range(500)]
    program = ["perl", "-pe", r"s/(\S)-(\S)/$1 ##AT##-##AT## $2/g"]
    done = subprocess.run(program, input="\n".join(texts).encode(), stdout=subprocess.PIPE, check=True)
    assert [split_compounds(text) for text in texts] == done.stdout.decode().split("\n")


@given(st.text())
def test_any_text_gives_one_line_of_single_spaced_tokens(text: str) -> None:
    tokens = moses_tokenizer("de")(text.replace("\n", " ")).rstrip(" ")
    assert tokens == " ".join(tokens.split())


@pytest.mark.parametrize("language", ["ja", "zh", "yue", "xx"])
def test_languages_without_spaces_need_other_rules(language: str) -> None:
    assert not has_rules(language)
    assert has_rules("de")
