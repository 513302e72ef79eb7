"""The tokenized dataset: a parallel corpus as token ids in memory-mapped arrays.

``PREFIX.json`` is the header.  ``PREFIX.{source,target}.tokens`` hold the ids of all sentences end to end, each
sentence with its EOS, in the smallest unsigned type that holds the vocabulary, little-endian.  Sentence ``i`` is
``tokens[offsets[i]:offsets[i + 1]]``; ``PREFIX.{source,target}.offsets`` are 64-bit unsigned integers.
``PREFIX.sha256`` has the sha256 of these five files.
"""

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from transformer.common.artifacts import AGAIN, check_sums, read_object, write_sums
from transformer.common.files import atomic_path, sha256_of, write_json

FORMAT = 1
OFFSET_TYPE = np.dtype("<u8")
TOKEN_TYPES: list[np.dtype[Any]] = [np.dtype("u1"), np.dtype("<u2"), np.dtype("<u4")]
SIDES = ("source", "target")


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


@contextlib.contextmanager
def write_dataset(
    prefix: Path | str, vocab_size: int, vocabulary_sha256: str
) -> Iterator[Callable[[Sentences, Sentences], None]]:
    """Yield a function that appends sentence pairs, source and target, to a new tokenized dataset.

    It raises ValueError for an id outside the vocabulary.  The header and then the sums are the last files to appear,
    so a dataset with sums is complete.  When the block raises, no new file remains.
    """
    prefix = Path(prefix)
    token_type = next(kind for kind in TOKEN_TYPES if vocab_size - 1 <= np.iinfo(kind).max)
    sizes = {"sentences": 0, "source_tokens": 0, "target_tokens": 0}
    with contextlib.ExitStack() as stack:
        files = {}
        for path in files_of(prefix)[1:]:
            temporary = stack.enter_context(atomic_path(path))
            files[path] = stack.enter_context(temporary.open("wb"))
        for side in SIDES:
            files[_beside(prefix, f"{side}.offsets")].write(np.zeros(1, OFFSET_TYPE).tobytes())

        def add(source: Sentences, target: Sentences) -> None:
            for side, sentences in zip(SIDES, (source, target), strict=True):
                ids = sentences.ids
                if len(ids) and not 0 <= ids.min() <= ids.max() < vocab_size:
                    raise ValueError(
                        f"a token id outside the vocabulary of {vocab_size}: {ids.min()} … {ids.max()}"
                    )
                ends = sizes[f"{side}_tokens"] + np.cumsum(sentences.lengths)
                # numpy's tofile would not say that the disk is full.
                files[_beside(prefix, f"{side}.tokens")].write(ids.astype(token_type).tobytes())
                files[_beside(prefix, f"{side}.offsets")].write(ends.astype(OFFSET_TYPE).tobytes())
                sizes[f"{side}_tokens"] += len(ids)
            sizes["sentences"] += len(source.lengths)

        yield add
        # Write the arrays to their ends, and only then make an older dataset incomplete: the disk may be full.
        for file in files.values():
            file.flush()
        for suffix in ("json", "sha256"):
            _beside(prefix, suffix).unlink(missing_ok=True)
    header = {
        "format": FORMAT,
        **sizes,
        "token_type": token_type.name,
        "vocab_size": vocab_size,
        "vocabulary_sha256": vocabulary_sha256,
    }
    write_json(_beside(prefix, "json"), header)
    write_sums(_beside(prefix, "sha256"), {path.name: sha256_of(path) for path in files_of(prefix)})


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
        """Open the dataset of the header ``PREFIX.json``.

        Raises UserError when a file is missing, or is not the one that was written.
        """
        prefix = Path(prefix)
        path = _beside(prefix, "json")
        advice = f"not the header of a tokenized dataset: {AGAIN}"
        header = read_object(path, advice, "dataset")
        check_sums(_beside(prefix, "sha256"), *files_of(prefix))
        token_type = next(kind for kind in TOKEN_TYPES if kind.name == header["token_type"])
        sides = [
            TokenizedSide(
                _map(_beside(prefix, f"{side}.tokens"), token_type),
                _map(_beside(prefix, f"{side}.offsets"), OFFSET_TYPE),
            )
            for side in SIDES
        ]
        return cls(header, *sides)

    def __len__(self) -> int:
        return len(self.source)

    @property
    def vocabulary_sha256(self) -> str:
        """The sha256 of the subword model that the ids belong to."""
        return str(self.header["vocabulary_sha256"])


def _map(path: Path, kind: np.dtype[Any]) -> NDArray[Any]:
    # A plain array over the memory map: indexing np.memmap is several times slower.
    return np.asarray(np.memmap(path, dtype=kind, mode="r")) if path.stat().st_size else np.empty(0, kind)


def _beside(prefix: Path, suffix: str) -> Path:
    return prefix.with_name(f"{prefix.name}.{suffix}")
