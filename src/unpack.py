"""Unpack the members that the project uses from a downloaded tar or zip archive, in one pass."""

import argparse
from pathlib import Path

from transformer.corpus.archives import unpack
from transformer.errors import run_script


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--input", type=Path, required=True)
    parser.add_argument("--members", nargs="+", required=True)
    parser.add_argument("--output", type=Path, required=True, help="folder; replaced when it is there")
    arguments = parser.parse_args()
    unpack(arguments.input, arguments.output, arguments.members)


if __name__ == "__main__":
    run_script(main)
