"""Split raw English, one sentence per line, into words as the Penn Treebank does.

    python src/transformer/parsing/tokenize_penn.py --input newstest2013.en.gz train.en --output words.txt

*Can't (he) go?* is *Ca n't -LRB- he -RRB- go ?*  The inputs, compressed or not, are read one after the other.  Lines
without a word are left out, and so are lines with a control character, and those that would be too long for the parser,
which otherwise would say so only once it is trained.
"""

import itertools
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from nltk.tokenize import TreebankWordTokenizer

from transformer.common.arguments import Output, argument_parser, at_least
from transformer.common.errors import UserError, run_script
from transformer.common.files import atomic_writer
from transformer.common.notes import say
from transformer.corpus.cleaning import WRONG, odd_kinds
from transformer.corpus.registry import verify_downloads
from transformer.corpus.report import odd_notes
from transformer.corpus.text import Odd, read_text

_ASCII = str.maketrans(
    {
        **dict.fromkeys("“”„«»″", '"'),
        **dict.fromkeys("‘’‚´′", "'"),
        **dict.fromkeys("–—", "--"),
        "…": "...",
        "/": r"\/",  # the treebank escapes slash and asterisk
        "*": r"\*",
    }
)
_OPENING_QUOTE = re.compile(
    r"(?<!\S)'(?=\w)(?!(?:\d0s|em|til|tis|twas|cause|n|s|m|d|ll|re|ve)\b)", re.IGNORECASE
)
_tokenizer = TreebankWordTokenizer()


def main() -> None:
    parser = argument_parser(__doc__)
    parser.add_argument("--input", type=Path, nargs="*", required=True, help="raw text")
    parser.add_argument(
        "--skip", type=at_least(0), default=0, help="lines to skip at the start of each input (0)"
    )
    parser.add_argument("--most", type=at_least(1), help="lines to take from each input after those (all)")
    parser.add_argument(
        "--output", type=Output, required=True, help="file for one tokenized sentence per line"
    )
    parser.add_argument("--downloads", type=Path, help="folder whose files are checked against the registry")
    arguments = parser.parse_args()
    if not arguments.input:
        raise UserError(
            "silver_text: not set; give a file of raw English, one sentence per line, with --config silver_text=FILE, "
            "or silver trees with --config silver_trees=FILE"
        )
    verify_downloads(arguments.input, arguments.downloads)
    with atomic_writer(arguments.output) as file:
        written = 0
        for path in arguments.input:
            for words in sentences(path, arguments.skip, arguments.most):
                file.write(" ".join(words) + "\n")
                written += 1
        if not written:
            raise UserError(
                f"{arguments.input[0]}: no line with a word after the first {arguments.skip:,}, nor in the files after "
                "it; at a scale of the grammar, raise grammar.train or lower parsing.sentences"
            )
    print(f"{written:,} sentences", file=sys.stderr)


def sentences(path: Path, skip: int, most: int | None) -> Iterator[list[str]]:
    """Yield the words of each sentence in ``most`` lines of a file after ``skip`` lines, and then say what was odd."""
    odd, size, left_out = Odd(), 0, 0
    lines = read_text(path, odd)
    for size, line in enumerate(itertools.islice(lines, skip, most and skip + most), start=1):
        kinds = odd_kinds(line.strip(), is_set=True)
        for kind in kinds:
            odd.add(kind, "both", skip + size)
        if WRONG.isdisjoint(kinds):
            yield penn_words(line.strip())
        else:
            left_out += 1
    if left_out:
        say(
            f"{path}: {left_out:,} of {size:,} lines are left out: empty, too long, or with a control character"
        )
    for said in odd_notes(odd, path, size):
        say(said)
    if next(lines, None) is not None:
        say(f"{path}: what follows line {skip + size:,} is not read (parsing.silver.sentences of the scale)")
    elif most is not None and size < most:
        say(
            f"{path} has {size:,} lines after line {skip:,}; {most:,} are asked for (parsing.silver.sentences of the "
            "scale)"
        )


def penn_words(text: str) -> list[str]:
    """Return the words of one sentence as the treebank writes them, brackets included: ``(`` is ``-LRB-``.

    NLTK's tokenizer has the rules of the treebank's own (MacIntyre's tokenizer.sed): it takes one sentence at a time,
    and only the last full stop is a word.  Typographic quotes and dashes are written in ASCII first, and a quote that
    opens a word is distinguished from an apostrophe.

    >>> penn_words("The dog's owners can't (really) pay $3,000.")
    ['The', 'dog', "'s", 'owners', 'ca', "n't", '-LRB-', 'really', '-RRB-', 'pay', '$', '3,000', '.']
    """
    text = _OPENING_QUOTE.sub("` ", text.translate(_ASCII))
    return [str(word) for word in _tokenizer.tokenize(text, convert_parentheses=True)]


if __name__ == "__main__":
    run_script(main)
