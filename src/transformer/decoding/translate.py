"""Translate text with a trained model, one sentence per line.

    python src/transformer/decoding/translate.py --model R/averaged --subwords D/subwords.model --input F --output F
    echo 'A dog runs.' | python src/transformer/decoding/translate.py --model R/averaged --subwords …

At a terminal, each line is translated as soon as it is typed.  An empty line stays empty.  With --nbest 4, the four
best hypotheses of each line, with their scores, are written to the file OUTPUT.nbest.
"""

import argparse
from collections.abc import Callable, Iterator
from pathlib import Path

from transformer.common.arguments import Output, argument_parser, check_outputs
from transformer.common.artifacts import write_artifact
from transformer.common.errors import UserError, run_script
from transformer.common.files import write_text
from transformer.common.notes import say
from transformer.decoding.beam_search import BeamConfig, Hypothesis
from transformer.decoding.options import add_beam_options, chosen_beam
from transformer.decoding.trained_model import TrainedModel
from transformer.decoding.transform import transform_lines


def main() -> None:
    arguments = parse_arguments()
    trained = TrainedModel.read(arguments.model, arguments.subwords, chosen_beam(arguments))
    cut = translate_lines(trained, arguments.input, arguments.output)
    if cut:
        say(
            f"translations without an end: {len(cut):,}, the first of line {cut[0]:,}. The search stopped them at "
            f"{trained.beam.max_extra_tokens} subwords more than their source (max_extra_tokens); such a translation "
            "mostly repeats itself"
        )
    if arguments.report:
        write_artifact(arguments.report, trained.decoding())


def translate_lines(trained: TrainedModel, input: Path | None, output: Path | None) -> list[int]:
    """Translate, and return the numbers of the lines whose translation has no end.

    If the search finds several hypotheses, those of each line are written beside the output, in Moses' format.
    """
    rows, cut = list[str](), list[int]()

    def translate(lines: list[str], first: int, done: Callable[[int], None]) -> Iterator[str]:
        for line, hypotheses in enumerate(trained.hypotheses(lines, done), start=first):
            if hypotheses[0].is_cut:
                cut.append(line)
            if trained.beam.nbest > 1:
                rows.extend(nbest_line(line - 1, trained.text(found), found) for found in hypotheses)
            yield trained.text(hypotheses[0])

    transform_lines(translate, input, output)
    if output and trained.beam.nbest > 1:
        write_text(list_beside(output), "".join(rows))
    return cut


def list_beside(output: Path) -> Path:
    """Return the file of the list of hypotheses that belongs to a translation."""
    return output.with_name(f"{output.name}.nbest")


def nbest_line(id: int, text: str, hypothesis: Hypothesis) -> str:
    """Return ``id ||| hypothesis ||| feature scores ||| total``; ids count from 0.

    The feature is log P, and the total divides it by the length penalty.  As in Moses, a bar in the text is escaped.
    """
    text = text.replace("|", "&#124;")
    return f"{id} ||| {text} ||| logP= {hypothesis.log_p:.6f} ||| {hypothesis.score:.6f}\n"


def parse_arguments() -> argparse.Namespace:
    parser = argument_parser(__doc__)
    parser.add_argument("--model", type=Path, required=True, help="folder of model.safetensors and .json")
    parser.add_argument("--subwords", type=Path, required=True, help="the model's subword model")
    parser.add_argument("--input", type=Path, help="file to translate (default: standard input)")
    parser.add_argument("--output", type=Output, help="file to write (default: standard output)")
    parser.add_argument("--report", type=Output, help="JSON file: the settings of the search")
    add_beam_options(parser, **BeamConfig().model_dump())
    arguments = parser.parse_args()
    if arguments.nbest > 1:
        if not arguments.output:
            raise UserError("--nbest writes a file beside the output; name this one with --output")
        check_outputs([arguments.input] if arguments.input else [], [list_beside(arguments.output)])
    return arguments


if __name__ == "__main__":
    run_script(main)
