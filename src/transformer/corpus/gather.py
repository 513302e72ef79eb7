"""Join the user's own files of a split into its two sides, one sentence per line."""

import sys
from pathlib import Path

from transformer.common.arguments import argument_parser
from transformer.common.errors import run_script
from transformer.corpus.own_text import OwnPart, gather


def main() -> None:
    parser = argument_parser(__doc__)
    about = "the files of the source side: text or .sgm, plain or .gz"
    parser.add_argument("--source", nargs="+", type=Path, required=True, help=about)
    parser.add_argument("--target", nargs="+", type=Path, required=True, help="likewise for the target side")
    about = "for each file, 0 or the column to read, from 1; both sides are then columns of one file"
    parser.add_argument("--source-columns", nargs="+", type=int, required=True, help=about)
    parser.add_argument(
        "--target-columns", nargs="+", type=int, required=True, help="likewise for the target side"
    )
    parser.add_argument("--output-source", type=Path, required=True)
    parser.add_argument("--output-target", type=Path, required=True)
    arguments = parser.parse_args()
    given = (arguments.source, arguments.target, arguments.source_columns, arguments.target_columns)
    if len({len(values) for values in given}) > 1:
        parser.error("--source, --target and both --…-columns need the same number of values")
    parts = [
        OwnPart(source, target, (first, second) if first else None)
        for source, target, first, second in zip(*given, strict=True)
    ]
    counts = gather(parts, (arguments.output_source, arguments.output_target))
    for part, count in zip(parts, counts, strict=True):
        print(f"{part.source}: {count:,} pairs", file=sys.stderr)


if __name__ == "__main__":
    run_script(main)
