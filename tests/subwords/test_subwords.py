import hashlib
import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transformer.common.errors import UserError
from transformer.common.special_tokens import EOS, PAD, UNK
from transformer.subwords import learn_subwords as module
from transformer.subwords.bpe import BytePairEncoding
from transformer.subwords.learn_subwords import KINDS, learn_subwords
from transformer.subwords.subwords import Subwords, load_subwords

REPOSITORY = Path(__file__).parents[2]

VOCAB_SIZE = 330
SOURCE = [
    f"The {size} dog sees {count} small cats." for size in ("big", "little", "old") for count in range(60)
]
TARGET = [
    f"Der {size} Hund sieht {count} süße Kätzchen."
    for size in ("große", "kleine", "alte")
    for count in range(60)
]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("corpus")
    files = [folder / "train.en", folder / "train.de"]
    for file, lines in zip(files, (SOURCE, TARGET), strict=True):
        file.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    return files


@pytest.fixture(scope="module", params=sorted(KINDS))
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def folder(kind: str, corpus: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp(kind)
    learn_subwords(kind, corpus, VOCAB_SIZE, folder, seed=0)
    return folder


@pytest.fixture(scope="module")
def subwords(folder: Path) -> Subwords:
    return load_subwords(folder / "subwords.model")


@pytest.fixture(scope="module")
def bpe(corpus: list[Path], tmp_path_factory: pytest.TempPathFactory) -> BytePairEncoding:
    folder = tmp_path_factory.mktemp("bpe")
    learn_subwords("bpe", corpus, VOCAB_SIZE, folder, seed=0)
    return BytePairEncoding((folder / "subwords.model").read_bytes())


LINES = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n"))
TROUBLE = (  # separated by newlines, which no line holds
    " \n  \n\t\n\r\n\0\n\u2028\n\u0085\n\u00a0\n▁\n\ue000\n\ue0001\ne\u0301\n⁇\n▅\n\ufeff\n\ufffd\n😀\n"
    "<s>\n</s>\n<pad>\n<unk>\n<0x41>\n##s\nĠ\ndog\nKatze"
).split("\n")
LONG = ["x" * 300, "!" * 99, " " * 99]


@given(st.one_of(LINES, st.lists(st.sampled_from(TROUBLE + LONG) | LINES).map("".join)))
def test_decoding_gives_the_text_back(subwords: Subwords, text: str) -> None:
    ids = subwords.encode(text)
    assert subwords.decode(ids) == text
    assert not {PAD, EOS, UNK} & set(ids)
    assert all(id < subwords.vocab_size for id in ids)


@given(st.lists(st.one_of(LINES, st.sampled_from(SOURCE + TARGET + TROUBLE)), max_size=5), st.integers(0, 99))
def test_dropout_spells_the_same_text_in_other_pieces(
    bpe: BytePairEncoding, texts: list[str], seed: int
) -> None:
    """Without dropout it is SentencePiece's own segmentation."""
    assert bpe.sample_batch(texts, 0.0, seed) == bpe.encode_batch(texts)
    for dropout in (0.3, 0.99):
        sampled = bpe.sample_batch(texts, dropout, seed)
        assert [bpe.decode(ids) for ids in sampled] == texts
        assert bpe.sample_batch(texts, dropout, seed) == sampled


def test_what_was_learned_first_is_merged_first(bpe: BytePairEncoding) -> None:
    """Of letters that could be merged in several ways."""
    text = "".join(random.Random(1).choices("acdehst ", k=2000))
    assert bpe.sample_batch([text], 0.0, 1) == bpe.encode_batch([text])


def test_more_dropout_leaves_more_pieces(bpe: BytePairEncoding) -> None:
    counts = [sum(map(len, bpe.sample_batch(SOURCE, dropout, 1))) for dropout in (0.0, 0.1, 0.5, 0.9)]
    assert counts == sorted(counts)
    assert len(set(counts)) == 4
    assert bpe.sample_batch(SOURCE, 0.5, 1) != bpe.sample_batch(SOURCE, 0.5, 2)


@given(st.data())
def test_any_ids_decode(subwords: Subwords, data: st.DataObject) -> None:
    ids = data.draw(st.lists(st.integers(0, subwords.vocab_size - 1)))
    assert subwords.decode(ids) == subwords.decode([id for id in ids if id not in (PAD, EOS, UNK)])


def test_known_words_take_few_pieces(subwords: Subwords) -> None:
    assert [subwords.piece(id) for id in subwords.encode("The dog")] == ["▁The", "▁dog"]
    assert [subwords.piece(id) for id in (PAD, EOS, UNK)] == ["<pad>", "</s>", "<unk>"]


def test_vocabulary_has_the_size_asked_for_and_is_summarised(
    folder: Path, subwords: Subwords, kind: str
) -> None:
    sha256 = hashlib.sha256((folder / "subwords.model").read_bytes()).hexdigest()
    counts = {"kind": kind, "vocab_size": VOCAB_SIZE, "sentences": 360, "learned_from": 360}
    assert json.loads((folder / "subwords.json").read_text()) == counts | {"sha256": sha256}
    assert (subwords.vocab_size, subwords.sha256) == (VOCAB_SIZE, sha256)


def test_a_large_corpus_is_sampled(
    kind: str, corpus: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of 360 sentences about as many as are wanted, and others with another seed."""
    monkeypatch.setattr(module, "LEARNING_SAMPLE", 100)
    models = set()
    for seed in (1, 2):
        learn_subwords(kind, corpus, VOCAB_SIZE, tmp_path, seed)
        assert 70 < json.loads((tmp_path / "subwords.json").read_text())["learned_from"] < 130
        models.add((tmp_path / "subwords.model").read_bytes())
    assert len(models) == 2


def test_another_process_learns_the_same_bytes(
    folder: Path, kind: str, corpus: list[Path], tmp_path: Path
) -> None:
    command = [sys.executable, "src/transformer/subwords/learn_subwords.py", "--kind", kind, "--seed", "0"]
    command += ["--vocab-size", str(VOCAB_SIZE), "--output", str(tmp_path), *map(str, corpus)]
    subprocess.run(command, cwd=REPOSITORY, check=True, env=os.environ | {"PYTHONHASHSEED": "7"})
    assert (tmp_path / "subwords.model").read_bytes() == (folder / "subwords.model").read_bytes()


@pytest.mark.parametrize(
    "reserved", ["\u2585", "\u2581", "\0", "\t", "\u2047", "</s>", "<unk>", "<0x41>", "\ue000"]
)
def test_a_line_with_a_reserved_character_is_learned_from(kind: str, reserved: str, tmp_path: Path) -> None:
    """SentencePiece leaves out whole lines with U+2585, without a word."""
    text = tmp_path / "text"
    text.write_text("".join(f"the zebra sees house {n} {reserved}\n" for n in range(9)), encoding="utf-8")
    learn_subwords(kind, [text], {"bpe": 290, "wordpiece": 275}[kind], tmp_path, seed=0)
    learned = load_subwords(tmp_path / "subwords.model")
    assert len(learned.encode("the zebra sees")) < 14
    assert learned.decode(learned.encode(text.read_text())) == text.read_text()


def test_a_very_long_line_is_learned_from(kind: str, tmp_path: Path) -> None:
    text = tmp_path / "text"
    text.write_text("\u732b zebra" * 150_000 + "\n", encoding="utf-8")
    learn_subwords(kind, [text], {"bpe": 270, "wordpiece": 265}[kind], tmp_path, seed=0)
    assert len(load_subwords(tmp_path / "subwords.model").encode("a zebra")) < 7


def test_no_other_size_than_the_text_can_give(kind: str, corpus: list[Path], tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"vocab_size: 100 is too small.* need \d+"):
        learn_subwords(kind, corpus, 100, tmp_path, seed=0)
    with pytest.raises(UserError, match=r"vocab_size: 9999 .* largest possible is (\d+)") as error:
        learn_subwords(kind, corpus, 9999, tmp_path, seed=0)
    assert list(tmp_path.iterdir()) == []
    learn_subwords(kind, corpus, int(str(error.value).rsplit(" ", 1)[1]), tmp_path, seed=0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "nothing to learn|can give"),
        (b"\n" * 9, "nothing to learn|can give"),
        ("\u2585\n".encode() * 9, "nothing to learn|can give"),
        (b"gut\ns\xfc\xdf\n", "text, line 2: invalid UTF-8"),
    ],
)
def test_there_is_nothing_to_learn_from(kind: str, text: bytes, message: str, tmp_path: Path) -> None:
    (tmp_path / "text").write_bytes(text)
    with pytest.raises(UserError, match=message):
        learn_subwords(kind, [tmp_path / "text"], 300, tmp_path / "out", seed=0)
    assert not (tmp_path / "out").exists()


def spoiled(kind: str, model: bytes) -> bytes:
    """SentencePiece loads a model of which a piece is not UTF-8, and the other library one whose ids have gaps."""
    if kind == "bpe":
        before, after = model.rsplit("▁".encode(), 1)
        return before + b"\xe2\x96 " + after
    content = json.loads(model)
    first = next(name for name, id in content["model"]["vocab"].items() if id == 100)
    del content["model"]["vocab"][first]
    return json.dumps(content).encode()


def test_a_file_that_is_not_a_model(folder: Path, kind: str, tmp_path: Path) -> None:
    file, model = tmp_path / "subwords.model", (folder / "subwords.model").read_bytes()
    for content in (b"", b"not a model", b"{}", model[: len(model) // 2], spoiled(kind, model)):
        file.write_bytes(content)
        with pytest.raises(UserError, match=r"subwords\.model(, line 1)?: not a subword model \("):
            load_subwords(file)
