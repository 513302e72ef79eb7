"""The first difference between a file and the one made again is named, however the file was damaged."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transformer.common.errors import one_line
from transformer.verification.remake import difference

TABLE = "row,bleu\nbase,27.3\nbig,28.4\n"


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (TABLE.encode(), ""),
        (b"row,bleu\nbase,27.3\nbig,29.4\n", "line 3 is 'big,29.4', and made again 'big,28.4'"),
        (TABLE.replace("\n", "\r\n").encode(), r"line 1 is 'row,bleu\r', and made again 'row,bleu'"),
        (b"", "line 1 is '', and made again 'row,bleu'"),
        (b"row,bleu\nbase,27.\xff\n", r"line 2 is 'base,27.\xff', and made again 'base,27.3'"),
        (TABLE.encode() + b"\n", "line 5 is '', and made again nothing"),
        (b"row,bleu\n" + b"a" * 99 + b"\n", f"line 2 is '{'a' * 60}…', and made again 'base,27.3'"),
        (None, "missing; it can be made again"),
    ],
)
def test_the_first_line(tmp_path: Path, found: bytes | None, said: str) -> None:
    path, again = tmp_path / "table2.csv", tmp_path / "again.csv"
    again.write_text(TABLE)
    if found is not None:
        path.write_bytes(found)
    assert difference(path, again) == said


# What rows of tables look like, and what a cut or a strip would take away.
PIECES = st.sampled_from(
    ["a" * 70, "81.3", "91.3", ",", " ", "\t", "\r", "\n", "ü", r"\r", r"\\", "\xad", "…", "'"]
)
CONTENT = st.lists(PIECES, max_size=8).map(lambda pieces: "".join(pieces).encode()) | st.binary(max_size=8)


@given(CONTENT, CONTENT)
def test_both_sides_are_never_the_same(
    tmp_path_factory: pytest.TempPathFactory, found: bytes, made: bytes
) -> None:
    """However deep in a line a difference is, and whatever it is of, both sides show it, on a line of a terminal."""
    folder = tmp_path_factory.mktemp("sides")
    path, again = folder / "table2.csv", folder / "again.csv"
    path.write_bytes(found)
    again.write_bytes(made)
    said = difference(path, again)
    assert bool(said) == (found != made)
    assert said == one_line(said)
    if found != made and said != "not the bytes made again":
        sides = re.fullmatch(r"line \d+ is (.*), and made again (.*)", said)
        assert sides
        assert sides[1] != sides[2]


def test_of_weights_no_line_is_shown(tmp_path: Path) -> None:
    path, again = tmp_path / "model.safetensors", tmp_path / "again.safetensors"
    for file, content in ((path, b"a"), (again, b"b")):
        file.write_bytes(content)
    assert difference(path, again) == "not the bytes made again"
