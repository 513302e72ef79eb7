"""Parse text, one sentence a line, its words separated by spaces as in the treebank, with a trained model.

    python src/parsing/parse.py --model R/averaged --subwords S/subwords.model --symbols S/symbols.json \\
        --input F --output F
    echo 'The dog runs .' | python src/parsing/parse.py --model R/averaged --subwords … --symbols …

A model that was trained on tagged words reads each word behind its tag: `DT The NN dog`.  Writes one bracketed tree a
line.  At a terminal each line is parsed as soon as it is typed.
"""

import argparse
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import get_args

from transformer.common.errors import UserError, run_script
from transformer.common.files import write_json
from transformer.common.lines import check_lengths, transform_lines
from transformer.decoding.beam_search import BeamConfig
from transformer.decoding.options import add_beam_options, chosen_beam
from transformer.model.device import default_device
from transformer.model.precision import Precision
from transformer.model.storage import load_model
from transformer.parsing.parser import parse
from transformer.parsing.trees import write_tree
from transformer.parsing.vocabularies import Symbols, TaggedWords, load_vocabularies

BRACKETS = str.maketrans({"(": "-LRB-", ")": "-RRB-"})  # as the treebank writes them


def main() -> None:
    arguments = parse_arguments()
    beam = chosen_beam(arguments)
    if beam.max_extra_tokens < 2:
        raise UserError(
            f"max_extra_tokens is {beam.max_extra_tokens}; a tree has at least two symbols more than its words, so it must be 2"
        )
    device = default_device()
    vocabularies = load_vocabularies(arguments.subwords, arguments.symbols)
    symbols = vocabularies.target
    assert isinstance(symbols, Symbols)
    model, _ = load_model(arguments.model, device, vocabularies.sha256)
    tagged = isinstance(vocabularies.source, TaggedWords)
    counts = {"sentences": 0, "malformed": 0}

    def parse_lines(lines: list[str], first: int, done: Callable[[int], None]) -> Iterator[str]:
        lines = [" ".join(line.translate(BRACKETS).split()) for line in lines]
        sentences = [words_of(line, number, tagged) for number, line in enumerate(lines, start=first)]
        sources = vocabularies.source.encode_batch(lines)
        check_lengths(sources, first, arguments.batch_tokens // arguments.beam_size)
        constrained, precision = not arguments.unconstrained, arguments.precision
        for parsed in parse(
            model, symbols, sources, sentences, beam, arguments.batch_tokens, constrained, precision, done
        ):
            counts["sentences"] += 1
            counts["malformed"] += not parsed.well_formed
            yield write_tree(parsed.tree)

    transform_lines(parse_lines, arguments.input, arguments.output, "parsing")
    if arguments.report:
        write_json(arguments.report, counts)


def words_of(line: str, number: int, tagged: bool) -> list[str]:
    """The words of a line in which, with ``tagged``, each stands behind its tag."""
    tokens = line.split()
    if not tokens:
        raise UserError(f"line {number} of the input has no word; a sentence without words has no tree")
    if tagged and len(tokens) % 2:
        raise UserError(
            f"line {number} of the input has {len(tokens)} tokens; this model reads each word behind its tag: "
            "DT The NN dog"
        )
    return tokens[1::2] if tagged else tokens


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--model", type=Path, required=True, help="folder with model.safetensors and model.json"
    )
    parser.add_argument(
        "--subwords", type=Path, required=True, help="the words' vocabulary it was trained with"
    )
    parser.add_argument(
        "--symbols", type=Path, required=True, help="the trees' vocabulary it was trained with"
    )
    parser.add_argument("--input", type=Path, help="file to parse (default: standard input)")
    parser.add_argument("--output", type=Path, help="file to write (default: standard output)")
    parser.add_argument(
        "--report", type=Path, help="JSON file to write: how many sentences, how many malformed"
    )
    parser.add_argument(
        "--unconstrained",
        action="store_true",
        help="let the model say anything, as in the paper, and repair what is no tree",
    )
    add_beam_options(parser, BeamConfig(beam_size=21, alpha=0.3, max_extra_tokens=300))
    parser.add_argument(
        "--batch-tokens", type=int, default=16384, help="source tokens times beam in a batch (16384)"
    )
    parser.add_argument("--precision", choices=get_args(Precision), default="auto")
    return parser.parse_args()


if __name__ == "__main__":
    run_script(main)
