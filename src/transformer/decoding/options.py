"""What the scripts that search with a beam let their user choose."""

import argparse

from transformer.common.errors import UserError
from transformer.decoding.beam_search import BeamConfig


def add_beam_options(parser: argparse.ArgumentParser, paper: BeamConfig) -> None:
    """``--beam-size``, ``--alpha`` and ``--max-extra-tokens``, which are the paper's where they are not given."""
    parser.add_argument(
        "--beam-size",
        type=int,
        default=paper.beam_size,
        help=f"hypotheses a sentence (default: the paper's {paper.beam_size})",
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
        help=f"tokens that an output may have more than its input (default: the paper's {paper.max_extra_tokens})",
    )


def chosen_beam(arguments: argparse.Namespace) -> BeamConfig:
    """What was chosen.  Raises UserError when a value is out of range."""
    try:
        return BeamConfig(arguments.beam_size, arguments.alpha, arguments.max_extra_tokens)
    except ValueError as error:
        raise UserError(str(error)) from None
