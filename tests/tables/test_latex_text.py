"""Text as LaTeX prints it in its default font."""

from collections.abc import Callable

import pytest

from transformer.tables.latex_text import escape, from_markdown


@pytest.mark.parametrize("convert", [escape, from_markdown])
def test_characters_that_the_default_font_lacks_are_commands(convert: Callable[[str], str]) -> None:
    assert convert("p < 0.05 > a | b") == r"p \textless{} 0.05 \textgreater{} a \textbar{} b"


def test_marks_stay_marks() -> None:
    assert from_markdown("<sup>†</sup> (p < 0.05)") == r"\textsuperscript{\dag{}}\,(p \textless{} 0.05)"
