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
    if len(pairs) > 1:
        write(files[1], "one line")
        with pytest.raises(
            UserError, match=rf"0 has {len(pairs)} lines but .*1 has 1: they are not sentence-aligned"
        ):
            list(read_pairs(*files))
