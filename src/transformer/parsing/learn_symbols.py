"""Collect the symbols of linearised trees into a vocabulary."""

from collections.abc import Iterable
from pathlib import Path

from transformer.common.arguments import Output, argument_parser
from transformer.common.errors import UserError, run_script
from transformer.common.files import read_lines, write_json
from transformer.common.special_tokens import SPECIAL_IDS
from transformer.subwords.subwords import Subwords, load_subwords
from transformer.subwords.symbols import split


def main() -> None:
    parser = argument_parser(__doc__)
    parser.add_argument("files", nargs="+", type=Path, help="files with one linearised tree per line")
    about = "a subword model; the ids of the symbols then follow its own, in one vocabulary"
    parser.add_argument("--shared-with", type=Path, help=about)
    parser.add_argument("--tagged", type=Path, help="the sentences, one per line, each word after its tag")
    parser.add_argument("--output", type=Output, required=True, help="the JSON file to write")
    arguments = parser.parse_args()
    shared_with = load_subwords(arguments.shared_with) if arguments.shared_with else None
    learn_symbols(arguments.files, arguments.output, shared_with, arguments.tagged)


def learn_symbols(
    files: Iterable[Path], output: Path, shared_with: Subwords | None = None, tagged: Path | None = None
) -> None:
    """Write the vocabulary of all symbols in ``files`` (one tree a line) as JSON; ids follow those of ``shared_with``.

    The file also has the tags of ``tagged``, a file of sentences with each word after its tag.
    """
    symbols = sorted({symbol for file in files for line in read_lines(file) for symbol in split(line)})
    if not symbols:
        raise UserError(f"{', '.join(map(str, files))}: no symbol found; expected one linearised tree a line")
    tags = sorted({tag for line in read_lines(tagged) for tag in split(line)[::2]}) if tagged else []
    first_id = shared_with.vocab_size + len(tags) if shared_with else len(SPECIAL_IDS)
    write_json(output, {"format": 2, "first_id": first_id, "symbols": symbols, "tags": tags})


if __name__ == "__main__":
    run_script(main)
