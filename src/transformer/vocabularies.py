"""The vocabularies of a task: in translation one for both sides, in parsing subwords and the symbols of trees."""

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from transformer.errors import UserError
from transformer.files import read_json, read_lines, write_json
from transformer.subwords import SPECIAL_IDS, SPECIAL_PIECES, UNK, Subwords, load_subwords

FORMAT = 1


class Symbols:
    """A closed vocabulary: a text is symbols with spaces between them, each of which is an entry.

    In a vocabulary of its own the symbols' ids follow the special ones'; in one that is shared with a side that has
    subwords, they follow that side's.
    """

    def __init__(self, symbols: Sequence[str], first_id: int, sha256: str) -> None:
        self.symbols, self.first_id, self.sha256 = symbols, first_id, sha256
        self.vocab_size = first_id + len(symbols)
        self._ids = {symbol: id for id, symbol in enumerate(symbols, start=first_id)}

    def encode(self, text: str) -> list[int]:
        """The token ids, without EOS; a symbol that is not in the vocabulary becomes UNK."""
        return [self._ids.get(symbol, UNK) for symbol in text.split()]

    def encode_batch(self, texts: Sequence[str]) -> list[list[int]]:
        """The token ids of many texts."""
        return [self.encode(text) for text in texts]

    def decode(self, ids: Iterable[int]) -> str:
        """The text of token ids; what is no symbol stands for nothing."""
        return " ".join(self.symbols[id - self.first_id] for id in ids if id >= self.first_id)

    def piece(self, id: int) -> str:
        """The symbol, or the name of a special id."""
        return SPECIAL_PIECES[id] if id in SPECIAL_IDS else self.symbols[id - self.first_id]


def learn_symbols(files: Iterable[Path | str], output: Path | str, shared_with: Subwords | None) -> None:
    """Write the vocabulary of all symbols in ``files`` (a text a line) as JSON; after ``shared_with``'s entries."""
    symbols = sorted({symbol for file in files for line in read_lines(file) for symbol in line.split()})
    if not symbols:
        raise UserError(f"{', '.join(map(str, files))}: no symbol there; expected a linearised tree a line")
    first_id = shared_with.vocab_size if shared_with else len(SPECIAL_IDS)
    write_json(output, {"format": FORMAT, "first_id": first_id, "symbols": symbols})


def load_symbols(path: Path | str) -> Symbols:
    """Load what :func:`learn_symbols` wrote.  Raises UserError when it is something else."""
    content = read_json(path)
    try:
        if content["format"] != FORMAT:
            raise ValueError
        symbols, first_id = list(map(str, content["symbols"])), int(content["first_id"])
    except (KeyError, TypeError, ValueError):
        raise UserError(f"{path}: not a vocabulary of symbols; make one with src/learn_symbols.py") from None
    return Symbols(symbols, first_id, hashlib.sha256(json.dumps([first_id, *symbols]).encode()).hexdigest())


@dataclass(frozen=True)
class Vocabularies:
    """Of the source and of the target; in translation they are the same."""

    source: Subwords
    target: Subwords

    @property
    def sha256(self) -> str:
        """What ties checkpoints and token stores to their vocabularies."""
        if self.source is self.target:
            return self.source.sha256
        return hashlib.sha256(f"{self.source.sha256} {self.target.sha256}".encode()).hexdigest()

    @property
    def sizes(self) -> dict[str, Any]:
        """As TransformerConfig names them: one matrix of embeddings, or two."""
        if self.source is self.target:
            return {"vocab_size": self.source.vocab_size}
        if isinstance(self.target, Symbols) and self.target.first_id == self.source.vocab_size:
            return {"vocab_size": self.target.vocab_size}
        return {"vocab_size": self.source.vocab_size, "target_vocab_size": self.target.vocab_size}


def load_vocabularies(subwords: Path | str, symbols: Path | str | None) -> Vocabularies:
    """Both vocabularies; without ``symbols``, the target's is the source's.

    Raises UserError when a file is missing or something else, or when symbols that follow a vocabulary's subwords
    follow another's.
    """
    source = load_subwords(subwords)
    if symbols is None:
        return Vocabularies(source, source)
    target = load_symbols(symbols)
    if target.first_id not in (len(SPECIAL_IDS), source.vocab_size):
        raise UserError(
            f"{symbols}: its ids begin at {target.first_id}, so it was shared with other subwords than {subwords}, "
            f"which have {source.vocab_size}"
        )
    return Vocabularies(source, target)
