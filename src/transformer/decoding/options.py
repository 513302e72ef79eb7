"""The command-line options of the scripts that decode by beam search."""

import argparse

from transformer.common.errors import UserError
from transformer.decoding.beam_search import BeamConfig


def add_beam_options(parser: argparse.ArgumentParser, paper: BeamConfig) -> None:
    """Add ``--beam-size``, ``--alpha`` and ``--max-extra-tokens``, with the paper's values as defaults."""
    parser.add_argument(
        "--beam-size",
        type=int,
        default=paper.beam_size,
        help=f"hypotheses per sentence (default: the paper's {paper.beam_size})",
    )
    parser.add_argument(
        "--alpha",
        type=float,
        default=paper.alpha,
        help=f"length penalty (default: the paper's {paper.alpha:g})",
    )
    parser.add_argument(
        "--max-extra-tokens",
        type=int,
        default=paper.max_extra_tokens,
        help=f"tokens by which an output may be longer than its input (default: the paper's {paper.max_extra_tokens})",
    )


def chosen_beam(arguments: argparse.Namespace) -> BeamConfig:
    """Return the beam settings given on the command line.  Raises UserError when a value is out of range."""
    try:
        return BeamConfig(arguments.beam_size, arguments.alpha, arguments.max_extra_tokens)
    except ValueError as error:
        raise UserError(str(error)) from None
