"""Translate text with a trained model, one sentence per line.

    python src/transformer/decoding/translate.py --model R/averaged --subwords D/subwords.model --input F --output F
    echo 'A dog runs.' | python src/transformer/decoding/translate.py --model R/averaged --subwords …

At a terminal, each line is translated as soon as it is typed.  An empty line stays empty.
"""

import argparse
from pathlib import Path

from transformer.common.arguments import argument_parser
from transformer.common.errors import run_script
from transformer.common.json_artifacts import write_artifact
from transformer.common.lines import transform_lines
from transformer.decoding.beam_search import BeamConfig
from transformer.decoding.options import add_beam_options, chosen_beam
from transformer.decoding.trained_model import TrainedModel


def main() -> None:
    arguments = parse_arguments()
    trained = TrainedModel.read(
        arguments.model,
        arguments.subwords,
        chosen_beam(arguments),
        batch_tokens=arguments.batch_tokens,
    )
    transform_lines(trained.translate, arguments.input, arguments.output, "translating")
    if arguments.report:
        write_artifact(arguments.report, trained.decoding())


def parse_arguments() -> argparse.Namespace:
    parser = argument_parser(__doc__)
    parser.add_argument("--model", type=Path, required=True, help="folder of model.safetensors and .json")
    parser.add_argument("--subwords", type=Path, required=True, help="the model's subword model")
    parser.add_argument("--input", type=Path, help="file to translate (default: standard input)")
    parser.add_argument("--output", type=Path, help="file to write (default: standard output)")
    parser.add_argument("--report", type=Path, help="JSON file: the settings of the search")
    add_beam_options(parser, BeamConfig(beam_size=4, alpha=0.6, max_extra_tokens=50))
    parser.add_argument(
        "--batch-tokens",
        type=int,
        help="limit on source tokens times beam size in a batch (8192 on a CPU, 131072 on a GPU)",
    )
    return parser.parse_args()


if __name__ == "__main__":
    run_script(main)
