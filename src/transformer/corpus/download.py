"""Download one file of the registry, from a mirror or its public address, and verify it.

If a file has no sha256 in the registry, the lock file of the registry (sources.lock.yaml for sources.yaml) records its
first download, and every later download must be the same.
"""

import sys
from pathlib import Path

from transformer.common.arguments import argument_parser
from transformer.common.errors import UserError, run_script
from transformer.common.project import SCHEMAS, config_file
from transformer.corpus.downloading import download
from transformer.corpus.registry import apply_locks, load_registry, lock_of, record

SCHEMA = SCHEMAS / "sources.schema.yaml"


def main() -> None:
    parser = argument_parser(__doc__)
    parser.add_argument("--registry", type=Path, default=config_file("sources.yaml"))
    parser.add_argument("--file", required=True, help="path in the registry")
    parser.add_argument("--mirror", default="", help="folder or base URL to try first (default: none)")
    parser.add_argument("--output", type=Path, required=True)
    arguments = parser.parse_args()

    files = load_registry(arguments.registry, SCHEMA)
    if arguments.file not in files:
        raise UserError(f"{arguments.registry}: no file {arguments.file}; there are {', '.join(files)}")
    file = apply_locks(files[arguments.file], arguments.registry)
    download(file, arguments.output, arguments.mirror)
    if file.sha256 is None:
        lock = lock_of(arguments.registry)
        file = record(file, arguments.output, lock)
        print(
            f"{file.path}: no checksum is published, so this first download is trusted: sha256 {file.sha256}, "
            f"{file.size:,} bytes, recorded in {lock}; commit that file, since later downloads are checked against it",
            file=sys.stderr,
        )


if __name__ == "__main__":
    run_script(main)
