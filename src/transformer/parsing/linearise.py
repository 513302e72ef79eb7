"""Write trees as a parser's training data: the words of each sentence, and its tree as symbols."""

import argparse
import random
from collections.abc import Iterator
from pathlib import Path

from nltk.tree import Tree

from transformer.common.arguments import argument_parser
from transformer.common.errors import UserError, run_script
from transformer.common.files import atomic_writer
from transformer.parsing.linearised import linearise
from transformer.parsing.sentence_text import source_text
from transformer.parsing.treebank import constituents
from transformer.parsing.trees import read_trees


def main() -> None:
    arguments = parse_arguments()
    tags = arguments.words == "tags"
    tagged = read_trees(arguments.tags_from) if arguments.tags_from else None
    with atomic_writer(arguments.output_source) as source, atomic_writer(arguments.output_target) as target:
        for tree in with_constituents(arguments.trees, arguments.constituents, arguments.seed):
            sentence = tree if tagged is None else next(tagged)
            source.write(source_text(sentence, arguments.tags_in_input) + "\n")
            target.write(" ".join(linearise(tree, tags)) + "\n")


def with_constituents(path: Path, share: float, seed: int) -> Iterator[Tree]:
    """Stream the trees of a file, each followed by a random share of its constituents, as if they were sentences."""
    rng = random.Random(seed)
    for tree in read_trees(path):
        yield tree
        for constituent in constituents(tree):
            if rng.random() < share:
                yield constituent


def parse_arguments() -> argparse.Namespace:
    parser = argument_parser(__doc__)
    parser.add_argument(
        "--trees", type=Path, required=True, help="trees of prepare_treebank.py, one per line"
    )
    parser.add_argument("--words", choices=["tags", "XX"], required=True, help="a word's symbol: tag or XX")
    parser.add_argument("--tags-in-input", action="store_true", help="write each word's tag before it")
    parser.add_argument(
        "--tags-from",
        type=Path,
        help="trees of the same sentences, from which the tags are taken (default: --trees)",
    )
    parser.add_argument(
        "--constituents",
        type=float,
        default=0.0,
        help="share of the constituents of at least two words to add as sentences of their own (0)",
    )
    parser.add_argument("--seed", type=int, default=0, help="seed of the choice of constituents (0)")
    parser.add_argument("--output-source", type=Path, required=True, help="file for the sentences")
    parser.add_argument("--output-target", type=Path, required=True, help="file for the symbols")
    arguments = parser.parse_args()
    if not 0 <= arguments.constituents <= 1:
        raise UserError(f"--constituents {arguments.constituents}: must be from 0 to 1")
    return arguments


if __name__ == "__main__":
    run_script(main)
