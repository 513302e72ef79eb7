"""Collect the symbols of linearised trees into a vocabulary."""

from pathlib import Path

from transformer.common.arguments import argument_parser
from transformer.common.errors import run_script
from transformer.subwords.subwords import load_subwords
from transformer.subwords.vocabularies import learn_symbols


def main() -> None:
    parser = argument_parser(__doc__)
    parser.add_argument("files", nargs="+", type=Path, help="files with one linearised tree per line")
    parser.add_argument(
        "--shared-with",
        type=Path,
        help="a subword model; the ids of the symbols then follow its own, in one vocabulary",
    )
    parser.add_argument("--tagged", type=Path, help="the sentences, one per line, each word after its tag")
    parser.add_argument("--output", type=Path, required=True, help="the JSON file to write")
    arguments = parser.parse_args()
    learn_symbols(
        arguments.files,
        arguments.output,
        load_subwords(arguments.shared_with) if arguments.shared_with else None,
        arguments.tagged,
    )


if __name__ == "__main__":
    run_script(main)
