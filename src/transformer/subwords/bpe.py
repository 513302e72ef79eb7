"""Byte-pair encoding (Sennrich et al. 2016) with SentencePiece, and BPE-dropout (Provilkov et al. 2020)."""

import hashlib
import random
import re
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import pairwise

import sentencepiece

from transformer.common.special_tokens import SPECIAL_IDS, SPECIAL_PIECES

FIRST_BYTE = len(SPECIAL_IDS)  # the ids of the 256 bytes follow those of the special tokens


class BytePairEncoding:
    """Byte-pair encoding in which a character outside the vocabulary becomes its UTF-8 bytes.

    SentencePiece writes a space as U+2581, and so would decode a U+2581 in the text as a space.  Therefore texts are
    escaped before SentencePiece sees them.
    """

    def __init__(self, model: bytes) -> None:
        """Raises RuntimeError or ValueError when ``model`` is not a SentencePiece model with our special ids."""
        self._processor = sentencepiece.SentencePieceProcessor()
        self._processor.load_from_serialized_proto(model)
        self.vocab_size: int = self._processor.get_piece_size()
        # All pieces are read, because SentencePiece does not check that they are UTF-8.
        pieces = self._processor.id_to_piece(list(range(self.vocab_size)))
        if pieces[: len(SPECIAL_IDS)] != SPECIAL_PIECES:
            raise ValueError(f"it begins with {pieces[: len(SPECIAL_IDS)]}, not {SPECIAL_PIECES}")
        self.sha256 = hashlib.sha256(model).hexdigest()

    def encode(self, text: str) -> list[int]:
        return self.encode_batch([text])[0]

    def encode_batch(self, texts: Sequence[str]) -> list[list[int]]:
        ids: list[list[int]] = self._processor.encode(list(map(escape, texts)), num_threads=1)
        return ids

    def sample_batch(self, texts: Sequence[str], dropout: float, seed: int) -> list[list[int]]:
        """Segment each text, leaving out every merge with probability ``dropout`` (BPE-dropout).

        A model that sees each word in many segmentations learns what the pieces mean.  SentencePiece's own dropout is
        not used, because it gives different results in different processes in spite of its seed.
        """
        rng = random.Random(seed)
        encoded = []
        for text in texts:
            spaced = "▁" + escape(text).replace(" ", "▁") if text else ""  # as SentencePiece sees it
            words = re.findall("▁[^▁]*", spaced)  # in a piece, a space can only be the first character
            encoded.append([id for word in words for id in self._sample_word(word, dropout, rng)])
        return encoded

    def _sample_word(self, word: str, dropout: float, rng: random.Random) -> list[int]:
        parts, ids = list(word), self._ids
        while True:
            # The merges that are kept this time.  The one that was learned first has the smallest id.
            merges = [
                (ids[pair], index)
                for index, pair in enumerate(map("".join, pairwise(parts)))
                if pair in ids and rng.random() >= dropout
            ]
            if not merges:
                break
            _, index = min(merges)
            parts[index : index + 2] = [parts[index] + parts[index + 1]]
        encoded: list[int] = []
        for part in parts:
            encoded += [ids[part]] if part in ids else [FIRST_BYTE + byte for byte in part.encode("utf-8")]
        return encoded

    @cached_property
    def _ids(self) -> dict[str, int]:
        """The ids of all pieces except special tokens and bytes.  Merged pieces are in the order they were learned."""
        return {self._processor.id_to_piece(id): id for id in range(FIRST_BYTE + 256, self.vocab_size)}

    def decode(self, ids: Iterable[int]) -> str:
        return _unescape(self._processor.decode([int(id) for id in ids if id not in SPECIAL_IDS]))

    def piece(self, id: int) -> str:
        return _unescape(self._processor.id_to_piece(int(id)))

    def begins_word(self, id: int) -> bool:
        return self.piece(id).startswith("▁")


# The escape is a private-use character, which is escaped as well, and first where they are made one after the other.
ESCAPES = {"\ue000": "\ue0000", "\u2581": "\ue0001"}
_UNESCAPES = {escaped: character for character, escaped in ESCAPES.items()}


def escape(text: str) -> str:
    """Replace U+2581, which SentencePiece takes for a space, by a sequence of other characters."""
    return re.sub("[\u2581\ue000]", lambda match: ESCAPES[match[0]], text)


def _unescape(text: str) -> str:
    return re.sub("\ue000[01]", lambda match: _UNESCAPES[match[0]], text)
