"""Text is transformed line by line."""

from pathlib import Path

from transformer.common.lines import transform_lines


def test_byte_order_marks_and_nuls_are_no_part_of_a_text(tmp_path: Path) -> None:
    (tmp_path / "in").write_text("\ufeffA dog.\n\ufeffA c\0at\ufeff.\n", encoding="utf-8")
    transform_lines(lambda lines, first, done: lines, tmp_path / "in", tmp_path / "out", "copying")
    assert (tmp_path / "out").read_text(encoding="utf-8") == "A dog.\nA cat.\n"
