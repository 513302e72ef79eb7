"""Unpack some members of a downloaded tar or zip archive in one pass."""

from pathlib import Path

from transformer.common.arguments import argument_parser
from transformer.common.errors import run_script
from transformer.common.project import resource_file
from transformer.corpus.archives import unpack
from transformer.corpus.registry import verify


def main() -> None:
    parser = argument_parser(__doc__)
    parser.add_argument("--input", type=Path, required=True)
    parser.add_argument("--members", nargs="+", required=True)
    parser.add_argument("--output", type=Path, required=True, help="folder; an existing one is replaced")
    parser.add_argument("--registry", type=Path, default=resource_file("sources.yaml"))
    about = "folder whose files are checked against the registry (default: no check)"
    parser.add_argument("--downloads", type=Path, help=about)
    arguments = parser.parse_args()
    if arguments.downloads:
        verify([arguments.input], arguments.downloads, arguments.registry)
    unpack(arguments.input, arguments.output, arguments.members)


if __name__ == "__main__":
    run_script(main)
