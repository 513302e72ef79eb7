"""The tokenized dataset: a parallel corpus as token ids in memory-mapped arrays.

``PREFIX.json`` is the header.  ``PREFIX.{source,target}.tokens`` hold the ids of all sentences end to end, each
sentence with its EOS, in the smallest unsigned type that holds the vocabulary, little-endian.  Sentence ``i`` is
``tokens[offsets[i]:offsets[i + 1]]``; ``PREFIX.{source,target}.offsets`` are 64-bit unsigned integers.
``PREFIX.sha256`` has the sha256 of these five files.
Writing takes one pass and reading uses memory maps, so neither needs memory that grows with the corpus.
"""

import contextlib
import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from transformer.common.checksums import AGAIN, check_sums, write_sums
from transformer.common.durability import temporary_beside
from transformer.common.errors import UserError
from transformer.common.files import sha256_of, write_json
from transformer.common.json_artifacts import check_kind, read_object

FORMAT = 1
OFFSET_TYPE = np.dtype("<u8")
TOKEN_TYPES: list[np.dtype[Any]] = [np.dtype("u1"), np.dtype("<u2"), np.dtype("<u4")]
SIDES = ("source", "target")
LONGEST = 2**31 - 1  # tokens of a sentence


def files_of(prefix: Path | str) -> list[Path]:
    """Return the header and the four arrays of a dataset, in the order of their names."""
    return [
        _beside(Path(prefix), suffix)
        for suffix in ("json", *(f"{side}.{kind}" for side in SIDES for kind in ("offsets", "tokens")))
    ]


@dataclass(frozen=True)
class Sentences:
    """Some sentences of one side: their ids end to end, EOS included, and their lengths."""

    ids: NDArray[np.integer]  # (tokens,)
    lengths: NDArray[np.integer]  # (sentences,)


class TokenizedDatasetWriter:
    """A context manager that writes a tokenized dataset.

    The header and then the sums are the last files to appear, so a dataset with sums is complete.  When the block
    raises, no new file remains.
    """

    def __init__(self, prefix: Path | str, vocab_size: int, vocabulary_sha256: str) -> None:
        self._prefix = Path(prefix)
        self._vocab_size = vocab_size
        self._vocabulary_sha256 = vocabulary_sha256
        self._type = next(kind for kind in TOKEN_TYPES if vocab_size - 1 <= np.iinfo(kind).max)

    def __enter__(self) -> "TokenizedDatasetWriter":
        self._sides = [_SideWriter(self._prefix, side, self._type, self._vocab_size) for side in SIDES]
        return self

    def add(self, source: Sequence[int], target: Sequence[int]) -> None:
        """Append a pair of sentences, as ids that end in EOS."""
        sides = [Sentences(np.asarray(ids), np.array([len(ids)])) for ids in (source, target)]
        self.add_all(*sides)

    def add_all(self, source: Sentences, target: Sentences) -> None:
        """Append sentence pairs.  Raises ValueError when the sides differ in number."""
        if len(source.lengths) != len(target.lengths):
            raise ValueError(
                f"{len(source.lengths)} source sentences but {len(target.lengths)} target sentences"
            )
        for side, sentences in zip(self._sides, (source, target), strict=True):
            side.add(sentences)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None:
                self._finish()
        finally:
            for side in self._sides:
                side.discard()

    def _finish(self) -> None:
        for side in self._sides:
            side.close()
        header_path, sums_path = _beside(self._prefix, "json"), _beside(self._prefix, "sha256")
        # An older dataset must not seem complete while its files are replaced.
        for path in (header_path, sums_path):
            path.unlink(missing_ok=True)
        for side in self._sides:
            side.publish()
        source, target = self._sides
        write_json(
            header_path,
            {
                "format": FORMAT,
                "sentences": source.sentences,
                "source_tokens": source.tokens,
                "target_tokens": target.tokens,
                "token_type": self._type.name,
                "vocab_size": self._vocab_size,
                "vocabulary_sha256": self._vocabulary_sha256,
            },
        )
        arrays = {name: sha256 for side in self._sides for name, sha256 in side.sums().items()}
        write_sums(sums_path, {header_path.name: sha256_of(header_path), **dict(sorted(arrays.items()))})


class _SideWriter:
    """The two files of one side, under temporary names until :meth:`publish`."""

    def __init__(self, prefix: Path, side: str, token_type: np.dtype[Any], vocab_size: int) -> None:
        self._paths = [_beside(prefix, f"{side}.tokens"), _beside(prefix, f"{side}.offsets")]
        self._temporary = [temporary_beside(path) for path in self._paths]
        self._files = [path.open("wb") for path in self._temporary]  # closed by discard
        self._hashes = [hashlib.sha256() for _ in self._paths]
        self._type, self._vocab_size = token_type, vocab_size
        self.sentences = self.tokens = 0
        self._write(1, np.zeros(1, OFFSET_TYPE))

    def add(self, sentences: Sentences) -> None:
        ids = sentences.ids
        if len(ids) and not 0 <= ids.min() <= ids.max() < self._vocab_size:
            raise ValueError(
                f"a token id outside the vocabulary of {self._vocab_size}: {ids.min()} … {ids.max()}"
            )
        ends = self.tokens + np.cumsum(sentences.lengths)
        self._write(0, ids.astype(self._type))
        self._write(1, ends.astype(OFFSET_TYPE))
        self.tokens += len(ids)
        self.sentences += len(sentences.lengths)

    def _write(self, number: int, values: NDArray[Any]) -> None:
        content = values.tobytes()
        self._files[number].write(content)  # numpy's tofile would not say that the disk is full
        self._hashes[number].update(content)

    def sums(self) -> dict[str, str]:
        """Return the sha256 of what was written, by the name of the file."""
        return {path.name: hash.hexdigest() for path, hash in zip(self._paths, self._hashes, strict=True)}

    def close(self) -> None:
        for file in self._files:
            file.flush()
            os.fsync(file.fileno())
            file.close()

    def publish(self) -> None:
        for temporary, path in zip(self._temporary, self._paths, strict=True):
            os.replace(temporary, path)  # the header, which is written later, syncs the folder

    def discard(self) -> None:
        for file, path in zip(self._files, self._temporary, strict=True):
            path.unlink(missing_ok=True)
            with contextlib.suppress(OSError):  # closing flushes the buffer, and the disk may be full
                file.close()


class TokenizedSide:
    """The sentences of one language: ``side[i]`` gives the ids of sentence ``i`` as an array (length,)."""

    def __init__(self, tokens: NDArray[Any], offsets: NDArray[np.uint64]) -> None:
        self.ids, self.offsets = tokens, offsets

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, index: int) -> NDArray[Any]:
        return self.ids[int(self.offsets[index]) : int(self.offsets[index + 1])]

    @cached_property
    def lengths(self) -> NDArray[np.int32]:
        """The length of every sentence in tokens, EOS included: (sentences,)."""
        return np.diff(self.offsets).astype(np.int32)


class TokenizedDataset:
    """A parallel corpus of token ids, read through memory maps."""

    def __init__(self, header: dict[str, Any], source: TokenizedSide, target: TokenizedSide) -> None:
        self.header, self.source, self.target = header, source, target

    @classmethod
    def open(cls, prefix: Path | str) -> "TokenizedDataset":
        """Open the dataset of the header ``PREFIX.json``, and check all that is read: no damaged file is believed.

        Raises UserError when a file is missing, truncated, damaged, or from another run or format.
        """
        prefix = Path(prefix)
        path = _beside(prefix, "json")
        advice = f"not the header of a tokenized dataset: {AGAIN}"
        header = read_object(path, advice)
        if isinstance(found := header.get("format"), int) and found != FORMAT:
            raise UserError(f"{path}: tokenized dataset of format {found}, not {FORMAT}; encode again")
        check_kind(path, header, "dataset", advice)
        check_sums(_beside(prefix, "sha256"), path)
        sides = [_open_side(prefix, side, header) for side in SIDES]
        check_sums(_beside(prefix, "sha256"), *files_of(prefix))
        for side, sentences in zip(SIDES, sides, strict=True):
            _check_side(prefix, side, sentences, header["vocab_size"])
        return cls(header, *sides)

    def __len__(self) -> int:
        return len(self.source)

    @property
    def vocab_size(self) -> int:
        return int(self.header["vocab_size"])

    @property
    def vocabulary_sha256(self) -> str:
        """The sha256 of the subword model that the ids belong to."""
        return str(self.header["vocabulary_sha256"])


def _open_side(prefix: Path, side: str, header: dict[str, Any]) -> TokenizedSide:
    tokens: int = header[f"{side}_tokens"]
    token_type = next(kind for kind in TOKEN_TYPES if kind.name == header["token_type"])
    token_array = _map(_beside(prefix, f"{side}.tokens"), token_type, tokens)
    path = _beside(prefix, f"{side}.offsets")
    offsets = _map(path, OFFSET_TYPE, header["sentences"] + 1)
    if offsets[0] != 0 or offsets[-1] != tokens:
        raise UserError(f"{path}: does not belong to {_beside(prefix, 'json').name}; encode again")
    return TokenizedSide(token_array, offsets)


def _check_side(prefix: Path, side: str, sentences: TokenizedSide, vocab_size: int) -> None:
    """Raise UserError when a sentence is empty or too long, or when an id is no token of the vocabulary."""
    offsets, ids = sentences.offsets, sentences.ids
    if len(sentences) and not (
        (offsets[1:] > offsets[:-1]).all() and (offsets[1:] - offsets[:-1]).max() <= LONGEST
    ):
        raise UserError(
            f"{_beside(prefix, f'{side}.offsets')}: a sentence has no tokens, or too many; encode again"
        )
    if len(ids) and int(ids.max()) >= vocab_size:
        raise UserError(
            f"{_beside(prefix, f'{side}.tokens')}: the id {ids.max()} is outside the vocabulary of {vocab_size}; "
            "encode again"
        )


def _map(path: Path, kind: np.dtype[Any], count: int) -> NDArray[Any]:
    try:
        size = path.stat().st_size
    except FileNotFoundError:
        raise UserError(f"{path}: no such file, though its header exists; encode again") from None
    if size != count * kind.itemsize:
        raise UserError(
            f"{path}: {size} bytes, but its header says {count * kind.itemsize}; it is truncated or from another "
            "run: encode again"
        )
    # A plain array over the memory map: indexing np.memmap is several times slower.
    return np.asarray(np.memmap(path, dtype=kind, mode="r")) if count else np.empty(0, kind)


def _beside(prefix: Path, suffix: str) -> Path:
    return prefix.with_name(f"{prefix.name}.{suffix}")
