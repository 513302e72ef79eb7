"""Parse text with a trained model: one sentence per line, with spaces between the words as in the treebank.

    python src/parsing/parse.py --model R/averaged --subwords S/subwords.model --symbols S/symbols.json \\
        --input F --output F
    echo 'The dog runs .' | python src/parsing/parse.py --model R/averaged --subwords … --symbols …

A model that was trained on tagged words reads each word after its tag: `DT The NN dog`.  The output is one bracketed
tree per line.  At a terminal each line is parsed as soon as it is typed.
"""

import argparse
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import get_args

from transformer.common.arguments import argument_parser
from transformer.common.errors import run_script
from transformer.common.json_artifacts import write_artifact
from transformer.common.lines import transform_lines
from transformer.decoding.beam_search import BeamConfig
from transformer.decoding.options import add_beam_options, chosen_beam
from transformer.inference.trained_model import default_batch_tokens, read_model
from transformer.inference.trained_parser import parse_sentences
from transformer.model.device import default_device
from transformer.model.precision import Precision
from transformer.parsing.trees import write_tree


def main() -> None:
    arguments = parse_arguments()
    trained = read_model(
        arguments.model,
        arguments.subwords,
        chosen_beam(arguments),
        arguments.symbols,
        arguments.batch_tokens,
        arguments.precision,
    )
    counts = {"sentences": 0, "malformed": 0}

    def parse_lines(lines: list[str], first: int, done: Callable[[int], None]) -> Iterator[str]:
        for parsed in parse_sentences(trained, lines, first, done, not arguments.unconstrained):
            counts["sentences"] += 1
            counts["malformed"] += not parsed.well_formed
            yield write_tree(parsed.tree)

    transform_lines(parse_lines, arguments.input, arguments.output, "parsing")
    if arguments.report:
        constrained = not arguments.unconstrained
        write_artifact(arguments.report, {**trained.decoding(), "constrained": constrained, **counts})


def parse_arguments() -> argparse.Namespace:
    parser = argument_parser(__doc__)
    parser.add_argument("--model", type=Path, required=True, help="folder of model.safetensors and .json")
    parser.add_argument("--subwords", type=Path, required=True, help="the model's vocabulary of words")
    parser.add_argument("--symbols", type=Path, required=True, help="the model's vocabulary of tree symbols")
    parser.add_argument("--input", type=Path, help="file to parse (default: standard input)")
    parser.add_argument("--output", type=Path, help="file to write (default: standard output)")
    parser.add_argument("--report", type=Path, help="JSON file: search, sentences, malformed outputs")
    parser.add_argument(
        "--unconstrained",
        action="store_true",
        help="allow any output, as in the paper, and repair outputs that are not trees",
    )
    add_beam_options(parser, BeamConfig(beam_size=21, alpha=0.3, max_extra_tokens=300))
    parser.add_argument(
        "--batch-tokens",
        type=int,
        default=default_batch_tokens(default_device(), parser=True),
        help="limit on source tokens times beam size in a batch (16384 on a CPU, 262144 on a GPU)",
    )
    parser.add_argument("--precision", choices=get_args(Precision), default="auto")
    return parser.parse_args()


if __name__ == "__main__":
    run_script(main)
