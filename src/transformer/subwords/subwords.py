"""Subword vocabularies, which turn text into token ids and back without loss.

Source and target share one vocabulary (paper, section 5.1): byte-pair encoding for EN-DE (``bpe.py``) and word-pieces
for EN-FR (``wordpiece.py``).  Decoding restores every text exactly, ``decode(encode(text)) == text``, because
characters outside the vocabulary are spelled in bytes.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Protocol

from transformer.common.errors import reading
from transformer.subwords.bpe import BytePairEncoding
from transformer.subwords.wordpiece import WordPiece


class Subwords(Protocol):
    """The interface of a subword vocabulary."""

    vocab_size: int
    sha256: str  # of the model file; ties checkpoints and tokenized datasets to their vocabulary

    def encode(self, text: str) -> list[int]:
        """Return the token ids of one line of text, without EOS."""

    def encode_batch(self, texts: Sequence[str]) -> list[list[int]]:
        """Return the token ids of many lines, without EOS."""

    def decode(self, ids: Iterable[int]) -> str:
        """Return the text of token ids.  PAD, EOS and UNK are ignored wherever they are."""

    def piece(self, id: int) -> str:
        """Return the written form of one token for people to read, with ``▁`` for a space."""

    def begins_word(self, id: int) -> bool:
        """Return whether a token is the first of a word; a text has as many such tokens as words."""


def load_subwords(path: Path | str) -> Subwords:
    """Load a model that learn_subwords.py wrote; the kind is read from the file.

    Raises UserError when the file is missing or is not such a model.
    """
    advice = "make it with src/transformer/subwords/learn_subwords.py"
    with reading(path, advice, "not a subword model", raises=(RuntimeError, ValueError)):
        model = Path(path).read_bytes()
        return WordPiece(model) if model.startswith(b"{") else BytePairEncoding(model)
