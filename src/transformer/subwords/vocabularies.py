"""The vocabularies of a task: one for both sides in translation; subwords and the symbols of trees in parsing."""

import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from transformer.common.artifacts import read_object
from transformer.common.errors import UserError
from transformer.common.special_tokens import SPECIAL_IDS, SPECIAL_PIECES, UNK
from transformer.subwords.bpe import BytePairEncoding
from transformer.subwords.subwords import Subwords, load_subwords
from transformer.subwords.symbols import is_word, split


class TaggedWords:
    """The vocabulary of tagged words (``DT The NN dog``): a tag is one token, and its word's subwords follow it.

    The ids of the tags follow those of the subwords.  A tag that is not in the vocabulary becomes UNK.  The interface
    is that of :class:`Subwords`.
    """

    def __init__(self, subwords: Subwords, tags: Sequence[str]) -> None:
        self.subwords, self.tags = subwords, tags
        self.vocab_size = subwords.vocab_size + len(tags)
        self.sha256 = subwords.sha256  # the tags are in the symbols' file and hashed with them
        self._ids = {tag: id for id, tag in enumerate(tags, start=subwords.vocab_size)}

    def encode(self, text: str) -> list[int]:
        return self.encode_batch([text])[0]

    def encode_batch(self, texts: Sequence[str]) -> list[list[int]]:
        return self._tag(texts, self.subwords.encode_batch)

    def sample_batch(self, texts: Sequence[str], dropout: float, seed: int) -> list[list[int]]:
        """Like :meth:`BytePairEncoding.sample_batch`, for the words."""
        assert isinstance(self.subwords, BytePairEncoding)
        return self._tag(texts, partial(self.subwords.sample_batch, dropout=dropout, seed=seed))

    def _tag(
        self, texts: Sequence[str], encode: Callable[[Sequence[str]], list[list[int]]]
    ) -> list[list[int]]:
        tokens = [split(text) for text in texts]
        words = iter(encode([word for sentence in tokens for word in sentence[1::2]]))
        return [
            [id for tag in sentence[::2] for id in (self._ids.get(tag, UNK), *next(words))]
            for sentence in tokens
        ]

    def decode(self, ids: Iterable[int]) -> str:
        return self.subwords.decode(id for id in ids if id < self.subwords.vocab_size)

    def piece(self, id: int) -> str:
        first = self.subwords.vocab_size
        return self.subwords.piece(id) if id < first else self.tags[id - first]

    def begins_word(self, id: int) -> bool:
        """Return whether the id is a tag, since each word begins with its tag.  UNK is one: words never give it."""
        return id == UNK or id >= self.subwords.vocab_size


class Symbols:
    """A closed vocabulary of the symbols of trees, which are separated by spaces in a text; others become UNK.

    The symbols' ids follow the special ids, or the subwords' ids if the vocabulary is shared with the source.  The
    interface is that of :class:`Subwords`; ``decode`` ignores ids that are not symbols.
    """

    def __init__(self, symbols: Sequence[str], first_id: int, sha256: str) -> None:
        self.symbols, self.first_id, self.sha256 = symbols, first_id, sha256
        self.vocab_size = first_id + len(symbols)
        self._ids = {symbol: id for id, symbol in enumerate(symbols, start=first_id)}

    def encode(self, text: str) -> list[int]:
        return [self._ids.get(symbol, UNK) for symbol in split(text)]

    def encode_batch(self, texts: Sequence[str]) -> list[list[int]]:
        return [self.encode(text) for text in texts]

    def decode(self, ids: Iterable[int]) -> str:
        return " ".join(self.symbols[id - self.first_id] for id in ids if id >= self.first_id)

    def piece(self, id: int) -> str:
        return SPECIAL_PIECES[id] if id in SPECIAL_IDS else self.symbols[id - self.first_id]

    def begins_word(self, id: int) -> bool:
        return id >= self.first_id and is_word(self.piece(id))


def load_symbols(path: Path | str) -> tuple[Symbols, list[str]]:
    """Load what learn_symbols.py wrote: the symbols, and the tags of the source.

    Raises UserError when the file is missing, damaged, or of another kind.
    """
    again = "make it with src/transformer/parsing/learn_symbols.py"
    content = read_object(path, again, "symbols")
    first_id, symbols, tags = content["first_id"], content["symbols"], content["tags"]
    sha256 = hashlib.sha256(json.dumps([first_id, symbols, tags]).encode()).hexdigest()
    return Symbols(symbols, first_id, sha256), tags


@dataclass(frozen=True)
class Vocabularies:
    """The vocabularies of the source and of the target; in translation they are the same."""

    source: Subwords
    target: Subwords

    @property
    def sha256(self) -> str:
        """The hash that ties checkpoints and tokenized datasets to their vocabularies."""
        if self.source is self.target:
            return self.source.sha256
        return hashlib.sha256(f"{self.source.sha256} {self.target.sha256}".encode()).hexdigest()

    @property
    def sizes(self) -> dict[str, Any]:
        """The sizes as TransformerConfig names them, for one embedding matrix or two."""
        if self.source is self.target:
            return {"vocab_size": self.source.vocab_size}
        if isinstance(self.target, Symbols) and self.target.first_id == self.source.vocab_size:
            return {"vocab_size": self.target.vocab_size}
        return {"vocab_size": self.source.vocab_size, "target_vocab_size": self.target.vocab_size}

    @property
    def words(self) -> tuple[list[bool], list[bool]]:
        """Whether each id of the source and each id of the target begins a word, or is a word's symbol."""
        size = self.sizes["vocab_size"]
        source = [self.source.begins_word(id) for id in range(self.source.vocab_size)]
        target = [self.target.begins_word(id) for id in range(self.target.vocab_size)]
        return source + [False] * (size - len(source)), target


def vocabulary_files(pair: str, data: Path) -> tuple[Path, Path | None]:
    """Return the subword model of a pair of languages, and if it is a parser's the symbols of the trees.

    ``data`` is the data of a scale, e.g. ``data/demo``.
    """
    folder = data / "subwords" / pair
    symbols = folder / "symbols.json"
    return folder / "subwords.model", symbols if symbols.exists() else None


def load_vocabularies(subwords: Path | str, symbols: Path | str | None) -> Vocabularies:
    """Load both vocabularies; without ``symbols``, the target's is the source's.

    Raises UserError when a file is missing or malformed, or when the symbols were shared with other subwords.
    """
    source = load_subwords(subwords)
    if symbols is None:
        return Vocabularies(source, source)
    target, tags = load_symbols(symbols)
    if tags:
        source = TaggedWords(source, tags)
    if target.first_id not in (len(SPECIAL_IDS), source.vocab_size):
        raise UserError(
            f"{symbols}: its ids begin at {target.first_id}, so it was shared with other subwords than {subwords}, "
            f"with which they would begin at {source.vocab_size}"
        )
    return Vocabularies(source, target)
