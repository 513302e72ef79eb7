from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transformer.common.errors import UserError
from transformer.corpus.pairs import read_pairs

LINES = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n"))


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
        ("three", "two", "three has more lines than the 2 of .*two"),
        ("two", "three", "three has more lines than the 2 of .*two"),
        ("two", "none", "two has more lines than the 0 of .*none"),
        ("none", "none", "none: the file is empty"),
    ],
)
def test_files_that_are_not_aligned(tmp_path: Path, source: str, target: str, message: str) -> None:
    for name, text in (("three", "a\nb\nc\n"), ("two", "a\nb\n"), ("none", "")):
        write(tmp_path / name, text)
    with pytest.raises(UserError, match=message):
        list(read_pairs(tmp_path / source, tmp_path / target))
