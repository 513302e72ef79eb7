"""Word-pieces (Wu et al. 2016) with the tokenizers library."""

import hashlib
from collections.abc import Iterable, Sequence

import tokenizers
from tokenizers import decoders, models, pre_tokenizers

from transformer.common.special_tokens import SPECIAL_IDS, SPECIAL_PIECES, UNK


class WordPiece:
    """Word-pieces: a word is segmented from left to right, always with the longest piece that fits.

    Words are runs of letters and digits, or of other characters, as in the authors' code (tensor2tensor,
    ``tokenizer.py``).  A piece that begins a word includes the space before it, which Wu et al. 2016 write as ``_``
    (section 4.1).  Text is split into UTF-8 bytes, which are all in the vocabulary, so that nothing is ever unknown.
    """

    def __init__(self, model: bytes) -> None:
        """Raises ValueError when ``model`` is not a word-piece model with our special ids."""
        try:
            self._tokenizer = tokenizers.Tokenizer.from_str(model.decode("utf-8"))
        except Exception as error:  # the library raises bare Exception
            raise ValueError(str(error)) from None
        self._bytes = decoders.ByteLevel()
        vocabulary = self._tokenizer.get_vocab()
        self._pieces = sorted(vocabulary, key=vocabulary.__getitem__)
        is_complete = sorted(vocabulary.values()) == list(range(len(vocabulary)))
        if not is_complete or self._pieces[: len(SPECIAL_IDS)] != SPECIAL_PIECES:
            raise ValueError(f"its ids have gaps, or do not begin with {SPECIAL_PIECES}")
        self.vocab_size = len(vocabulary)
        self.sha256 = hashlib.sha256(model).hexdigest()

    def encode(self, text: str) -> list[int]:
        return self.encode_batch([text])[0]

    def encode_batch(self, texts: Sequence[str]) -> list[list[int]]:
        encodings = self._tokenizer.encode_batch_fast([" " + text for text in texts])
        return [encoding.ids for encoding in encodings]

    def decode(self, ids: Iterable[int]) -> str:
        return self._bytes.decode([self._pieces[id] for id in ids if id not in SPECIAL_IDS]).removeprefix(" ")

    def piece(self, id: int) -> str:
        piece = self._pieces[id]
        return piece if id in SPECIAL_IDS else self._bytes.decode([piece]).replace(" ", "▁")

    def begins_word(self, id: int) -> bool:
        return self.piece(id).startswith("▁")


# A word with the space before it, or white space.  Words are split after 64 characters, since the time for
# segmenting a word grows with the square of its length.
_WORDS = r" ?[\p{L}\p{M}\p{N}]{1,64}| ?[^\s\p{L}\p{M}\p{N}]{1,64}|\s{1,64}(?!\S)|\s{1,64}"


def word_piece_tokenizer(vocabulary: dict[str, int]) -> tokenizers.Tokenizer:
    """Return the library's tokenizer with this vocabulary and our rules for words and bytes."""
    model = models.WordPiece(
        vocabulary, unk_token=SPECIAL_PIECES[UNK], continuing_subword_prefix="", max_input_chars_per_word=1000
    )
    tokenizer = tokenizers.Tokenizer(model)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(tokenizers.Regex(_WORDS), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    return tokenizer
