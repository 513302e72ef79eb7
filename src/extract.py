"""Unpack a downloaded .gz to a file, or a tar or zip archive to a folder."""

import argparse
from pathlib import Path

from transformer.corpus.archives import unpack
from transformer.errors import run_script


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--input", type=Path, required=True)
    parser.add_argument("--output", type=Path, required=True, help="file for .gz, folder for tar and zip")
    arguments = parser.parse_args()
    unpack(arguments.input, arguments.output)


if __name__ == "__main__":
    run_script(main)
