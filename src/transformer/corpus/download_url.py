"""Download a file that a scale names by its URL, and check it against its first download.

The lock file (config/sources.lock.yaml) records the checksum of the first download, and every later one must match.
"""

import sys
from pathlib import Path

from transformer.common.arguments import argument_parser
from transformer.common.errors import run_script
from transformer.common.project import config_file
from transformer.corpus.downloading import download
from transformer.corpus.registry import RegisteredFile, apply_locks, lock_of, record


def main() -> None:
    parser = argument_parser(__doc__)
    parser.add_argument("--url", required=True)
    parser.add_argument("--path", required=True, help="what a mirror and the lock file call the file")
    parser.add_argument("--mirror", default="", help="folder or base URL to try first (default: none)")
    parser.add_argument("--registry", type=Path, default=config_file("sources.yaml"))
    parser.add_argument("--output", type=Path, required=True)
    arguments = parser.parse_args()
    file = apply_locks(RegisteredFile(arguments.path, arguments.url), arguments.registry)
    download(file, arguments.output, arguments.mirror)
    if file.sha256 is None:
        lock = lock_of(arguments.registry)
        file = record(file, arguments.output, lock)
        print(
            f"{file.path}: this first download is trusted: sha256 {file.sha256}, {file.size:,} bytes, "
            f"recorded in {lock}",
            file=sys.stderr,
        )


if __name__ == "__main__":
    run_script(main)
