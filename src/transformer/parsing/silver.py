"""Silver trees: a corpus of parsed sentences, resampled to the lengths of a gold treebank and mixed with it.

Parsers agree far more often on short sentences than on long ones, so the trees on which they agree are resampled to the
lengths of the gold treebank, as Vinyals et al. (2015) do.  Lengths fall into classes of WIDTH words, and each class
gets its share of the gold treebank.  All sentences of a class are repeated equally often, up to a difference of one.
No sentence is repeated more than MOST_COPIES times, so a class with few sentences may stay below its share.
"""

import random
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TypeVar

Item = TypeVar("Item")

WIDTH = 5  # words: the classes are 1 to 5, 6 to 10 and so on
MOST_COPIES = 5


def length_class(words: int) -> int:
    """Return the class of a sentence of this many words, from 0."""
    return (words - 1) // WIDTH


def histogram(lengths: Iterable[int]) -> dict[str, int]:
    """Count sentences by class, short ones first: ``{"1-5": 12, …}``."""
    counts = Counter(map(length_class, lengths))
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
    for number, share in zip(
        filled, shares(len(lengths), [wanted[number] for number in filled]), strict=True
    ):
        places = classes[number]
        copies, more = divmod(min(share, MOST_COPIES * len(places)), len(places))
        chosen += places * copies + rng.sample(places, more)
    return sorted(chosen)


def mixed(silver: Iterable[Item], gold: Sequence[Item], oversample: int, seed: int) -> list[Item]:
    """Shuffle all of ``silver`` and ``oversample`` copies of ``gold``; the order depends on ``seed`` alone."""
    items = [*silver, *list(gold) * oversample]
    random.Random(seed).shuffle(items)
    return items
