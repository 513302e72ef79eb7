"""Join the sources of a split into its two sides, one sentence per line, and count the pairs of each source."""

import sys
from pathlib import Path

from transformer.common.arguments import argument_parser
from transformer.common.errors import run_script
from transformer.common.project import SCHEMAS, config_file
from transformer.corpus.extraction import Part, extract
from transformer.corpus.registry import verify

SCHEMA = SCHEMAS / "sources.schema.yaml"


def main() -> None:
    parser = argument_parser(__doc__)
    parser.add_argument("--names", nargs="+", required=True, help="names of the sources, in order")
    parser.add_argument(
        "--source", nargs="+", type=Path, required=True, help="their files: text or .sgm, plain or .gz"
    )
    parser.add_argument("--target", nargs="+", type=Path, required=True, help="likewise for the target side")
    parser.add_argument("--output-source", type=Path, required=True)
    parser.add_argument("--output-target", type=Path, required=True)
    parser.add_argument("--registry", type=Path, default=config_file("sources.yaml"))
    parser.add_argument(
        "--downloads",
        type=Path,
        help="folder whose files are checked against the registry (default: no check)",
    )
    arguments = parser.parse_args()
    if not len(arguments.names) == len(arguments.source) == len(arguments.target):
        parser.error("--names, --source and --target need the same number of values")

    if arguments.downloads:
        files = [*arguments.source, *arguments.target]
        verify(files, arguments.downloads, arguments.registry, SCHEMA)
    parts = [Part(*part) for part in zip(arguments.names, arguments.source, arguments.target, strict=True)]
    for name, count in extract(parts, (arguments.output_source, arguments.output_target)).items():
        print(f"{name}: {count:,} pairs", file=sys.stderr)


if __name__ == "__main__":
    run_script(main)
