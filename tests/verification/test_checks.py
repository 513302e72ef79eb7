"""A table is compared with the one made again, however it was damaged."""

from pathlib import Path

import pytest

from transformer.verification.checks import text_check

TABLE = "row,bleu\nbase,27.3\nbig,28.4\n"


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (TABLE.encode(), ""),
        (b"row,bleu\nbase,27.3\nbig,29.4\n", "line 3 differs from the one made again"),
        (TABLE.replace("\n", "\r\n").encode(), "line 1 differs from the one made again"),
        (b"", "line 1 differs from the one made again"),
        (b"row,bleu\nbase,27.\xff\n", "line 2 differs from the one made again"),
        (b'row,bleu\nbase,"27.3\n', "line 2 differs from the one made again"),
        (b"row,bleu\nbase,27.3,1\nbig,28.4\n", "line 2 differs from the one made again"),
        (TABLE.encode() + b"\n", "has another number of lines"),
    ],
)
def test_a_table_that_was_damaged_is_named(tmp_path: Path, found: bytes, said: str) -> None:
    path = tmp_path / "table2.csv"
    path.write_bytes(found)
    assert text_check(path, TABLE).differs == (f"{path}: {said}" if said else "")
