"""Encode a parallel corpus as a tokenized dataset, with a subword model.

Every sentence of both sides ends in EOS.  The dataset is the same for any number of processes.
"""

import itertools
from collections.abc import Sequence
from functools import cache, partial
from pathlib import Path

import numpy as np

from transformer.common.arguments import Output, argument_parser, at_least
from transformer.common.errors import UserError, run_script
from transformer.common.parallel import blocks, ordered_map
from transformer.common.progress import Progress
from transformer.common.special_tokens import EOS
from transformer.corpus.pairs import read_pairs
from transformer.dataset.tokenized import Sentences, write_dataset
from transformer.subwords.bpe import BytePairEncoding
from transformer.subwords.vocabularies import TaggedWords, load_vocabularies

BLOCK = 4096  # pairs that are encoded together

vocabularies_of = cache(load_vocabularies)  # each process loads the vocabularies once


def main() -> None:
    parser = argument_parser(__doc__)
    parser.add_argument("--subwords", type=Path, required=True, help="model made by learn_subwords.py")
    parser.add_argument("--symbols", type=Path, help="the target's own vocabulary, made by learn_symbols.py")
    parser.add_argument("--source", type=Path, required=True)
    parser.add_argument("--target", type=Path, required=True)
    about = "path with which the names of the tokenized dataset's files begin"
    parser.add_argument("--output", type=Output, required=True, help=about)
    parser.add_argument("--copies", type=at_least(1), default=1, help="how often the corpus is repeated (1)")
    parser.add_argument("--dropout", type=float, default=0.0, help="share of source merges to leave out (0)")
    parser.add_argument("--seed", type=int, default=0, help="seed of --dropout (0)")
    parser.add_argument("--processes", type=at_least(1), default=1, help="number of processes (1)")
    arguments = parser.parse_args()
    vocabularies = vocabularies_of(arguments.subwords, arguments.symbols)
    words = vocabularies.source
    subwords = words.subwords if isinstance(words, TaggedWords) else words
    if arguments.dropout and not isinstance(subwords, BytePairEncoding):
        raise UserError(
            f"{arguments.subwords}: only byte-pair encoding has merges that --dropout can leave out"
        )
    encode = partial(encode_block, arguments.subwords, arguments.symbols, arguments.dropout, arguments.seed)
    vocab_size = max(vocabularies.source.vocab_size, vocabularies.target.vocab_size)
    copies = (read_pairs(arguments.source, arguments.target) for _ in range(arguments.copies))
    numbered = enumerate(blocks(itertools.chain.from_iterable(copies), BLOCK))
    with (
        write_dataset(arguments.output, vocab_size, vocabularies.sha256) as add,
        Progress(None, "pairs") as progress,
    ):
        for source, target in ordered_map(encode, numbered, arguments.processes):
            add(source, target)
            progress.update(len(source.lengths))


def encode_block(
    subwords: Path, symbols: Path | None, dropout: float, seed: int, block: tuple[int, list[tuple[str, str]]]
) -> tuple[Sentences, Sentences]:
    """Encode both sides of a numbered block of pairs.  The seed of dropout depends on the number."""
    vocabularies = vocabularies_of(subwords, symbols)
    number, pairs = block
    sources, targets = zip(*pairs, strict=True)
    if isinstance(vocabularies.source, BytePairEncoding | TaggedWords) and dropout:
        encoded = vocabularies.source.sample_batch(sources, dropout, (seed * 1_000_003 + number) % 2**32)
    else:
        encoded = vocabularies.source.encode_batch(sources)
    return with_eos(encoded), with_eos(vocabularies.target.encode_batch(targets))


def with_eos(encoded: Sequence[Sequence[int]]) -> Sentences:
    """Append EOS to each sentence."""
    ids = [id for sentence in encoded for id in (*sentence, EOS)]
    lengths = [len(sentence) + 1 for sentence in encoded]
    return Sentences(np.array(ids, dtype=np.uint32), np.array(lengths, dtype=np.int64))


if __name__ == "__main__":
    run_script(main)
