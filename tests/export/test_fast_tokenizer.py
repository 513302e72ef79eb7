"""The exported tokenizer gives our ids and our texts."""

import string

import pytest
import tokenizers
from hypothesis import given
from hypothesis import strategies as st

from transformer.common.special_tokens import EOS
from transformer.export.fast_tokenizer import tokenizer_json
from transformer.subwords.learn_subwords import learn_subwords
from transformer.subwords.subwords import Subwords, load_subwords

ROWS = 400  # of the model: more than the vocabulary has entries
SPECIAL = ["</s>", "<pad>", "<unk>", "<unused0>", "<0x41>", "\u2581", "\ue000", "\ue0001", "  ", "\u2028"]


@pytest.fixture(scope="module", params=["bpe", "wordpiece"])
def both(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Subwords, tokenizers.Tokenizer]:
    folder = tmp_path_factory.mktemp(str(request.param))
    text = folder / "text"
    text.write_text("a dog runs far and cats sleep long while birds sing, aaaa aa! naïve Größe …\n" * 9)
    learn_subwords(str(request.param), [text], 310, folder, seed=1)
    model = (folder / "subwords.model").read_bytes()
    tokenizer = tokenizers.Tokenizer.from_str(tokenizer_json(model, ROWS))
    tokenizer.encode_special_tokens = True  # as split_special_tokens in tokenizer_config.json
    return load_subwords(folder / "subwords.model"), tokenizer


@given(
    st.lists(
        st.sampled_from([*SPECIAL, *string.ascii_lowercase, " ", ".", "aaa"]) | st.text(max_size=3),
        min_size=1,
    ).map("".join)
)
def test_ids_and_texts_are_ours(both: tuple[Subwords, tokenizers.Tokenizer], text: str) -> None:
    subwords, tokenizer = both
    ids = subwords.encode(text)
    if text:  # an empty text is not translated; it is a space in word-pieces, and nothing there
        assert tokenizer.encode(text).ids == [*ids, EOS]
    assert tokenizer.decode([*ids, EOS]) == subwords.decode(ids)


def test_pad_comes_after_all_rows(both: tuple[Subwords, tokenizers.Tokenizer]) -> None:
    _, tokenizer = both
    assert tokenizer.get_vocab_size() == ROWS + 1
    assert tokenizer.token_to_id("<pad>") == ROWS
    assert [tokenizer.id_to_token(id) for id in (0, 1, 2)] == ["<unused0>", "</s>", "<unk>"]
