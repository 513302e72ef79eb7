"""Prepare a treebank for parsing: one tree a line, without empty elements and function tags, inside TOP."""

import argparse
import sys
from pathlib import Path

from transformer.corpus.treebank import prepare, read_treebank
from transformer.corpus.trees import write_tree
from transformer.errors import UserError, run_script
from transformer.files import atomic_writer


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", type=Path, help="bracketed trees, in the order wanted")
    parser.add_argument("--output", type=Path, required=True)
    arguments = parser.parse_args()
    written = wordless = 0
    with atomic_writer(arguments.output) as file:
        for path in arguments.files:
            for tree in read_treebank(path):
                prepared = prepare(tree)
                if prepared is None:
                    wordless += 1
                else:
                    file.write(write_tree(prepared) + "\n")
                    written += 1
        if not written:
            raise UserError(f"{arguments.files[0]}: no tree with a word in it, nor in the files after it")
    print(f"{written:,} trees, and {wordless:,} without a word left out", file=sys.stderr)


if __name__ == "__main__":
    run_script(main)
