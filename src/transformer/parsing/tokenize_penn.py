"""Split raw English, one sentence per line, into words as the Penn Treebank does.

    python src/transformer/parsing/tokenize_penn.py --input newstest2013.en.gz train.en --output words.txt

The inputs are read one after the other; those whose names end in .gz are decompressed.  Lines without a word are left
out, and so are lines that would be too long for the parser, which otherwise would say so only once it is trained.
"""

import itertools
import sys
from pathlib import Path

from transformer.common.arguments import argument_parser
from transformer.common.errors import UserError, run_script
from transformer.common.files import atomic_writer
from transformer.common.lines import without_mark
from transformer.common.project import resource_file
from transformer.corpus.clean import LONGEST_LINE, is_long
from transformer.corpus.pairs import read_side
from transformer.corpus.registry import verify
from transformer.parsing.penn_tokenizer import penn_words


def main() -> None:
    parser = argument_parser(__doc__)
    parser.add_argument(
        "--input", type=Path, nargs="*", required=True, help="raw text, one sentence per line"
    )
    parser.add_argument("--skip", type=int, default=0, help="lines to skip at the start of each input (0)")
    parser.add_argument("--most", type=int, help="lines to take from each input after those (all)")
    parser.add_argument("--output", type=Path, required=True, help="file for one tokenized sentence per line")
    parser.add_argument("--registry", type=Path, default=resource_file("sources.yaml"))
    parser.add_argument(
        "--downloads",
        type=Path,
        help="folder whose files are checked against the registry (default: no check)",
    )
    arguments = parser.parse_args()
    if not arguments.input:
        raise UserError(
            "silver_text: not set; give a file of raw English, one sentence per line, with --config silver_text=FILE, "
            "or silver trees with --config silver_trees=FILE"
        )
    if arguments.downloads:
        verify(arguments.input, arguments.downloads, arguments.registry)
    written = blank = long = 0
    with atomic_writer(arguments.output) as file:
        for path in arguments.input:
            end = None if arguments.most is None else arguments.skip + arguments.most
            for line in itertools.islice(without_mark(read_side(path)), arguments.skip, end):
                if is_long(line):
                    long += 1
                elif words := penn_words(line):
                    file.write(" ".join(words) + "\n")
                    written += 1
                else:
                    blank += 1
        if not written and arguments.skip:
            raise UserError(
                f"{arguments.input[0]}: no line with a word after the first {arguments.skip:,}, whose trees are the "
                "treebank; raise grammar.train in the scale's file, or lower parsing.sentences"
            )
        if not written:
            raise UserError(f"{arguments.input[0]}: no line with a word, nor in the files after it")
    print(
        f"{written:,} sentences; left out: {blank:,} blank lines, {long:,} of more than {LONGEST_LINE:,} bytes",
        file=sys.stderr,
    )


if __name__ == "__main__":
    run_script(main)
