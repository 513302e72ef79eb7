"""Text is transformed line by line."""

from pathlib import Path

import pytest

from transformer.common.errors import UserError
from transformer.common.lines import transform_lines


def test_byte_order_marks_and_nuls_are_no_part_of_a_text(tmp_path: Path) -> None:
    (tmp_path / "in").write_text("\ufeffA dog.\n\ufeffA c\0at\ufeff.\n", encoding="utf-8")
    transform_lines(lambda lines, first, done: lines, tmp_path / "in", tmp_path / "out", "copying")
    assert (tmp_path / "out").read_text(encoding="utf-8") == "A dog.\nA cat.\n"


@pytest.mark.parametrize(
    "begin",
    [
        '<srcset setid="newstest2013" srclang="any">\n<doc sysid="ref">',
        '<?xml version="1.0"?>',
        '\n<refset setid="a">',
        '<!-- newstest2013 -->\n<tstset setid="a">',
    ],
)
def test_text_with_tags_is_refused(tmp_path: Path, begin: str) -> None:
    (tmp_path / "in").write_text(f'{begin}\n<seg id="1">A dog.</seg>\n', encoding="utf-8")
    with pytest.raises(UserError, match="the input has tags"):
        transform_lines(lambda lines, first, done: lines, tmp_path / "in", tmp_path / "out", "copying")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "text", ["<b>A dog.</b>\n", "<unk> runs.\n", "<doc\n", "A dog.\n<doc>\n", "<doc> is a tag.\n"]
)
def test_other_tags_are_text(tmp_path: Path, text: str) -> None:
    (tmp_path / "in").write_text(text, encoding="utf-8")
    transform_lines(lambda lines, first, done: lines, tmp_path / "in", tmp_path / "out", "copying")
    assert (tmp_path / "out").read_text(encoding="utf-8") == text
