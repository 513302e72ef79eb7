"""Vocabularies of parsing: tree symbols, beside the words' subwords or after them."""

from pathlib import Path

import pytest

from transformer.common.errors import UserError
from transformer.common.special_tokens import EOS, PAD, UNK
from transformer.parsing.learn_symbols import learn_symbols
from transformer.subwords.learn_subwords import learn_subwords
from transformer.subwords.vocabularies import (
    Symbols,
    TaggedWords,
    Vocabularies,
    load_vocabularies,
)

TREES = ["(S (NP DT NN )NP VBZ )S", "(S NN VBZ )S"]
SYMBOLS = ["(NP", "(S", ")NP", ")S", "DT", "NN", "VBZ"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("vocabularies")
    (folder / "train.symbols").write_text("\n".join(TREES) + "\n")
    (folder / "train.en").write_text("the dog runs\n" * 50 + "dog runs\n" * 50)
    learn_subwords("bpe", [folder / "train.en"], 280, folder, seed=1)
    return folder


def learned(folder: Path, output: Path, shared: bool, tagged: Path | None = None) -> Vocabularies:
    """The vocabularies of the trees, with symbols that follow the subwords' ids or not."""
    words = load_vocabularies(folder / "subwords.model", None).source
    learn_symbols([folder / "train.symbols"], output, words if shared else None, tagged)
    return load_vocabularies(folder / "subwords.model", output)


@pytest.mark.parametrize("shared", [False, True])
def test_symbols_go_back_and_forth(folder: Path, tmp_path: Path, shared: bool) -> None:
    symbols = learned(folder, tmp_path / "symbols.json", shared).target
    assert isinstance(symbols, Symbols)
    assert symbols.symbols == SYMBOLS
    assert symbols.first_id == (280 if shared else 3)
    for text in TREES:
        ids = symbols.encode(text)
        assert symbols.decode([PAD, *ids, EOS]) == text
        assert [symbols.piece(id) for id in ids] == text.split()
        assert not {PAD, EOS, UNK} & set(ids)
        assert symbols.encode_batch([text]) == [ids]
    assert symbols.encode("(S (PP") == [symbols.encode("(S")[0], UNK]
    assert symbols.piece(EOS) == "</s>"


def test_sizes_and_hash_tell_one_vocabulary_from_two(folder: Path, tmp_path: Path) -> None:
    words = load_vocabularies(folder / "subwords.model", None)
    own, shared = (learned(folder, tmp_path / "symbols.json", shared) for shared in (False, True))
    assert words.sizes == {"vocab_size": 280}
    assert own.sizes == {"vocab_size": 280, "target_vocab_size": 10}
    assert shared.sizes == {"vocab_size": 287}
    assert words.sha256 == words.source.sha256
    assert len({words.sha256, own.sha256, shared.sha256}) == 3


def test_symbols_that_follow_other_subwords_are_refused(folder: Path, tmp_path: Path) -> None:
    learn_subwords("bpe", [folder / "train.en"], 275, tmp_path, seed=1)
    other = load_vocabularies(tmp_path / "subwords.model", None).source
    learn_symbols([folder / "train.symbols"], tmp_path / "symbols.json", other)
    with pytest.raises(UserError, match="its ids begin at 275.*with which they would begin at 280"):
        load_vocabularies(folder / "subwords.model", tmp_path / "symbols.json")


def test_nothing_to_learn(tmp_path: Path) -> None:
    (tmp_path / "empty").write_text("\n\n")
    with pytest.raises(UserError, match="empty: no symbol found"):
        learn_symbols([tmp_path / "empty"], tmp_path / "symbols.json", None)
    assert not (tmp_path / "symbols.json").exists()


@pytest.mark.parametrize("shared", [False, True])
def test_a_tag_is_one_token_before_its_word(folder: Path, tmp_path: Path, shared: bool) -> None:
    (tmp_path / "tagged.en").write_text("DT the NN dog VBZ runs\nNNP dog VBZ runs\n")
    vocabularies = learned(folder, tmp_path / "s.json", shared, tmp_path / "tagged.en")
    tagged = vocabularies.source
    assert isinstance(tagged, TaggedWords)
    words = tagged.subwords
    assert tagged.tags == ["DT", "NN", "NNP", "VBZ"]
    ids = tagged.encode("NN dog DT the")
    assert ids == [281, *words.encode("dog"), 280, *words.encode("the")]
    assert tagged.encode_batch(["NN dog", "XY the"]) == [ids[: ids.index(280)], [UNK, *words.encode("the")]]
    assert tagged.decode([*ids, EOS]) == words.decode([*words.encode("dog"), *words.encode("the")])
    assert [tagged.piece(id) for id in (280, 283)] == ["DT", "VBZ"]
    sampled = tagged.sample_batch(["NN dog DT the"] * 50, 0.5, 1)
    assert len({tuple(ids) for ids in sampled}) > 1
    assert {tuple(id for id in ids if id >= 280) for ids in sampled} == {(281, 280)}
    assert vocabularies.sizes == (
        {"vocab_size": 291} if shared else {"vocab_size": 284, "target_vocab_size": 10}
    )


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("tagged", [False, True])
def test_as_many_tokens_begin_words_as_there_are_words(
    folder: Path, tmp_path: Path, shared: bool, tagged: bool
) -> None:
    (tmp_path / "tagged.en").write_text("DT the NN dog VBZ runs\n")
    vocabularies = learned(folder, tmp_path / "s.json", shared, tmp_path / "tagged.en" if tagged else None)
    source, target = vocabularies.words
    assert len(source) == vocabularies.sizes["vocab_size"]
    assert len(target) == vocabularies.target.vocab_size
    for text in ("the dogs run", "é the"):  # é is spelled in bytes
        tokens = " ".join(f"NN {word}" for word in text.split()) if tagged else text
        assert sum(source[id] for id in vocabularies.source.encode(tokens)) == len(text.split())
    if tagged:  # a tag that is not in the vocabulary is followed by a word, too
        assert sum(source[id] for id in vocabularies.source.encode("XY the NN dogs")) == 2
    assert [target[id] for id in vocabularies.target.encode(TREES[0])] == [
        symbol in ("DT", "NN", "VBZ") for symbol in TREES[0].split()
    ]
    assert not source[EOS]
    assert not target[EOS]
