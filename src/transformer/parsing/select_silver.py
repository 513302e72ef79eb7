"""Make the training trees of the semi-supervised parser: silver trees, on which two parsers agree, and gold ones.

    python src/transformer/parsing/select_silver.py --first ours.trees --second pcfg.trees --gold train.trees \\
        --oversample 5 --seed 1 --output train.mixed.trees --silver silver.trees --report silver.json

Two trees of a sentence agree when their F1 is at least --min-f1 by EVALB's rules, both with the tags of the second.
The silver trees have the constituents of the first parser and the tags of the second.

Parsers agree far more often on short sentences than on long ones, so these trees are resampled to the lengths of the
gold treebank, as Vinyals et al. (2015) do.  Lengths fall into classes of WIDTH words, and each class gets its share of
the gold treebank.  All sentences of a class are repeated equally often, up to a difference of one.  No sentence is
repeated more than MOST_COPIES times, so a class with few sentences may stay below its share.

The gold trees are added --oversample times, and all are shuffled.
"""

import argparse
import random
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from nltk.tree import Tree

from transformer.common.arguments import Output, argument_parser, at_least
from transformer.common.errors import UserError, run_script
from transformer.common.files import atomic_writer, file_record, write_json
from transformer.common.progress import track
from transformer.parsing.evalb import Sentence, score_sentence
from transformer.parsing.trees import copy_tags, read_both, read_trees, words_of, write_tree

# The possible results of a comparison.  Without a bracket, as when both trees are flat, EVALB has nothing to compare.
VERDICTS = ("agreed", "disagreed", "no_constituent")
WIDTH = 5  # words: the classes are 1 to 5, 6 to 10 and so on
MOST_COPIES = 5


class Kept(NamedTuple):
    """A tree as text, which takes a twentieth of the memory, and its number of words."""

    text: str
    words: int

    @classmethod
    def of(cls, tree: Tree) -> "Kept":
        return cls(write_tree(tree), len(words_of(tree)))


def main() -> None:
    arguments = parse_arguments()
    gold = read_kept(arguments.gold)
    agreed, verdicts = compare(arguments.first, arguments.second, arguments.min_f1)
    places = resample([tree.words for tree in agreed], [tree.words for tree in gold], arguments.seed)
    if not places:
        raise UserError(
            f"{arguments.first} and {arguments.second}: of {verdicts.total()} sentences the parsers agree on "
            f"{len(agreed)}, none of them as long as a gold one; parse more text, or lower --min-f1"
        )
    silver = [agreed[place] for place in places]
    training = mixed(silver, gold, arguments.oversample, arguments.seed)
    write_kept(arguments.silver, silver)
    write_kept(arguments.output, training)
    report = {
        "format": 1,
        "min_f1": arguments.min_f1,
        "oversample": arguments.oversample,
        "seed": arguments.seed,
        "sentences": verdicts.total(),
        **{verdict: verdicts[verdict] for verdict in VERDICTS},
        "silver": len(silver),
        "silver_distinct": len(set(places)),
        "gold": len(gold),
        "training": len(training),
        "lengths": {"agreed": histogram(agreed), "silver": histogram(silver), "gold": histogram(gold)},
        "files": {name: file_record(getattr(arguments, name)) for name in ("first", "second", "gold")},
    }
    write_json(arguments.report, report)
    print(f"{verdicts.total():,} sentences, {len(agreed):,} agreed on: {len(silver):,} silver trees")


def read_kept(path: Path) -> list[Kept]:
    """Return the trees of a file.  Raises UserError when it is empty, or a tree is malformed."""
    return [Kept.of(tree) for tree in read_trees(path)]


def write_kept(path: Path, trees: Iterable[Kept]) -> None:
    with atomic_writer(path) as file:
        file.writelines(f"{tree.text}\n" for tree in trees)


def compare(first: Path, second: Path, min_f1: float) -> tuple[list[Kept], Counter[str]]:
    """Return the first parser's trees with the second's tags when both agree, and the count of each verdict."""
    agreed = []
    verdicts: Counter[str] = Counter()
    for one, other in track(read_both(first, second), None, "trees"):
        copy_tags(other, one)
        verdict = verdict_on(score_sentence(other, one), min_f1)
        verdicts[verdict] += 1
        if verdict == "agreed":
            agreed.append(Kept.of(one))
    return agreed, verdicts


def verdict_on(sentence: Sentence, min_f1: float) -> str:
    """Return one of VERDICTS."""
    brackets = sentence.gold + sentence.predicted
    if not brackets:
        return "no_constituent"
    return "agreed" if 200 * sentence.matched >= min_f1 * brackets else "disagreed"


def length_class(words: int) -> int:
    """Return the class of a sentence of this many words, from 0."""
    return (words - 1) // WIDTH


def histogram(trees: Iterable[Kept]) -> dict[str, int]:
    """Count trees by the class of their lengths, short ones first: ``{"1-5": 12, …}``."""
    counts = Counter(length_class(tree.words) for tree in trees)
    return {f"{number * WIDTH + 1}-{(number + 1) * WIDTH}": counts[number] for number in sorted(counts)}


def shares(size: int, weights: Sequence[int]) -> list[int]:
    """Divide ``size`` items in proportion to ``weights``, rounded by largest remainder; the sum is ``size``."""
    total = sum(weights)
    whole = [size * weight // total for weight in weights]
    by_remainder = sorted(range(len(weights)), key=lambda place: -(size * weights[place] % total))
    for place in by_remainder[: size - sum(whole)]:
        whole[place] += 1
    return whole


def resample(lengths: Sequence[int], gold: Sequence[int], seed: int) -> list[int]:
    """Choose indices into ``lengths``, ascending and some repeated, so that lengths are distributed as in ``gold``.

    About ``len(lengths)`` indices are returned, fewer when a class has too few sentences.  Classes that do not occur in
    ``gold`` are left out.
    """
    rng = random.Random(seed)
    classes: dict[int, list[int]] = {}
    for place, length in enumerate(lengths):
        classes.setdefault(length_class(length), []).append(place)
    wanted = Counter(map(length_class, gold))
    filled = sorted(wanted.keys() & classes.keys())
    if not filled:
        return []
    chosen: list[int] = []
    of_class = shares(len(lengths), [wanted[number] for number in filled])
    for number, share in zip(filled, of_class, strict=True):
        places = classes[number]
        copies, more = divmod(min(share, MOST_COPIES * len(places)), len(places))
        chosen += places * copies + rng.sample(places, more)
    return sorted(chosen)


def mixed(silver: Sequence[Kept], gold: Sequence[Kept], oversample: int, seed: int) -> list[Kept]:
    """Shuffle all of ``silver`` and ``oversample`` copies of ``gold``; the order depends on ``seed`` alone."""
    trees = [*silver, *list(gold) * oversample]
    random.Random(seed).shuffle(trees)
    return trees


def parse_arguments() -> argparse.Namespace:
    parser = argument_parser(__doc__)
    parser.add_argument("--first", type=Path, required=True, help="trees whose constituents are kept")
    parser.add_argument("--second", type=Path, required=True, help="trees whose tags are kept")
    about = "the treebank's trees, which also give the lengths"
    parser.add_argument("--gold", type=Path, required=True, help=about)
    parser.add_argument(
        "--oversample", type=at_least(1), required=True, help="times that each gold tree is added"
    )
    parser.add_argument(
        "--output", type=Output, required=True, help="file for silver and gold trees, shuffled"
    )
    parser.add_argument("--silver", type=Output, required=True, help="file for the silver trees alone")
    parser.add_argument("--report", type=Output, required=True, help="JSON file for the numbers of trees")
    about = "least F1 in percent of two trees that agree (100: all brackets are equal)"
    parser.add_argument("--min-f1", type=float, default=100.0, help=about)
    parser.add_argument("--seed", type=int, required=True, help="seed of the resampling and the shuffling")
    return parser.parse_args()


if __name__ == "__main__":
    run_script(main)
