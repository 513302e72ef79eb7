"""Cut a development set, a test set or both out of the training text; the same text always gives the same sets.

    python src/transformer/corpus/hold_out.py --pair de-en --source train.de --target train.en \\
        --sizes dev=default test=500 --output-dir held_out

This writes both sides of each set, and of the rest as `train`, to the output folder.
"""

import argparse
import re
import sys
from pathlib import Path

from transformer.common.arguments import argument_parser, language_pair
from transformer.common.errors import run_script
from transformer.corpus.holding_out import hold_out


def main() -> None:
    parser = argument_parser(__doc__)
    parser.add_argument("--pair", type=language_pair, required=True, help="the language pair, e.g. de-en")
    parser.add_argument("--source", type=Path, required=True, help="the text, one sentence per line")
    parser.add_argument("--target", type=Path, required=True, help="its translation, line by line")
    about = "dev or test, and its number of pairs or `default`"
    parser.add_argument(
        "--sizes", type=size_of_split, nargs="+", required=True, metavar="SPLIT=N", help=about
    )
    parser.add_argument("--output-dir", type=Path, required=True)
    arguments = parser.parse_args()
    sizes = dict(arguments.sizes)
    source, target = arguments.pair
    outputs = {
        split: (arguments.output_dir / f"{split}.{source}", arguments.output_dir / f"{split}.{target}")
        for split in ("train", *sizes)
    }
    counts = hold_out((arguments.source, arguments.target), sizes, arguments.pair, outputs)
    left_out = counts.pop("left_out")
    for split, count in counts.items():
        print(f"{split}: {count:,} pairs", file=sys.stderr)
    print(
        f"left out of training, with a sentence of {' or '.join(sizes)}: {left_out:,} pairs", file=sys.stderr
    )


def size_of_split(text: str) -> tuple[str, int | None]:
    """Return a split and its number of pairs, None for the default.  Raises ArgumentTypeError for anything else."""
    match = re.fullmatch("(dev|test)=(default|[1-9][0-9]*)", text)
    if match is None:
        raise argparse.ArgumentTypeError(f"{text!r} is no size; give one like dev=1000 or test=default")
    return match[1], None if match[2] == "default" else int(match[2])


if __name__ == "__main__":
    run_script(main)
