from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transformer.common.errors import UserError
from transformer.corpus.pairs import read_pairs

# A file of little but NULs is not text, which tests/common/test_file_kinds.py has.
LINES = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n\r\0"))


def write(path: Path, text: str) -> Path:
    path.write_bytes(text.encode("utf-8"))
    return path


@given(st.lists(st.tuples(LINES, LINES), min_size=1), st.booleans())
def test_pairs_with_any_text_stay_aligned(
    tmp_path_factory: pytest.TempPathFactory, pairs: list[tuple[str, str]], final_newline: bool
) -> None:
    folder = tmp_path_factory.mktemp("pairs")
    end = "\n" if final_newline or not all(pairs[-1]) else ""
    files = [
        write(folder / str(side), "\n".join(lines) + end)
        for side, lines in enumerate(zip(*pairs, strict=True))
    ]
    assert list(read_pairs(*files)) == pairs


@pytest.mark.parametrize(
    ("source", "target", "message"),
    [
        ("three", "two", "three has 3 lines but .*two has 2"),
        ("two", "three", "two has 2 .*three has 3"),
        ("two", "none", "none: the file is empty"),
        ("none", "two", "none: the file is empty"),
        ("none", "none", "none: the file is empty"),
    ],
)
def test_files_that_are_not_aligned(tmp_path: Path, source: str, target: str, message: str) -> None:
    for name, text in (("three", "a\nb\nc\n"), ("two", "a\nb\n"), ("none", "")):
        write(tmp_path / name, text)
    with pytest.raises(UserError, match=message):
        list(read_pairs(tmp_path / source, tmp_path / target))
