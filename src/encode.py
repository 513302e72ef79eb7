"""Encode a parallel corpus as token ids: text and a subword model in, a token store out.

Every sentence of both sides ends in EOS.
"""

import argparse
from itertools import islice
from pathlib import Path

from transformer.binary import TokenStoreWriter
from transformer.corpus.pairs import read_pairs
from transformer.errors import run_script
from transformer.progress import Progress
from transformer.subwords import EOS, load_subwords

BATCH = 4096  # pairs encoded at once


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--subwords", type=Path, required=True, help="model made by learn_subwords.py")
    parser.add_argument("--source", type=Path, required=True)
    parser.add_argument("--target", type=Path, required=True)
    parser.add_argument(
        "--output", type=Path, required=True, help="the token store's files begin with this path"
    )
    arguments = parser.parse_args()

    subwords = load_subwords(arguments.subwords)
    pairs = read_pairs(arguments.source, arguments.target)
    with (
        TokenStoreWriter(arguments.output, subwords.vocab_size, subwords.sha256) as store,
        Progress(None, " pairs", "encode") as progress,
    ):
        while batch := list(islice(pairs, BATCH)):
            sources, targets = (subwords.encode_batch(side) for side in zip(*batch, strict=True))
            for source, target in zip(sources, targets, strict=True):
                store.add([*source, EOS], [*target, EOS])
            progress.update(len(batch))


if __name__ == "__main__":
    run_script(main)
