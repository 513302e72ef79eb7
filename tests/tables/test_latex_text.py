"""Text as LaTeX prints it in its default font."""

from collections.abc import Callable

import pytest

from transformer.tables.latex_text import escape, from_markdown


@pytest.mark.parametrize("convert", [escape, from_markdown])
def test_characters_that_the_default_font_lacks_are_commands(convert: Callable[[str], str]) -> None:
    assert convert("p < 0.05 > a | b") == r"p \textless{} 0.05 \textgreater{} a \textbar{} b"


def test_marks_stay_marks() -> None:
    assert from_markdown("<sup>†</sup> (p < 0.05)") == r"\textsuperscript{\dag{}}\,(p \textless{} 0.05)"


@pytest.mark.parametrize("convert", [escape, from_markdown])
def test_characters_that_its_fonts_lack_are_named(convert: Callable[[str], str]) -> None:
    assert convert("国連, the ООН") == "{[}U+56FD U+9023], the [U+041E U+041E U+041D]"
    assert convert("Zoe\u0308’s café – 5 €, 8 \u2126") == "Zoë’s café – 5 €, 8 \u2126"
