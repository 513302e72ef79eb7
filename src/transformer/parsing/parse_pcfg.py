"""Parse text with a treebank's grammar: one sentence per line, with spaces between the words as in the treebank.

    python src/transformer/parsing/parse_pcfg.py --grammar grammar.json --input words.txt --output parsed.trees

The output is one bracketed tree per line.  A sentence that the grammar does not derive, or that has more words than the
chart takes, becomes a flat tree, with all words directly below the root.  The trees are the same for any number
of processes.
"""

import argparse
import sys
from collections.abc import Iterable, Iterator
from functools import cache, partial
from itertools import chain
from pathlib import Path

from transformer.common.arguments import argument_parser
from transformer.common.errors import UserError, run_script
from transformer.common.files import atomic_writer, read_lines
from transformer.common.parallel import blocks, ordered_map
from transformer.common.progress import Progress
from transformer.parsing.pcfg.chart import ChartParser
from transformer.parsing.pcfg.grammar import Grammar
from transformer.parsing.trees import write_tree
from transformer.subwords.symbols import read_sentence

BLOCK = 50  # sentences parsed at once


@cache  # each process reads it once
def parser_of(grammar: Path) -> ChartParser:
    return ChartParser(Grammar.load(grammar))


def main() -> None:
    arguments = parse_arguments()
    parser_of(arguments.grammar)  # an error in the grammar ends the script before any work
    sentences = read_sentences(arguments.input)
    written = flat = 0
    with atomic_writer(arguments.output) as file, Progress(None, " sentences", "parsing") as progress:
        work = ordered_map(
            partial(parse_block, arguments.grammar), blocks(sentences, BLOCK), arguments.processes
        )
        for tree, derived in chain.from_iterable(work):
            file.write(tree + "\n")
            written += 1
            flat += not derived
            progress.update(1)
        if not written:
            raise UserError(f"{arguments.input}: the file is empty; expected one sentence per line")
    print(f"{written:,} trees, {flat:,} of them flat", file=sys.stderr)


def read_sentences(path: Path) -> Iterator[list[str]]:
    """Stream the words of each line.  Raises UserError with file and line."""
    for number, line in enumerate(read_lines(path), start=1):
        where = f"{path}, line {number}"
        if "(" in line or ")" in line:
            raise UserError(
                f"{where}: a bracket; the treebank writes -LRB- and -RRB-, as tokenize_penn.py does"
            )
        yield read_sentence(line, False, where)


def parse_block(grammar: Path, sentences: Iterable[list[str]]) -> list[tuple[str, bool]]:
    """Return the tree of each sentence as text, and whether the grammar derives the sentence."""
    parser = parser_of(grammar)
    parsed = []
    for words in sentences:
        tree = parser.parse(words)
        parsed.append((write_tree(tree or parser.flat_tree(words)), tree is not None))
    return parsed


def parse_arguments() -> argparse.Namespace:
    parser = argument_parser(__doc__)
    parser.add_argument("--grammar", type=Path, required=True, help="made by train_pcfg.py")
    parser.add_argument("--input", type=Path, required=True, help="sentences, one per line, words spaced")
    parser.add_argument("--output", type=Path, required=True, help="file for the trees")
    parser.add_argument("--processes", type=int, default=1, help="number of processes (1)")
    return parser.parse_args()


if __name__ == "__main__":
    run_script(main)
