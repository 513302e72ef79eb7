"""Translate text, one sentence a line, with a trained model.

    python src/translate.py --model R/averaged --subwords D/subwords/en-de/subwords.model --input F --output F
    echo 'A dog runs.' | python src/translate.py --model R/averaged --subwords …    standard input to standard output

At a terminal each line is translated as soon as it is typed.  An empty line stays an empty line.
"""

import argparse
import io
import itertools
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import get_args

import torch

from transformer.decoding.beam_search import BeamConfig
from transformer.decoding.translation import translate
from transformer.errors import UserError, run_script
from transformer.files import atomic_writer, lines_of, read_lines
from transformer.model.precision import Precision
from transformer.model.storage import load_model
from transformer.progress import Progress
from transformer.subwords import load_subwords

BLOCK = 10_000  # sentences that are read, sorted by length and translated together


def main() -> None:
    arguments = parse_arguments()
    try:
        beam = BeamConfig(arguments.beam_size, arguments.alpha, arguments.max_extra)
    except ValueError as error:
        raise UserError(str(error)) from None
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    subwords = load_subwords(arguments.subwords)
    model, _ = load_model(arguments.model, device, subwords.sha256)

    def translate_block(lines: list[str], first_line: int, progress: Progress | None) -> Iterator[str]:
        sources = [subwords.encode(line) if line.strip() else [] for line in lines]
        check_lengths(sources, first_line, arguments.batch_tokens // arguments.beam_size)
        done = progress.update if progress else lambda count: None
        for ids in translate(model, sources, beam, arguments.batch_tokens, arguments.precision, done):
            # A sentence is a line, whatever the model says.
            yield subwords.decode(ids).replace("\n", " ")

    interactive = arguments.input is None and sys.stdin.isatty()
    lines = (
        lines_of(sys.stdin.buffer, "standard input")
        if arguments.input is None
        else read_lines(arguments.input)
    )
    if arguments.output is None:
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(encoding="utf-8")  # whatever the locale says, as for files
        for first_line, block in blocks(lines, 1 if interactive else BLOCK):
            for line in translate_block(block, first_line, None):
                print(line, flush=interactive)
    else:
        with atomic_writer(arguments.output) as file, Progress(None, "sentence", "translating") as progress:
            for first_line, block in blocks(lines, BLOCK):
                file.writelines(line + "\n" for line in translate_block(block, first_line, progress))


def blocks(lines: Iterable[str], size: int) -> Iterator[tuple[int, list[str]]]:
    """Cut a stream into lists of ``size`` lines, each with the number of its first line, from 1."""
    lines = iter(lines)
    for first_line in itertools.count(1, size):
        block = list(itertools.islice(lines, size))
        if not block:
            return
        yield first_line, block


def check_lengths(sources: list[list[int]], first_line: int, most: int) -> None:
    """Raise UserError for a line that alone is more than a batch may be: memory grows with its length's square."""
    for line, source in enumerate(sources, start=first_line):
        if len(source) + 1 > most:
            raise UserError(
                f"line {line} of the input has {len(source):,} subwords, and a sentence can have at most {most - 1:,}; "
                "put each sentence on a line of its own, or raise --batch-tokens"
            )


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--model", type=Path, required=True, help="folder with model.safetensors and model.json"
    )
    parser.add_argument("--subwords", type=Path, required=True, help="the subword model it was trained with")
    parser.add_argument("--input", type=Path, help="file to translate (default: standard input)")
    parser.add_argument("--output", type=Path, help="file to write (default: standard output)")
    parser.add_argument(
        "--beam-size", type=int, default=4, help="hypotheses a sentence (default: the paper's 4)"
    )
    parser.add_argument("--alpha", type=float, default=0.6, help="length penalty (default: the paper's 0.6)")
    parser.add_argument(
        "--max-extra",
        type=int,
        default=50,
        help="an output has at most so many tokens more than its input (50)",
    )
    parser.add_argument(
        "--batch-tokens", type=int, default=8192, help="source tokens times beam in a batch (8192)"
    )
    parser.add_argument("--precision", choices=get_args(Precision), default="auto")
    return parser.parse_args()


if __name__ == "__main__":
    run_script(main)
