"""Download one file of the registry, from a mirror or its public address, and verify it."""

import argparse
from pathlib import Path

from transformer.corpus.download import download
from transformer.corpus.registry import load_registry
from transformer.errors import UserError, run_script

SCHEMA = Path(__file__).parents[1] / "workflow" / "schemas" / "sources.schema.yaml"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--registry", type=Path, default=Path("config/sources.yaml"))
    parser.add_argument("--file", required=True, help="path in the registry")
    parser.add_argument("--mirror", default="", help="folder or base URL, tried first; empty for none")
    parser.add_argument("--output", type=Path, required=True)
    arguments = parser.parse_args()

    files = load_registry(arguments.registry, SCHEMA)
    if arguments.file not in files:
        raise UserError(f"{arguments.registry}: no file {arguments.file}; there are {', '.join(files)}")
    download(files[arguments.file], arguments.output, arguments.mirror)


if __name__ == "__main__":
    run_script(main)
