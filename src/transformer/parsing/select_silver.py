"""Make the training trees of the semi-supervised parser: silver trees, on which two parsers agree, and gold ones.

    python src/transformer/parsing/select_silver.py --first ours.trees --second pcfg.trees --gold train.trees \\
        --oversample 5 --seed 1 --output train.mixed.trees --silver silver.trees --report silver.json

Two trees of a sentence agree when their F1 is at least --min-f1 by EVALB's rules, both with the tags of the second.
The silver trees have the constituents of the first parser and the tags of the second.  They are resampled to the
lengths of the gold trees (see transformer.parsing.silver), the gold trees are added --oversample times, and all are
shuffled.
"""

import argparse
from collections import Counter
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

from nltk.tree import Tree

from transformer.common.arguments import argument_parser
from transformer.common.errors import UserError, run_script
from transformer.common.files import atomic_writer, file_record, write_json
from transformer.common.progress import track
from transformer.parsing.evalb import Sentence, score_sentence
from transformer.parsing.silver import histogram, mixed, resample
from transformer.parsing.trees import copy_tags, read_trees, words_of, write_tree

FORMAT = 1
# The possible results of a comparison.  Without a bracket, as when both trees are flat, EVALB has nothing to compare.
VERDICTS = ("agreed", "disagreed", "no_constituent")


def main() -> None:
    arguments = parse_arguments()
    gold = [Kept.of(tree) for tree in read_trees(arguments.gold)]
    if not gold:
        raise UserError(f"{arguments.gold}: the file is empty; expected one tree per line")
    agreed, verdicts = compare(arguments.first, arguments.second, arguments.min_f1)
    places = resample([tree.words for tree in agreed], [tree.words for tree in gold], arguments.seed)
    if not places:
        raise UserError(
            f"{arguments.first} and {arguments.second}: of {verdicts.total()} sentences the parsers agree on "
            f"{len(agreed)}, none of them as long as a gold one; parse more text, or lower --min-f1"
        )
    silver = [agreed[place] for place in places]
    training = mixed(silver, gold, arguments.oversample, arguments.seed)
    for path, trees in ((arguments.silver, silver), (arguments.output, training)):
        with atomic_writer(path) as file:
            file.writelines(f"{tree.text}\n" for tree in trees)
    files = {"first": arguments.first, "second": arguments.second, "gold": arguments.gold}
    report = {
        "format": FORMAT,
        "min_f1": arguments.min_f1,
        "oversample": arguments.oversample,
        "seed": arguments.seed,
        "sentences": verdicts.total(),
        **{verdict: verdicts[verdict] for verdict in VERDICTS},
        "silver": len(silver),
        "silver_distinct": len(set(places)),
        "gold": len(gold),
        "training": len(training),
        "lengths": {
            name: histogram(tree.words for tree in trees)
            for name, trees in (("agreed", agreed), ("silver", silver), ("gold", gold))
        },
        "files": {name: file_record(path) for name, path in files.items()},
    }
    write_json(arguments.report, report)
    print(
        f"{verdicts.total():,} sentences, {len(agreed):,} agreed on: {len(silver):,} silver trees, and "
        f"{arguments.oversample} times {len(gold):,} gold ones"
    )


class Kept(NamedTuple):
    """A tree as text, which takes a twentieth of the memory, and its number of words."""

    text: str
    words: int

    @classmethod
    def of(cls, tree: Tree) -> "Kept":
        return cls(write_tree(tree), len(words_of(tree)))


def compare(first: Path, second: Path, min_f1: float) -> tuple[list[Kept], Counter[str]]:
    """Return the first parser's trees with the second's tags when both agree, and the count of each verdict."""
    agreed = []
    verdicts: Counter[str] = Counter()
    for one, other in track(read_both(first, second), None, " trees", "comparing"):
        copy_tags(other, one)
        verdict = verdict_on(score_sentence(other, one), min_f1)
        verdicts[verdict] += 1
        if verdict == "agreed":
            agreed.append(Kept.of(one))
    return agreed, verdicts


def read_both(first: Path, second: Path) -> Iterator[tuple[Tree, Tree]]:
    """Stream the two trees of each sentence.  Raises UserError when they are not of the same sentence."""
    for number, (one, other) in enumerate(zip_longest(read_trees(first), read_trees(second)), start=1):
        if one is None or other is None:
            ended, longer = (first, second) if one is None else (second, first)
            raise UserError(
                f"{ended} has {number - 1} trees and {longer} has more; both must be parses of the same sentences"
            )
        if words_of(one) != words_of(other):
            raise UserError(
                f"{second}, line {number}: other words than in {first}; both must be parses of the same sentences"
            )
        yield one, other


def verdict_on(sentence: Sentence, min_f1: float) -> str:
    """Return one of VERDICTS."""
    brackets = sentence.gold + sentence.predicted
    if not brackets:
        return "no_constituent"
    return "agreed" if 200 * sentence.matched >= min_f1 * brackets else "disagreed"


def parse_arguments() -> argparse.Namespace:
    parser = argument_parser(__doc__)
    parser.add_argument(
        "--first",
        type=Path,
        required=True,
        help="one parser's trees, one per line; their constituents are kept",
    )
    parser.add_argument(
        "--second",
        type=Path,
        required=True,
        help="the other parser's trees of the same sentences; their tags are kept",
    )
    parser.add_argument(
        "--gold", type=Path, required=True, help="the treebank's trees, which also give the lengths"
    )
    parser.add_argument("--oversample", type=int, required=True, help="times that each gold tree is added")
    parser.add_argument("--output", type=Path, required=True, help="file for silver and gold trees, shuffled")
    parser.add_argument("--silver", type=Path, required=True, help="file for the silver trees alone")
    parser.add_argument(
        "--report",
        type=Path,
        required=True,
        help="JSON file for the counts of kept and dropped trees, and their lengths",
    )
    parser.add_argument(
        "--min-f1",
        type=float,
        default=100.0,
        help="two trees agree if their F1 in percent is at least this (100: all brackets are equal)",
    )
    parser.add_argument("--seed", type=int, required=True, help="seed of the resampling and the shuffling")
    arguments = parser.parse_args()
    if not 0 < arguments.min_f1 <= 100:
        parser.error(f"--min-f1 {arguments.min_f1}: must be above 0 and at most 100")
    if arguments.oversample < 1:
        parser.error(f"--oversample {arguments.oversample}: must be at least 1")
    return arguments


if __name__ == "__main__":
    run_script(main)
