"""Encode a parallel corpus as token ids: text and a subword model in, a token store out.

Every sentence of both sides ends in EOS.  The store is the same whatever the number of processes.
"""

import argparse
from functools import cache, partial
from pathlib import Path

import numpy as np

from transformer.binary import Sentences, TokenStoreWriter
from transformer.corpus.pairs import read_pairs
from transformer.errors import run_script
from transformer.parallel import blocks, ordered_map
from transformer.progress import Progress
from transformer.subwords import EOS, load_subwords

BLOCK = 4096  # pairs encoded at once

subwords_of = cache(load_subwords)  # once a process


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--subwords", type=Path, required=True, help="model made by learn_subwords.py")
    parser.add_argument("--source", type=Path, required=True)
    parser.add_argument("--target", type=Path, required=True)
    parser.add_argument(
        "--output", type=Path, required=True, help="the token store's files begin with this path"
    )
    parser.add_argument("--processes", type=int, default=1, help="that encode (1)")
    arguments = parser.parse_args()
    if arguments.processes < 1:
        parser.error(f"--processes {arguments.processes}: must be at least 1")

    subwords = subwords_of(arguments.subwords)
    pairs = blocks(read_pairs(arguments.source, arguments.target), BLOCK)
    with (
        TokenStoreWriter(arguments.output, subwords.vocab_size, subwords.sha256) as store,
        Progress(None, " pairs", "encode") as progress,
    ):
        for source, target in ordered_map(
            partial(encode_block, arguments.subwords), pairs, arguments.processes
        ):
            store.add_all(source, target)
            progress.update(len(source.lengths))


def encode_block(model: Path, pairs: list[tuple[str, str]]) -> tuple[Sentences, Sentences]:
    """Both sides of some pairs, encoded."""
    source, target = (encode_side(model, texts) for texts in zip(*pairs, strict=True))
    return source, target


def encode_side(model: Path, texts: tuple[str, ...]) -> Sentences:
    """Some sentences as ids, each with its EOS."""
    encoded = subwords_of(model).encode_batch(texts)
    ids = [id for sentence in encoded for id in (*sentence, EOS)]
    lengths = [len(sentence) + 1 for sentence in encoded]
    return Sentences(np.array(ids, dtype=np.uint32), np.array(lengths, dtype=np.int64))


if __name__ == "__main__":
    run_script(main)
