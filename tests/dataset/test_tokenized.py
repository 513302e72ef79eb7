from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from transformer.common.errors import UserError
from transformer.dataset.tokenized import Sentences, TokenizedDataset, write_dataset

IDS = st.lists(st.integers(0, 999), min_size=1, max_size=9)
PAIRS = [([5, 6, 1], [7, 1]), ([1], [8, 9, 10, 1]), ([300, 1], [1])]


def write(prefix: Path, pairs: list[tuple[list[int], list[int]]], vocab_size: int = 1000) -> None:
    with write_dataset(prefix, vocab_size, "abc") as add:
        for pair in pairs:
            add(*(joined((ids,)) for ids in pair))


@given(st.lists(st.tuples(*[st.lists(st.integers(0, 70_000), min_size=1)] * 2), min_size=1, max_size=20))
def test_reading_gives_back_what_was_written(
    tmp_path_factory: pytest.TempPathFactory, pairs: list[tuple[list[int], list[int]]]
) -> None:
    prefix = tmp_path_factory.mktemp("store") / "train"
    write(prefix, pairs, vocab_size=70_001)
    store = TokenizedDataset.open(prefix)
    assert [(store.source[i].tolist(), store.target[i].tolist()) for i in range(len(store))] == pairs
    assert store.source.lengths.tolist() == [len(source) for source, _ in pairs]
    assert store.target.lengths.tolist() == [len(target) for _, target in pairs]


@pytest.mark.parametrize(
    ("vocab_size", "kind"), [(256, np.uint8), (257, np.uint16), (65_536, np.uint16), (65_537, np.uint32)]
)
def test_the_smallest_type_that_holds_the_vocabulary(tmp_path: Path, vocab_size: int, kind: type) -> None:
    write(tmp_path / "train", [([vocab_size - 1, 1], [1])], vocab_size)
    store = TokenizedDataset.open(tmp_path / "train")
    assert store.source[0].dtype == kind
    assert store.source[0].tolist() == [vocab_size - 1, 1]


def test_header(tmp_path: Path) -> None:
    write(tmp_path / "train.v2", PAIRS)
    store = TokenizedDataset.open(tmp_path / "train.v2")
    assert store.header == {
        "format": 1, "sentences": 3, "source_tokens": 6, "target_tokens": 7, "token_type": "uint16",
        "vocab_size": 1000, "vocabulary_sha256": "abc",
    }  # fmt: skip
    assert store.vocabulary_sha256 == "abc"


@given(st.lists(st.tuples(IDS, IDS), min_size=1, max_size=30), st.integers(1, 30))
def test_sentences_one_by_one_or_many_at_once(
    tmp_path_factory: pytest.TempPathFactory, pairs: list[tuple[list[int], list[int]]], size: int
) -> None:
    folder = tmp_path_factory.mktemp("stores")
    write(folder / "one", pairs)
    with write_dataset(folder / "many", 1000, "abc") as add:
        for start in range(0, len(pairs), size):
            add(*map(joined, zip(*pairs[start : start + size], strict=True)))
    for name in ("json", "source.tokens", "source.offsets", "target.tokens", "target.offsets"):
        assert (folder / f"one.{name}").read_bytes() == (folder / f"many.{name}").read_bytes()


def joined(sentences: tuple[list[int], ...]) -> Sentences:
    return Sentences(np.concatenate(sentences), np.array([len(ids) for ids in sentences]))


def test_the_example_for_strangers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The code in docs/formats.md reads what the writer wrote, without the library."""
    page = (Path(__file__).parents[2] / "docs" / "formats.md").read_text(encoding="utf-8")
    code = page.split("## Tokenized datasets")[1].split("```python\n")[1].split("```")[0]
    write(tmp_path / "train", PAIRS)
    for number, pair in enumerate(PAIRS):
        place = '"data/demo/tokenized/en-de/train", 0'
        assert place in code
        exec(code.replace(place, f"{str(tmp_path / 'train')!r}, {number}"), {})
        assert capsys.readouterr().out == f"{pair[0]}\n{pair[1]}\n"


@pytest.mark.parametrize(
    "name", ["json", "source.tokens", "source.offsets", "target.tokens", "target.offsets"]
)
def test_a_changed_bit_is_found(tmp_path: Path, name: str) -> None:
    write(tmp_path / "train", PAIRS)
    file = tmp_path / f"train.{name}"
    whole = file.read_bytes()
    for place in range(len(whole)):
        file.write_bytes(whole[:place] + bytes([whole[place] ^ 1 << place % 8]) + whole[place + 1 :])
        with pytest.raises(UserError, match=r"train\."):
            TokenizedDataset.open(tmp_path / "train")


@pytest.mark.parametrize("id", [-1, 1000])
def test_an_id_outside_the_vocabulary_is_a_defect(tmp_path: Path, id: int) -> None:
    with pytest.raises(ValueError, match="outside the vocabulary of 1000"):
        write(tmp_path / "train", [([id], [1])])
    assert list(tmp_path.iterdir()) == []


def test_an_interrupted_writer_leaves_the_old_store(tmp_path: Path) -> None:
    write(tmp_path / "train", PAIRS)
    with pytest.raises(ValueError, match="outside the vocabulary"):
        write(tmp_path / "train", [([2, 1], [2, 1]), ([1], [-1])])
    assert len(TokenizedDataset.open(tmp_path / "train")) == len(PAIRS)
    assert len(list(tmp_path.iterdir())) == 6
