"""Cut a development set, a test set or both out of the training text; the same text always gives the same sets.

    python src/transformer/corpus/hold_out.py --pair de-en --source raw/train.de --target raw/train.en \\
        --dev 0 --test 500 --output-dir held_out

The text is what `gather.py` has written, with its report, `raw/train.json`.  Both sides of each set, and of the rest as
`train`, are written to the output folder, each set with its report.

The choice depends on nothing but the sentences: those pairs are taken whose hash is smallest, and that share no
sentence with one before.  So it is the same for every seed, for any order of the lines, and in both directions of a
language pair, and a few more lines of text change it little.  No sentence of these sets, on either side, stays in the
training text.
"""

import heapq
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from typing import Any

from transformer.common.arguments import Output, argument_parser, at_least, check_outputs, language_pair
from transformer.common.errors import UserError, run_script
from transformer.common.files import read_json, write_json
from transformer.common.notes import say
from transformer.corpus.pairs import Pair, digest, pair_writer, read_pairs
from transformer.corpus.report import note

MOST, SHARE = 1000, 20  # by default, a set has 1000 pairs, or one in 20 if those are fewer
SPARE = 4  # candidates for each pair that is cut: some share a sentence with one before

Paths = tuple[Path, Path]  # source, target


def main() -> None:
    parser = argument_parser(__doc__)
    parser.add_argument("--pair", type=language_pair, required=True, help="the language pair, e.g. de-en")
    parser.add_argument("--source", type=Path, required=True, help="the text, one sentence per line")
    parser.add_argument("--target", type=Path, required=True, help="its translation, line by line")
    parser.add_argument("--dev", type=at_least(0), help="pairs of this set, 0 for the default (no set)")
    parser.add_argument("--test", type=at_least(0), help="likewise of the test set")
    parser.add_argument("--output-dir", type=Output, required=True)
    arguments = parser.parse_args()
    given = {"dev": arguments.dev, "test": arguments.test}
    sizes = {split: size for split, size in given.items() if size is not None}
    source, target = (
        {split: arguments.output_dir / f"{split}.{side}" for split in ("train", *sizes)}
        for side in arguments.pair
    )
    outputs = {split: (source[split], target[split]) for split in source}
    text = (arguments.source, arguments.target)
    check_outputs(text, [path for paths in outputs.values() for path in paths])
    counts = hold_out(text, sizes, arguments.pair, outputs)
    print(", ".join(f"{split}: {count:,} pairs" for split, count in counts.items()), file=sys.stderr)
    left_out = list(note("left_out", "pairs", counts["left_out"], sum(counts.values())))
    for said in left_out:
        say(said)
    report = read_json(arguments.source.with_suffix(".json"))
    # What is odd in the training text is odd in that of all sets.
    report |= {
        "kept": counts["train"],
        "left_out": counts["left_out"],
        "remarks": report["remarks"] + left_out,
    }
    report["held_out"] = sum(counts[split] for split in sizes)
    write_json(source["train"].with_suffix(".json"), report)
    for split in sizes:
        cut: dict[str, Any] = {"rules": None, "pairs": counts[split], "kept": counts[split], "dropped": {}}
        write_json(source[split].with_suffix(".json"), cut | {"remarks": [], "texts": []})


def hold_out(
    text: Paths, sizes: Mapping[str, int], languages: tuple[str, str], outputs: Mapping[str, Paths]
) -> dict[str, int]:
    """Split ``text`` into the sets that ``sizes`` names, the rest being ``train``; write them to ``outputs``.

    A size of 0 is the default.  ``languages`` (source, target) makes the choice the same in both directions.
    Return the number of pairs of each set, and of those ``left_out`` of training, which share a sentence with another.
    The memory depends on the sizes only.

    Raises UserError, and writes no output, when the text has too few different pairs, or none is left for training.
    """
    total = sum(1 for _ in read_pairs(*text))
    default = min(MOST, max(1, total // SHARE))
    wanted = {split: size or default for split, size in sizes.items()}
    distinct = _distinct(text, sum(wanted.values()), languages)
    chosen = {split: list(islice(distinct, size)) for split, size in wanted.items()}
    counts = {"train": 0, **{split: len(pairs) for split, pairs in chosen.items()}, "left_out": 0}
    held = [{pair[side] for pairs in chosen.values() for pair in pairs} for side in (0, 1)]
    with ExitStack() as stack:
        write = {split: stack.enter_context(pair_writer(*paths)) for split, paths in outputs.items()}
        for split, pairs in chosen.items():
            for pair in pairs:
                write[split](pair)
        for pair in read_pairs(*text):
            if pair[0] not in held[0] and pair[1] not in held[1]:
                counts["train"] += 1
                write["train"](pair)
        if any(counts[split] < size for split, size in {**wanted, "train": 1}.items()):
            cut = " and ".join(f"{count:,} for {split}" for split, count in wanted.items())
            raise UserError(
                f"{text[0]} and {text[1]}: {total:,} pairs are too few different ones to cut {cut} and to train on the "
                "rest; give files or smaller numbers"
            )
    return counts | {"left_out": total - sum(counts.values())}


def _distinct(text: Paths, most: int, languages: tuple[str, str]) -> Iterator[Pair]:
    """Yield pairs in the order of their hashes, but none that shares a sentence with one before it.

    Each time the text is read, at most ``most`` pairs are candidates; it is read again while some share a sentence.
    """
    is_reverse = languages[0] > languages[1]  # both directions have the same hashes
    seen: tuple[set[str], set[str]] = (set(), set())
    while True:
        keyed = (
            (digest((pair[1], pair[0]) if is_reverse else pair), pair)
            for pair in read_pairs(*text)
            if pair[0] not in seen[0] and pair[1] not in seen[1]
        )
        candidates = heapq.nsmallest(SPARE * most, keyed)
        if not candidates:
            return
        for _, pair in candidates:
            if pair[0] not in seen[0] and pair[1] not in seen[1]:
                yield pair
                seen[0].add(pair[0])
                seen[1].add(pair[1])


if __name__ == "__main__":
    run_script(main)
