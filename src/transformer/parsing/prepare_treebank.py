"""Prepare a treebank for parsing: one tree per line, without empty elements and function tags, inside TOP."""

import argparse
import itertools
import re
import sys
from pathlib import Path

from transformer.common.arguments import argument_parser
from transformer.common.errors import UserError, run_script
from transformer.common.files import atomic_writer
from transformer.parsing.treebank import (
    LONGEST_SENTENCE,
    WHERE_FROM,
    check_distinct,
    prepare,
    read_treebank,
    wsj_files,
)
from transformer.parsing.trees import write_tree


def main() -> None:
    arguments = parse_arguments()
    files = arguments.files
    check_distinct(files)
    if arguments.sections:
        if not arguments.wsj:
            raise UserError(f"treebank: not set; {WHERE_FROM}")
        first, _, last = arguments.sections.partition("-")
        files = wsj_files(Path(arguments.wsj), range(int(first), int(last or first) + 1))
    longest = LONGEST_SENTENCE if arguments.held_out else None
    trees = (prepare(tree) for path in files for tree in read_treebank(path, longest))
    prepared = (tree for tree in trees if tree is not None)
    count = 0
    with atomic_writer(arguments.output) as file:
        for tree in itertools.islice(prepared, arguments.most or None):
            file.write(write_tree(tree) + "\n")
            count += 1
        if not count:
            raise UserError(f"{files[0]}: no tree with a word, nor in the files after it")
    print(f"{count:,} trees", file=sys.stderr)


def parse_arguments() -> argparse.Namespace:
    parser = argument_parser(__doc__)
    parser.add_argument("files", nargs="*", type=Path, help="treebank files, in the order of reading")
    parser.add_argument("--wsj", help="the folder of the Wall Street Journal treebank, instead of files")
    parser.add_argument("--sections", help="the sections of --wsj to read, e.g. 22 or 2-21")
    parser.add_argument("--most", type=int, default=0, help="number of trees to take (default: all)")
    parser.add_argument(
        "--held-out", action="store_true", help="for development and test sets: no sentence may be too long"
    )
    parser.add_argument("--output", type=Path, required=True)
    arguments = parser.parse_args()
    if bool(arguments.files) == bool(arguments.sections):
        parser.error("give either files or --wsj and --sections")
    if arguments.sections and not re.fullmatch(r"[0-9]{1,2}(-[0-9]{1,2})?", arguments.sections):
        parser.error(f"--sections {arguments.sections[:20]}: give a number or two, e.g. 22 or 2-21")
    return arguments


if __name__ == "__main__":
    run_script(main)
