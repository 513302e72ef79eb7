"""Words from subwords."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from transformer.common.special_tokens import EOS, PAD
from transformer.inspection.word_attention import between_words, words_of
from transformer.subwords.learn_subwords import learn_subwords
from transformer.subwords.subwords import Subwords, load_subwords


@pytest.fixture(scope="module", params=["bpe", "wordpiece"])
def subwords(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Subwords:
    folder = tmp_path_factory.mktemp(request.param)
    lines = [
        "the dog sees it , and the cats don't run .",
        "a well-known dog sees the cats",
        "it runs . it runs .",
    ]
    (folder / "text").write_text("".join(line + "\n" for line in lines * 5))
    learn_subwords(request.param, [folder / "text"], 290, folder, seed=1)
    return load_subwords(folder / "subwords.model")


def test_punctuation_at_the_end_is_a_word(subwords: Subwords) -> None:
    words, _ = words_of(subwords, [PAD, *subwords.encode("The dog, it doesn't - run well-known."), EOS])
    assert words == ["<start>", "The", "dog", ",", "it", "doesn't", "-", "run", "well-known", ".", "<EOS>"]


@pytest.mark.parametrize("text", ["猫见房子。", "แมวเห็นบ้าน", "猫seesthedog猫"])
def test_without_blanks_a_word_is_a_subword_of_whole_characters(subwords: Subwords, text: str) -> None:
    words, _ = words_of(subwords, subwords.encode(text))
    assert "".join(words) == text
    assert len(words) >= 4
    assert not any("\ufffd" in word for word in words)


@given(text=st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]) | st.just(" "), max_size=40))
def test_words_spell_the_text_and_hold_every_subword_once(subwords: Subwords, text: str) -> None:
    text = " ".join(text.split())
    ids = [*subwords.encode(text), EOS]
    words, groups = words_of(subwords, ids)
    assert [place for group in groups for place in group] == list(range(len(ids)))
    assert "".join(words) == text.replace(" ", "") + "<EOS>"
    assert all(words) or not text


def test_to_a_word_is_a_sum_and_from_a_word_a_mean() -> None:
    weights = torch.tensor([[0.1, 0.2, 0.7], [0.5, 0.25, 0.25]])
    assert between_words(weights, [[0, 1]], [[0, 1], [2]]).tolist() == [pytest.approx([0.525, 0.475])]
