"""The first difference between a file and the one made again is named, however the file was damaged."""

from pathlib import Path

import pytest

from transformer.verification.remake import difference

TABLE = "row,bleu\nbase,27.3\nbig,28.4\n"


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (TABLE.encode(), ""),
        (b"row,bleu\nbase,27.3\nbig,29.4\n", "line 3 is big,29.4, and made again big,28.4"),
        (TABLE.replace("\n", "\r\n").encode(), "line 1 is row,bleu, and made again row,bleu"),
        (b"", "line 1 is , and made again row,bleu"),
        (b"row,bleu\nbase,27.\xff\n", "line 2 is base,27.\ufffd, and made again base,27.3"),
        (TABLE.encode() + b"\n", "line 5 is , and made again nothing"),
        (None, "missing; it can be made again"),
    ],
)
def test_the_first_line(tmp_path: Path, found: bytes | None, said: str) -> None:
    path, again = tmp_path / "table2.csv", tmp_path / "again.csv"
    again.write_text(TABLE)
    if found is not None:
        path.write_bytes(found)
    assert difference(path, again) == said


def test_of_weights_no_line_is_shown(tmp_path: Path) -> None:
    path, again = tmp_path / "model.safetensors", tmp_path / "again.safetensors"
    for file, content in ((path, b"a"), (again, b"b")):
        file.write_bytes(content)
    assert difference(path, again) == "not the bytes made again"
