"""Compare the scorer of parses with a second implementation of EVALB's rules, on random lines, whole and damaged.

    python tests/campaigns/random_trees.py --pairs 100000    # two minutes

Lines are trees with labels, tags, words and white space that EVALB treats in its own way, and what is left of such
trees after a few random edits.
"""

import random
import sys
from collections import Counter
from dataclasses import astuple
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "helpers"))

import reference_evalb

from transformer.common.arguments import argument_parser
from transformer.parsing.evalb import score_lines
from transformer.parsing.score_parses import read_line

LABELS = ["", *"S NP NP-SBJ VP=2 ADVP PRT ADVP|PRT TOP ROOT S1 X -NONE- -LRB- ADVP-TMP PRT=1 = -".split()]
TAGS = ["", *"NN DT , . : `` '' -NONE- TOP ADVP PRT -LRB- NN-X".split()]
WORDS = ["a", "b", "A", "é", "a\u00a0b", "\u3000", "\x85", "x\u2028y", "'", "-LRB-", "-", "."]
SPACES = [" "] * 12 + ["\t", "\v", "\f", "  "]
FRAGMENTS = "| |()|( )|(NP)|(NP )|(NN a)|( a)|(NP) (NN a)|(. .)|(TOP )|(S (NP) )".split("|")
FRAGMENTS += ["(S (NN a)) (S (NN b))", "(NN a)(NN b)"]
BLOCK = 1000  # pairs of lines with one seed
SHOWN = 5  # pairs of a block on which the two differ

Words = list[tuple[str, str]]  # tag, word


def main() -> int:
    parser = argument_parser(__doc__)
    parser.add_argument("--pairs", type=int, default=100_000)
    arguments = parser.parse_args()
    found = sum(map(compare, range(arguments.pairs // BLOCK)), Counter[str]())
    for name, count in sorted(found.items()):
        print(f"{name:<32} {count:>9,}")
    return int(found["different"] > 0)


def compare(seed: int) -> Counter[str]:
    """Compare the two on a block of pairs; print the pairs on which they differ, and return the counts."""
    rng = random.Random(seed)
    found: Counter[str] = Counter(pairs=BLOCK)
    for _ in range(BLOCK):
        pair = lines(rng)
        gold, predicted = (reference_evalb.read(line) for line in pair)
        try:
            ours = tuple(map(int, astuple(score_lines(*map(read_line, pair)))))
        except ValueError:
            ours = ()
        if gold is None or predicted is None:
            found["unreadable, refused" if not ours else "unreadable, read"] += 1
            continue
        expected = reference_evalb.counts(gold, predicted)
        found[("valid", "error", "skipped")[expected[1]]] += 1
        if ours != expected:
            found["different"] += 1
            if found["different"] > SHOWN:
                continue
            print(f"{pair[0]!r}\n{pair[1]!r}\n  expected {expected}, found {ours}")
    return found


def lines(rng: random.Random) -> tuple[str, str]:
    """Return a gold line and a predicted one, mostly of the same words."""
    words = [(rng.choice(TAGS), rng.choice(WORDS)) for _ in range(rng.randint(0, 7))]
    others = [
        (tag if rng.random() < 0.95 else rng.choice(TAGS), word if rng.random() < 0.99 else rng.choice(WORDS))
        for tag, word in words
    ]
    return damaged(tree(rng, words), rng), damaged(tree(rng, others), rng)


def tree(rng: random.Random, words: Words, depth: int = 0) -> str:
    """Return a random tree over the words, in brackets; without a word, seldom one that EVALB reads as a word."""
    if not words and rng.random() < 0.95:
        return f"({rng.choice(LABELS)})"
    if depth > 5 or (len(words) <= 1 and rng.random() < 0.6):
        terminals = "".join(f"{space(rng)}({tag}{rng.choice(SPACES)}{word})" for tag, word in words)
        return terminals if rng.random() < 0.9 else f"({rng.choice(LABELS)}){terminals}"
    cut = rng.randint(0, len(words))
    parts = [words[:cut], words[cut:]] if rng.random() < 0.7 else [words]
    inner = "".join(rng.choice(SPACES) + tree(rng, part, depth + 1) for part in parts)
    return f"({rng.choice(LABELS)}{inner}{space(rng)})"


def space(rng: random.Random) -> str:
    return rng.choice(["", rng.choice(SPACES)])


def damaged(line: str, rng: random.Random) -> str:
    """Return the line, or now and then another or what a few edits leave of it."""
    chance = rng.random()
    if chance < 0.93:
        return line
    if chance < 0.97:
        return rng.choice(FRAGMENTS)
    characters = list(line)
    for _ in range(rng.randint(1, 3)):
        place = rng.randint(0, len(characters))
        characters[place : place + rng.randint(0, 1)] = rng.choice(["", "(", ")", " ", "a"])
    return "".join(characters)


if __name__ == "__main__":
    sys.exit(main())
