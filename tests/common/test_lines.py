"""Text is transformed line by line."""

from pathlib import Path

from transformer.common.lines import transform_lines


def test_a_byte_order_mark_at_the_beginning_is_no_part_of_the_first_line(tmp_path: Path) -> None:
    (tmp_path / "in").write_text("\ufeffA dog.\n\ufeffA cat.\n", encoding="utf-8")
    transform_lines(lambda lines, first, done: lines, tmp_path / "in", tmp_path / "out", "copying")
    assert (tmp_path / "out").read_text(encoding="utf-8") == "A dog.\n\ufeffA cat.\n"
